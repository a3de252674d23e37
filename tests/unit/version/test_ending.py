"""An end to writing: collections that were deleted, and stores that were closed."""

from pathlib import Path

import pytest

from passageway_server.errors import NotFound, Stopping, StorageFailed
from passageway_server.storage.collection import StoredCollection
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.version.making import PUBLIC


def test_a_commit_to_a_collection_that_was_deleted_is_refused() -> None:
    store = Store.open()
    kept = store.create(PUBLIC)
    store.delete("c")
    again = store.create(PUBLIC)

    with pytest.raises(NotFound):
        kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    assert again.state.nodes == 0


def test_a_commit_to_a_store_that_was_closed_is_refused(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    kept = store.create(PUBLIC)
    store.close()

    with pytest.raises(Stopping):
        kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    with pytest.raises(Stopping):
        store.create(CollectionSettings("late"))
    with pytest.raises(Stopping):
        store.create_snapshot("c", "late")


def test_a_delete_that_the_disk_refuses_leaves_the_collection_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path)
    kept = store.create(PUBLIC)

    def refused(stored: StoredCollection) -> None:
        raise StorageFailed(stored.name, "refused")

    monkeypatch.setattr(StoredCollection, "delete", refused)
    with pytest.raises(StorageFailed):
        store.delete("c")

    kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    assert store.collection("c").state.nodes == 1
    store.close()


def test_closing_saves_all_but_the_one_that_cannot_be_saved_whose_log_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store.open(tmp_path)
    for name in ("a", "b", "z"):
        store.create(CollectionSettings(name)).apply(Batch(put_nodes=(NodeRecord("n"),)))
    merge = Collection.merge

    def failing(collection: Collection) -> Version:
        if collection.current.settings.name == "b":
            raise MemoryError
        return merge(collection)

    monkeypatch.setattr(Collection, "merge", failing)
    store.close()
    monkeypatch.undo()

    assert "no snapshot of b can be written: MemoryError" in caplog.text
    again = Store.open(tmp_path)
    assert [collection.state.nodes for collection in again.collections()] == [1, 1, 1]
    assert [collection.logged_bytes > 0 for collection in again.collections()] == [0, 1, 0]
    again.close()
