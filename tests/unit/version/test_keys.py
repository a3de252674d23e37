"""Idempotency keys: each names a batch of its writer, is kept for long enough, and may be that of a load."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import numpy as np
import pytest

from passageway_server.columns.times import from_micros
from passageway_server.errors import InvalidRequest, ReadOnly, VersionMoved
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, Guard
from passageway_server.version import keyed
from passageway_server.version import keys as kept_keys
from passageway_server.version.collection import Collection
from passageway_server.version.contents import Contents
from passageway_server.version.keys import DAY, KEPT, Entry, Keys, batch_of_load
from passageway_server.version.version import Version
from tests.unit.version.logs import MemoryLog
from tests.unit.version.making import collection, node
from tests.unit.version.test_committing import several

A, B = Batch(put_nodes=(node("a"),)), Batch(put_nodes=(node("b"),))
UNFIT = Batch(put_nodes=(node(""),))

DRAWN = "7f" * 8  # for a load


def under(key: str) -> Guard:
    return Guard(idempotency_key=key)


def test_the_same_key_and_batch_are_answered_as_the_first_time_and_applied_once() -> None:
    kept = collection()
    dangling = Batch(put_nodes=(node("a", rel=["b"]),))
    first = kept.apply(dangling, under("k"), sub="ada")
    kept.apply(B)
    newest = kept.current

    again = kept.apply(dangling, replace(under("k"), if_version="0" * 32), sub="ada")

    assert again == first
    assert first.dangling_edges == 1
    assert kept.current is newest


def test_a_key_is_its_writers_own() -> None:
    kept = collection()
    first = kept.apply(A, under("k"), sub="ada")

    second = kept.apply(B, under("k"), sub="eve")

    assert second.version != first.version
    assert kept.apply(A, under("k"), sub="ada") == first


def test_a_key_names_one_batch() -> None:
    kept = collection()
    kept.apply(A, under("k"))

    with pytest.raises(InvalidRequest) as refused:
        kept.apply(B, under("k"))

    assert [fault.field for fault in refused.value.faults] == ["idempotency_key"]


def test_a_batch_that_failed_leaves_its_key_to_another() -> None:
    log, kept = MemoryLog(), collection()
    kept.keep_in(log, sync_each=True)
    with pytest.raises(InvalidRequest):
        kept.apply(UNFIT, under("k"))
    with pytest.raises(VersionMoved):
        kept.apply(A, Guard(if_version="0" * 32, idempotency_key="k"))

    kept.apply(B, under("k"))

    assert kept.current.identity.number == 2


def test_the_same_key_waits_for_the_first_that_is_under_way() -> None:
    log, kept = MemoryLog(), collection()
    kept.keep_in(log, sync_each=True)
    kept.apply(A, under("k"))
    (waiting,) = several(kept, log, 1)
    log.broken = True
    log.open.set()

    assert kept.apply(A, under("k")).version == kept.current.token
    with pytest.raises(ReadOnly):
        waiting.result()
    with pytest.raises(ReadOnly):
        kept.apply(B, under("other"))


def test_keys_come_back_with_the_log() -> None:
    log, kept = MemoryLog(), collection()
    first = kept.current
    kept.keep_in(log, sync_each=True)
    answer = kept.apply(Batch(put_nodes=(node("a", rel=["b"]),)), under("k"), sub="ada")

    again = Collection(first)
    for logged in log.logged:
        again.replay(logged)

    assert again.apply(Batch(put_nodes=(node("a", rel=["b"]),)), under("k"), sub="ada") == answer


def entry(number: int, *, at: int, key: str = "") -> Entry:
    return Entry("ada", key or f"k{number}", bytes(32), "0" * 20, number, 0, at)


def test_a_key_is_kept_for_a_day_or_as_long_as_it_is_among_the_newest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (DAY, KEPT) == (24 * 3600 * 1_000_000, 10_000)
    monkeypatch.setattr(kept_keys, "KEPT", 3)
    monkeypatch.setattr(keyed, "BLOCK", 2)
    keys = Keys()

    def known() -> list[int]:
        return [n for n in range(1, 9) if keys.find("ada", f"k{n}", bytes(32)) is not None]

    for number in range(1, 6):
        keys.add(entry(number, at=number))
    assert len(keys) == 5  # none is a day old
    keys.add(entry(6, at=DAY + 2))
    assert known() == [1, 2, 3, 4, 5, 6]
    keys.add(entry(7, at=DAY + 3))
    assert known() == [3, 4, 5, 6, 7]  # the first two stood in one block
    keys.add(entry(8, at=3 * DAY))

    assert known() == [5, 6, 7, 8]
    assert keys.loaded("ada", "load") is None


def test_keys_survive_their_form_as_arrays_up_to_a_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyed, "BLOCK", 2)
    keys = Keys()
    some = [
        entry(number, at=number * DAY, key=f"load/é/{DRAWN}/{number}") for number in range(1, 6)
    ]
    for each in some:
        keys.add(each)

    arrays = keys.arrays(through=3)
    again = Keys.from_arrays(arrays)

    found = [keys.find("ada", each.key, bytes(32)) for each in some]
    assert [each and each.number for each in found] == [1, 2, 3, 4, 5]
    assert [again.find("ada", each.key, bytes(32)) for each in some] == [*found[:3], None, None]
    assert (keys.loaded("ada", "load/é"), again.loaded("ada", "load/é")) == (
        (5, found[4]),
        (3, found[2]),
    )
    assert all(isinstance(array, np.ndarray) for array in Keys().arrays(through=9).values())
    assert len(Keys.from_arrays(Keys().arrays(through=9))) == len(Keys.from_arrays({})) == 0


def test_keys_that_were_stored_are_found_among_those_that_came_after() -> None:
    keys, rng = Keys(), Random(5)
    names = [f"{rng.getrandbits(64):x}" for _ in range(3000)]
    for number, name in enumerate(names[:2000]):
        keys.add(Entry("ada", name, name.encode() * 2, "0" * 20, number, 0, number))

    again = Keys.from_arrays(keys.arrays(through=2000))
    for number, name in enumerate(names[2000:], start=2000):
        again.add(Entry("ada", name, name.encode() * 2, "0" * 20, number, 0, number))

    found = [again.find("ada", name, name.encode() * 2) for name in names]
    assert [each and each.number for each in found] == list(range(3000))
    assert again.find("eve", names[0], b"") is again.find("ada", "other", b"") is None


def test_a_block_of_keys_that_is_full_is_stored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyed, "BLOCK", 2)
    keys = Keys()
    for number in range(1, 4):
        keys.add(entry(number, at=number))
    arrays = keys.arrays(through=3)

    for each in (keys, Keys.from_arrays(arrays)):
        each.add(entry(4, at=4))
        after = each.arrays(through=4)
        assert [name for name in after if after[name] is arrays.get(name)] == [
            "0.digests", "0.lines", "0.numbers",
        ]  # fmt: skip
        assert [len(after[f"{i}.numbers"]) for i in range(2)] == [2, 2]


def test_a_key_takes_less_than_a_hundred_bytes() -> None:
    assert keyed.Block().nbytes <= 100 * keyed.BLOCK


@pytest.mark.parametrize("name", ["0.digests", "0.lines", "0.numbers"])
def test_keys_whose_parts_do_not_fit_together_are_damage(name: str) -> None:
    keys = Keys()
    keys.add(entry(1, at=1))
    arrays: Mapping[str, np.ndarray] = dict(keys.arrays(through=1))

    for spoiled in (
        {n: a for n, a in arrays.items() if n != name},
        {**arrays, name: arrays[name][:0]},
    ):
        with pytest.raises((KeyError, ValueError, IndexError)):
            Keys.from_arrays(spoiled)


def test_the_latest_batch_of_a_load_is_found_by_its_name() -> None:
    kept = collection()

    assert kept.loaded("ada", "monday") is None
    for drawn, place in ((DRAWN, 1), (DRAWN, 2), ("a0" * 8, 3)):
        batch = Batch(put_nodes=(node(f"n{place}"),))
        answer = kept.apply(batch, under(f"monday/{drawn}/{place}"), sub="ada")
    kept.apply(A, under("monday/x"), sub="ada")
    kept.apply(A, under(f"tuesday/{DRAWN}/9"), sub="ada")

    assert kept.loaded("ada", "monday") == (3, answer)
    assert kept.loaded("eve", "monday") is None


@pytest.mark.parametrize(
    "key",
    [
        "monday/7f3a/1",
        f"monday/{DRAWN}0/1",
        f"monday/{DRAWN.upper()}/1",
        f"monday/{'g' * 16}/1",
        f"monday/{DRAWN}/0",
        f"monday/{DRAWN}/01",
        f"monday/{DRAWN}/-1",
        f"monday/{DRAWN}/1 ",
        f"monday/{DRAWN}/1\n",
        f"monday/{DRAWN}/\u0661",
        f"monday/{DRAWN}/{10**18}",
        f"monday/{DRAWN}/",
        f"/{DRAWN}/1",
        f"{DRAWN}/1",
    ],
)
def test_a_key_that_a_load_does_not_make_is_of_no_load(key: str) -> None:
    kept = collection()

    kept.apply(A, under(key), sub="ada")

    assert batch_of_load(key) is None
    assert [kept.loaded("ada", name) for name in ("monday", "", DRAWN)] == [None] * 3


@pytest.mark.parametrize("name", ["monday", "orders/eu/2024", "\n", "/", f"a/{DRAWN}/1"])
def test_a_load_may_have_any_name(name: str) -> None:
    assert batch_of_load(f"{name}/{DRAWN}/{10**18 - 1}") == (name, 10**18 - 1)


def test_a_collection_that_is_made_anew_knows_no_keys() -> None:
    contents = Contents.empty(CollectionSettings("c"))
    kept = Collection.created(contents, datetime(2024, 1, 1, tzinfo=UTC))
    kept.apply(A, under("k"))

    again = Collection.copied(kept.current, "d", from_micros(0))

    assert again.apply(B, under("k")).version == again.current.token
    assert isinstance(again.current, Version)
    assert again.current.settings.name == "d"
