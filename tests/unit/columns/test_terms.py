"""Strings and terms agree with lists and dicts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.columns.growing import Growing
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
