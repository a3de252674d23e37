"""What a folder gives back, however its server ended: every commit that was acknowledged, and its keys."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from passageway_server.errors import (
    AlreadyExists,
    DiskFull,
    LogDamaged,
    NotDurable,
    ReadOnly,
    StorageFailed,
)
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.log.writer import Log
from passageway_server.storage.report import Kind
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, Guard, NodeRecord
from passageway_server.version.checkpoints import Checkpoints
from passageway_server.version.durability import Durability
from passageway_server.version.store import Store
from tests.unit.version.logs import random_batch
from tests.unit.version.making import PUBLIC, node, records

NEVER = Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9)
KEYED = Guard(idempotency_key="monday/7f7f7f7f7f7f7f7f/1")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An open store that writes no snapshot of its own accord."""
    opened = Store.open(tmp_path / "data", durability=NEVER)
    yield opened
    opened.close()


def after_a_crash(tmp_path: Path) -> Store:
    """The store that is opened over what was written when the process of the other one ended just now."""
    copies = len(list(tmp_path.iterdir()))
    shutil.copytree(tmp_path / "data", tmp_path / f"crashed{copies}")
    return Store.open(tmp_path / f"crashed{copies}", durability=NEVER)


def put(*ids: str) -> Batch:
    return Batch(put_nodes=tuple(map(NodeRecord, ids)))


@pytest.mark.parametrize("seed", range(10))
def test_a_crash_takes_nothing_that_was_acknowledged(
    store: Store, tmp_path: Path, seed: int
) -> None:
    rng, kept = Random(seed), store.create(PUBLIC)
    for i in range(6):
        kept.apply(random_batch(rng))
        if i == 3:
            kept.update(lambda settings: replace(settings, default_readers=("user:b",)))
        if i == 2 and seed % 2:
            store.create_snapshot("c", "")
    answer = kept.apply(put("z"), KEYED, sub="ada")

    with closing(after_a_crash(tmp_path)) as again:
        found = again.collection("c")
        assert (found.current.token, again.damaged, again.findings) == (answer.version, {}, [])
        assert records(found.current) == records(kept.current)
        assert found.current.settings == kept.current.settings
        assert found.apply(put("z"), KEYED, sub="ada") == answer
        assert found.loaded("ada", "monday") == (1, answer)


def test_the_versions_of_the_log_are_kept_readable(store: Store, tmp_path: Path) -> None:
    kept = store.create(PUBLIC)
    tokens = [kept.apply(put(f"n{i}")).version for i in range(4)]

    with closing(after_a_crash(tmp_path)) as again:
        found = again.collection("c")
        assert [len(found.at(token).nodes) for token in tokens] == [1, 2, 3, 4]


def test_each_opening_begins_another_epoch_and_tokens_of_before_stay(
    store: Store, tmp_path: Path
) -> None:
    kept = store.create(PUBLIC)
    before = kept.apply(put("a")).version

    with closing(after_a_crash(tmp_path)) as again:
        found = again.collection("c")
        assert found.current.token == before
        after = found.apply(put("b")).version

    assert (after[:8], after[12:]) == (before[:8], f"{3:012x}")
    assert after[8:12] != before[8:12]
    assert kept.apply(put("c")).version != after


def test_a_clean_stop_leaves_a_snapshot_that_needs_no_log(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path, durability=NEVER)) as store:
        answer = store.create(PUBLIC).apply(put("a"), KEYED)

    with closing(Store.open(tmp_path)) as again:
        kept = again.collection("c")
        assert kept.logged_bytes == 0
        assert kept.apply(put("a"), KEYED) == answer  # the key is in the snapshot


def test_a_tail_that_nobody_was_told_of_is_cut_and_told(store: Store, tmp_path: Path) -> None:
    kept = store.create(PUBLIC)
    kept.apply(put("a"))
    (segment,) = (tmp_path / "data/c/log").glob("*.log")
    with segment.open("ab") as file:
        file.write(b"half a frame")

    with closing(after_a_crash(tmp_path)) as again:
        assert records(again.collection("c").current) == records(kept.current)
        assert [finding.kind for finding in again.findings] == [Kind.TAIL]


def test_a_log_that_cannot_be_applied_keeps_its_collection_from_service_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bad", "good"):
        store.create(CollectionSettings(name)).apply(put("a"))
    append = Log.append

    def another(log: Log, number: int, _: object) -> None:
        append(log, number, {"kind": "of another release"})

    monkeypatch.setattr(Log, "append", another)
    store.collection("bad").apply(put("b"))
    monkeypatch.undo()

    with closing(after_a_crash(tmp_path)) as again:
        assert again.names() == ["good"]
        with pytest.raises(LogDamaged):
            again.collection("bad")


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


def full(stored: StoredCollection, *_: object, **__: object) -> None:
    raise DiskFull(stored.name, "full")


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


def test_with_an_interval_a_commit_is_on_the_disk_after_the_next_sync(tmp_path: Path) -> None:
    with closing(
        Store.open(tmp_path / "data", durability=replace(NEVER, fsync="interval"))
    ) as store:
        kept = store.create(PUBLIC)
        kept.apply(put("a"))
        kept.apply(put("b"))
        store.sync()
        with closing(after_a_crash(tmp_path)) as again:
            assert records(again.collection("c").current) == records(kept.current)


def test_whoever_listens_hears_of_collections_and_versions() -> None:
    store, heard = Store.open(), list[dict[str, int]]()
    store.on_change(
        lambda: heard.append(
            {
                each.current.settings.name: each.current.identity.number
                for each in store.collections()
            }
        )
    )

    store.create(PUBLIC).apply(put("a"))
    store.delete("c")

    assert heard == [{"c": 1}, {"c": 2}, {}]


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

    assert kept.current.identity.number == int(answer.version[12:], 16) + 1
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
