"""When snapshots are written in the background, and what happens where they cannot be."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from passageway_server.errors import DiskFull, ReadOnly, StorageFailed
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.log.writer import Log
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.checkpoints import Checkpoints
from passageway_server.version.durability import Durability
from passageway_server.version.store import Store
from tests.unit.version.crashing import NEVER, after_a_crash, put
from tests.unit.version.making import PUBLIC, records


def test_a_snapshot_is_due_once_the_log_is_long_or_has_waited(tmp_path: Path) -> None:
    limits = Durability(checkpoint_bytes=2000, checkpoint_seconds=60)
    with closing(Store.open(tmp_path, durability=NEVER)) as store:
        kept, seconds = store.create(PUBLIC), [0.0]
        watched = Checkpoints(
            store.checkpoints.folder, limits, now=lambda: 0, timer=lambda: seconds[0]
        )
        watched.counting["c"] = store.checkpoints.counting["c"]

        assert not watched.due("c", kept)
        kept.apply(put("a"))
        assert not watched.due("c", kept)
        seconds[0] = 59.0
        assert not watched.due("c", kept)
        seconds[0] = 60.0
        assert watched.due("c", kept)
        watched.write("c", kept)
        seconds[0] = 200.0
        assert not watched.due("c", kept)
        kept.apply(Batch(put_nodes=(NodeRecord("b", content="x" * 3000),)))
        assert watched.due("c", kept)
        watched.write("c", kept)
        kept.apply(Batch(put_nodes=(NodeRecord("b", content="x" * 8000),)), prepare=False)
        assert not watched.due("c", kept)  # a stream of batches is not at its end
        kept.prepare()
        assert watched.due("c", kept)


def test_a_large_snapshot_is_not_written_again_for_a_short_log(tmp_path: Path) -> None:
    limits = Durability(checkpoint_bytes=100, checkpoint_seconds=60)
    with closing(Store.open(tmp_path, durability=NEVER)) as store:
        watched = Checkpoints(store.checkpoints.folder, limits, now=lambda: 0, timer=lambda: 0.0)
        kept = store.create(PUBLIC)
        watched.counting["c"] = store.checkpoints.counting["c"]
        kept.apply(Batch(put_nodes=(NodeRecord("a", content="x" * 100_000),)))
        size = watched.write("c", kept).manifest.array_bytes

        kept.apply(Batch(put_nodes=(NodeRecord("b", content="x" * (size // 3)),)))
        assert not watched.due("c", kept)
        kept.apply(Batch(put_nodes=(NodeRecord("c", content="x" * (size // 3)),)))
        assert watched.due("c", kept)


def test_a_checkpoint_is_written_of_what_is_due_and_spares_the_log(tmp_path: Path) -> None:
    with closing(
        Store.open(tmp_path / "data", durability=replace(NEVER, checkpoint_seconds=0))
    ) as store:
        kept = store.create(PUBLIC)
        for i in range(3):
            kept.apply(put(f"n{i}"))
            store.checkpoint()

        assert kept.logged_bytes == 0
        snapshots = sorted(each.name for each in (tmp_path / "data/c/snapshots").iterdir())
        assert snapshots == [f"{number:016d}" for number in (3, 4)]
        with closing(after_a_crash(tmp_path)) as again:
            assert records(again.collection("c").current) == records(kept.current)


@pytest.mark.parametrize("error", [DiskFull, StorageFailed])
def test_a_checkpoint_that_the_disk_refuses_changes_nothing_and_is_tried_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[StorageFailed]
) -> None:
    def refused(stored: StoredCollection, *_: object, **__: object) -> None:
        raise error(stored.name, "refused")

    with closing(
        Store.open(tmp_path / "data", durability=replace(NEVER, checkpoint_bytes=0))
    ) as store:
        kept = store.create(PUBLIC)
        kept.apply(put("a"))
        monkeypatch.setattr(StoredCollection, "publish", refused)
        store.checkpoint()
        kept.apply(put("b"))
        monkeypatch.undo()
        with closing(after_a_crash(tmp_path)) as again:
            assert records(again.collection("c").current) == records(kept.current)

        assert not store.checkpoints.due("c", kept)  # not at once
        store.create_snapshot("c", "now")

        assert kept.logged_bytes == 0
        assert [state.name for state in store.snapshots("c")] == ["now"]


def test_commits_between_a_snapshot_and_its_log_are_in_one_of_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.create(PUBLIC)
    kept.apply(put("a"))
    publish = StoredCollection.publish

    def meanwhile(*args: object, **named: object) -> object:
        kept.apply(put("b"))
        written = publish(*args, **named)  # type: ignore[arg-type]
        kept.apply(put("c"))
        return written

    monkeypatch.setattr(StoredCollection, "publish", meanwhile)
    store.create_snapshot("c", "")
    kept.apply(put("d"))

    with closing(after_a_crash(tmp_path)) as again:
        assert records(again.collection("c").current) == records(kept.current)


def test_a_collection_that_takes_no_commits_is_read_and_gets_no_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path / "data", durability=replace(NEVER, checkpoint_bytes=0))
    kept = store.create(PUBLIC)
    kept.apply(put("a"))
    told: list[str] = []
    store.on_change(lambda: told.extend(store.read_only))

    def failing(log: Log) -> None:
        raise ReadOnly("log", str(log.size))

    monkeypatch.setattr(Log, "sync", failing)
    with pytest.raises(ReadOnly):
        kept.apply(put("b"))
    monkeypatch.undo()

    assert (list(store.read_only), told) == (["c"], ["c"])
    store.checkpoint()
    with pytest.raises(ReadOnly):
        store.create_snapshot("c", "named")
    assert [one.id for one in records(store.collection("c").current).put_nodes] == ["a"]
    store.close()
    assert [each.name for each in (tmp_path / "data/c/snapshots").iterdir()] == [f"{1:016d}"]
