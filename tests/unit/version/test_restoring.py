"""Named snapshots: taken back in place, or into a collection of its own."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from passageway_server.errors import DiskFull
from passageway_server.storage.collection import StoredCollection
from passageway_server.values.records import Batch, Guard
from passageway_server.version.store import Store
from tests.unit.version.crashing import KEYED, after_a_crash, put
from tests.unit.version.making import PUBLIC, node, records


def test_restoring_in_place_is_the_next_commit_and_outlives_a_crash(
    store: Store, tmp_path: Path
) -> None:
    kept = store.create(PUBLIC)
    kept.apply(put("a"), KEYED)
    store.create_snapshot("c", "good")
    good = kept.current
    kept.update(lambda settings: replace(settings, users=("group:g",), description="other"))
    answer = kept.apply(
        Batch(put_nodes=(node("b"),), delete_nodes=("a",)), Guard(idempotency_key="k")
    )

    assert store.restore("c", "good") is kept

    assert kept.current.identity.number == int(answer.version[20:], 16) + 1
    assert kept.current.identity.created_at == good.identity.created_at
    assert (records(kept.current), kept.current.settings) == (records(good), good.settings)
    assert (
        kept.apply(Batch(put_nodes=(node("b"),), delete_nodes=("a",)), Guard(idempotency_key="k"))
        == answer
    )
    with closing(after_a_crash(tmp_path)) as again:
        found = again.collection("c")
        assert (found.current.token, records(found.current)) == (kept.current.token, records(good))
        assert found.apply(put("a"), KEYED).version == good.token
    kept.apply(put("later"))
    with closing(after_a_crash(tmp_path)) as again:
        assert records(again.collection("c").current) == records(kept.current)
        assert [state.name for state in again.snapshots("c")] == ["good"]
    store.delete_snapshot("c", "good")
    with closing(after_a_crash(tmp_path)) as again:  # the log does not need it
        assert records(again.collection("c").current) == records(kept.current)


def test_a_restore_that_the_disk_refuses_changes_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.create(PUBLIC)
    store.create_snapshot("c", "empty")
    kept.apply(put("a"))
    before = kept.current

    def refused(stored: StoredCollection, *_: object, **__: object) -> None:
        raise DiskFull(stored.name, "full")

    monkeypatch.setattr(StoredCollection, "publish", refused)
    with pytest.raises(DiskFull):
        store.restore("c", "empty")
    monkeypatch.undo()

    assert kept.current is before
    kept.apply(put("b"))
    with closing(after_a_crash(tmp_path)) as again:
        assert records(again.collection("c").current) == records(kept.current)


def test_a_copy_of_a_snapshot_is_a_collection_of_its_own(store: Store, tmp_path: Path) -> None:
    kept = store.create(PUBLIC)
    kept.apply(put("a"), KEYED)
    store.create_snapshot("c", "s")

    made = store.restore("c", "s", into="d")
    made.apply(put("b"), KEYED)  # no key of the other one

    assert made.current.token[:8] != kept.current.token[:8]
    assert made.current.settings.name == "d"
    with closing(after_a_crash(tmp_path)) as again:
        assert records(again.collection("d").current) == records(made.current)
        assert records(again.collection("c").current) == records(kept.current)
