"""Which reader sets a caller holds, and what is kept of it."""

import random

import numpy as np
import pytest

from passageway_server.columns import readers as module
from passageway_server.columns.readers import ANYONE, EMPTY, NOBODY, ReaderSets, parts


def drawn_readers(rng: random.Random) -> tuple[str, ...]:
    return tuple(
        " & ".join(rng.choices("abcd", k=rng.choice((1, 1, 2, 3))))
        for _ in range(rng.randint(1, 3))
    )


def test_a_set_is_held_by_those_who_hold_all_of_one_of_its_readers() -> None:
    rng = random.Random(3)
    for _ in range(30):
        sets = ReaderSets()
        expected = {NOBODY: False, EMPTY: False, ANYONE: True}
        principals = frozenset(rng.choices("abcdx", k=rng.randint(0, 4)))
        for _ in range(4):  # what is judged already is gone on with
            for _ in range(5):
                readers = drawn_readers(rng)
                one = sets.intern(readers)
                expected[one] = any(principals.issuperset(parts(each)) for each in readers)
                other = rng.choice(list(expected))
                expected[sets.both(one, other)] = expected[one] and expected[other]
            held = sets.held(principals, admin=False)
            assert held.tolist() == [int(expected[number]) for number in range(len(sets))]


def test_the_principals_count_in_the_bytes_of_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BYTES", 30_000)
    sets = ReaderSets()
    crowd, few = frozenset(f"group:{number}" for number in range(400)), frozenset({"group:1"})

    def kept(principals: frozenset[str]) -> bool:
        first = sets.held(principals, admin=False)
        return sets.held(frozenset(principals), admin=False) is first

    assert (kept(few), kept(crowd)) == (True, False)
    assert np.array_equal(sets.held(crowd, admin=False), sets.held(few, admin=False))


def test_sets_of_another_collection_are_taken_over_by_what_they_say() -> None:
    here, there = ReaderSets(), ReaderSets()
    here.intern(("x",))
    parent, own = there.intern(("a & b",)), there.intern(("c", "d"))
    joined = there.both(there.both(parent, own), there.intern(("e",)))

    taken = {n: here.taken_over(there, n) for n in (NOBODY, EMPTY, ANYONE, parent, own, joined)}

    assert [taken[n] for n in (NOBODY, EMPTY, ANYONE)] == [NOBODY, EMPTY, ANYONE]
    assert here.readers(taken[own]) == ("c", "d")
    assert here.joined(taken[own]) is None
    for held, expected in (({"a", "b", "d", "e"}, 1), ({"a", "b", "e"}, 0), ({"a", "d", "e"}, 0)):
        assert here.held(frozenset(held), admin=False)[taken[joined]] == expected
    assert here.taken_over(there, joined) == taken[joined]


def test_sets_that_are_not_there_are_never_joined() -> None:
    sets = ReaderSets()
    first, second = sets.intern(("user:ada",)), sets.intern(("user:eve",))
    both = sets.both(first, second)
    arrays = sets.arrays()
    arrays["joined"] = np.array([[both, first, both]], dtype=np.int32)

    with pytest.raises(ValueError, match="not there"):
        sets.both(first, -1)
    with pytest.raises(ValueError, match="not there"):
        ReaderSets.from_arrays(arrays)
