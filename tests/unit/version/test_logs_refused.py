"""Collections whose log the disk refuses: they are read, and take commits once they may."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from passageway_server.errors import AlreadyExists, DiskFull, NotDurable, ReadOnly, StorageFailed
from passageway_server.storage.collection import StoredCollection
from passageway_server.version.store import Store
from tests.unit.version.crashing import after_a_crash, full, put
from tests.unit.version.making import PUBLIC, records


def test_where_the_log_cannot_be_begun_a_collection_is_read_and_takes_no_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store.open(tmp_path)) as store:
        store.create(PUBLIC).apply(put("a"))

    def refused(stored: StoredCollection, *_: object, **__: object) -> None:
        raise StorageFailed(stored.name, "input/output error")

    monkeypatch.setattr(StoredCollection, "open_log", refused)
    with closing(Store.open(tmp_path)) as again:
        assert list(again.read_only) == ["c"]
        with pytest.raises(ReadOnly):
            again.collection("c").apply(put("b"))
        assert len(records(again.collection("c").current).put_nodes) == 1


@pytest.mark.parametrize("aside", [True, False])
def test_where_the_log_finds_no_room_commits_are_refused_until_there_is_some(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aside: bool
) -> None:
    store.create(PUBLIC).apply(put("a"))
    monkeypatch.setattr(StoredCollection, "open_log", full)
    with closing(after_a_crash(tmp_path)) as again:
        kept = again.collection("c")
        with pytest.raises(DiskFull):
            kept.apply(put("b"))
        with pytest.raises(DiskFull):
            again.create_snapshot("c", "named")
        assert (again.read_only, kept.current.identity.number) == ({}, 2)
        monkeypatch.undo()
        if aside:
            again.checkpoint()
        kept.apply(put("c"))
        shutil.copytree(tmp_path / "crashed1", tmp_path / "later")

    with closing(Store.open(tmp_path / "later")) as later:
        assert [one.id for one in records(later.collection("c").current).put_nodes] == ["a", "c"]


def test_a_collection_that_waits_for_room_closes_as_it_was(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.create(PUBLIC).apply(put("a"))
    monkeypatch.setattr(StoredCollection, "open_log", full)
    after_a_crash(tmp_path).close()
    monkeypatch.undo()

    with closing(Store.open(tmp_path / "crashed1")) as again:
        assert [one.id for one in records(again.collection("c").current).put_nodes] == ["a"]


def test_a_collection_whose_folder_may_go_again_is_read_and_takes_no_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store.open(tmp_path)) as store:

        def made(stored: StoredCollection, *_: object, **__: object) -> None:
            raise NotDurable(stored.name, "input/output error")

        monkeypatch.setattr(StoredCollection, "publish", made)
        with pytest.raises(NotDurable):
            store.create(PUBLIC)

        assert (store.names(), list(store.read_only)) == (["c"], ["c"])
        with pytest.raises(ReadOnly):
            store.collection("c").apply(put("a"))
        with pytest.raises(AlreadyExists):
            store.create(PUBLIC)
