"""Strings and terms agree with lists and dicts."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.columns import terms as terms_module
from passageway_server.columns.growing import Growing
from passageway_server.columns.hashed import Hashed, short
from passageway_server.columns.readers import ANYONE, EMPTY, NOBODY, ReaderSets
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms

texts = st.lists(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=6), max_size=40
)


@given(st.lists(texts, max_size=4))
def test_terms_number_strings_like_a_dict_does(batches: list[list[str]]) -> None:
    terms, model = Terms.of(), dict[str, int]()

    for batch in batches:
        terms, numbers = terms.interned(batch)
        assert numbers.tolist() == [model.setdefault(string, len(model)) for string in batch]

    assert terms.take(range(len(terms))) == list(model)
    assert [terms.find(string) for string in model] == list(model.values())
    assert terms.find_all([*model, *["never there"] * 20])[-20:].tolist() == [-1] * 20


@given(st.lists(texts, max_size=4), st.integers(0, 30))
def test_bounds_of_32_bits_become_wider_where_the_strings_do(
    batches: list[list[str]], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("passageway_server.columns.strings._NARROW", most)
        narrow, wide = Strings.narrow(), Strings.of()
        for batch in batches:
            narrow, wide = narrow.extended(batch), wide.extended(batch)
        some = np.arange(len(wide))[::-2]

        assert narrow.are_narrow == (len(wide.heap) < most or not len(wide))
        assert narrow.chosen(some).take(range(len(some))) == wide.take(some)

    assert narrow.take(range(len(narrow))) == wide.take(range(len(wide)))
    assert narrow.bounds.tolist() == wide.bounds.tolist()
    assert narrow.lengths.tolist() == wide.lengths.tolist()
    again = Strings.from_arrays(narrow.arrays())
    assert again.are_narrow == narrow.are_narrow


@pytest.mark.parametrize("seed", range(20))
def test_of_strings_that_are_numbered_anew_the_latest_number_is_found(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(terms_module, "_FEW", Random(seed).choice((4, 65_536)))
    rng, terms, latest = Random(seed), Terms.of(), dict[str, int]()
    versions: list[tuple[Terms, dict[str, int]]] = []

    for _ in range(12):
        strings = rng.sample([f"s{i}" for i in range(15)], rng.randint(1, 6))
        if rng.random() < 0.5:
            terms, numbers = terms.anew(strings)
        else:
            terms, numbers = terms.interned(strings)
        latest |= dict(zip(strings, numbers.tolist(), strict=True))
        versions.append((terms, dict(latest)))

    for held, expected in versions:
        assert {string: held.find(string) for string in expected} == expected
        assert held.find_all(["never", *expected]).tolist() == [-1, *expected.values()]
        assert held.take(list(expected.values())) == list(expected)
        again = Terms.from_arrays(held.arrays())
        assert again.find_all(list(expected)).tolist() == list(expected.values())
        assert len(held.hashes) == len(expected)
        assert (np.diff(held.hashes) > 0).all()


def test_strings_whose_hashes_collide_take_the_place_of_none_but_themselves() -> None:
    same = np.zeros(3, dtype=np.uint64)
    strings = Strings.of(["a", "b", "c", "b", "d"])
    below, above = Hashed.of(same, np.array([0, 1, 2])), Hashed.of(same[:2], np.array([3, 4]))

    both = below.under(above, strings)

    assert sorted(both.order.tolist()) == [0, 2, 3, 4]
    found = np.full(3, -1, dtype=np.int32)
    both.find([b"b", b"x", b"a"], short(same), strings, found=found)
    assert found.tolist() == [3, -1, 0]


@given(texts, texts)
def test_an_older_state_does_not_see_what_a_newer_one_added(
    first: list[str], then: list[str]
) -> None:
    older = Strings.of(first)

    newer, other = older.extended(then), older.extended(["other"])

    assert older.take(range(len(older))) == first
    assert newer.take(range(len(newer))) == first + then
    assert other.take(range(len(other))) == [*first, "other"]


def test_a_growing_array_that_two_extend_from_one_state_keeps_them_apart() -> None:
    base = Growing(np.arange(3))
    grown = base.extended(np.array([7]))

    left, right = grown.extended(np.array([8])), grown.extended(np.array([9]))

    assert left.array.tolist() == [0, 1, 2, 7, 8]
    assert right.array.tolist() == [0, 1, 2, 7, 9]
    assert not left.array.flags.writeable


def test_a_reader_set_is_held_by_one_reader_whose_principals_are_all_held() -> None:
    sets = ReaderSets()
    one = sets.intern(("group:a", "team:x & level:s"))
    own = sets.intern(("group:b",))
    joined = sets.both(one, own)

    def held(*principals: str) -> list[int]:
        return [int(sets.held(frozenset(principals), admin=False)[n]) for n in (one, own, joined)]

    assert held("group:a") == [1, 0, 0]
    assert held("team:x") == [0, 0, 0]
    assert held("team:x", "level:s", "group:b") == [1, 1, 1]
    assert held("group:b") == [0, 1, 0]


def test_nobody_is_closed_to_admins_and_an_empty_set_to_all_but_them() -> None:
    sets = ReaderSets()

    admin = sets.held(frozenset({"public"}), admin=True)
    reader = sets.held(frozenset({"public"}), admin=False)

    assert [admin[NOBODY], admin[EMPTY], admin[ANYONE]] == [0, 1, 1]
    assert [reader[NOBODY], reader[EMPTY], reader[ANYONE]] == [0, 0, 1]
    assert sets.both(NOBODY, ANYONE) == NOBODY


def test_reader_sets_survive_their_stored_form() -> None:
    sets = ReaderSets()
    joined = sets.both(sets.intern(("a & b", "c")), sets.intern(("d",)))

    again = ReaderSets.from_arrays(sets.arrays())

    assert [again.readers(n) for n in range(len(sets))] == [
        sets.readers(n) for n in range(len(sets))
    ]
    assert again.held(frozenset({"c", "d"}), admin=False)[joined] == 1
    assert again.intern(("d",)) == sets.intern(("d",))
