"""What a folder gives back, however its server ended: every commit that was acknowledged, and its keys."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from passageway_server.errors import LogDamaged
from passageway_server.storage.log.writer import Log
from passageway_server.storage.report import Kind
from passageway_server.values.collections import CollectionSettings
from passageway_server.version.store import Store
from tests.unit.version.crashing import KEYED, NEVER, after_a_crash, put
from tests.unit.version.logs import random_batch
from tests.unit.version.making import PUBLIC, records


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

    assert (after[:8], after[20:]) == (before[:8], f"{3:012x}")
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
