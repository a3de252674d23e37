"""Tests of texts by kernels, and sets of texts, agree with Python's own."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from passageway_server.columns.strings import Strings
from passageway_server.engine import texts
from passageway_server.engine.kernels import texts as kernel
from passageway_server.engine.ordering import ByStrings, standings
from passageway_server.engine.texts import TextSet
from passageway_server.values.halt import UNHALTED, Halt, OutOfTime

ends = st.text(alphabet="ab\0\u00e9\uffff\U0001f600", max_size=4)
stems = st.sampled_from([0, 1, 12, 15, 16, 17, 63, 64, 65, 200]).map("x".__mul__)
long = st.builds("".join, st.tuples(stems, ends, stems))


BOUNDS = pytest.mark.parametrize("none", [Strings.of(), Strings.narrow()], ids=["64", "32"])
"""Strings whose bounds have so many bits."""


@BOUNDS
@given(found=st.lists(long, min_size=1, max_size=20), wanted=long)
@example(found=["x" * 64 + "a" + "x" * 63, "x" * 128, "x" * 127], wanted="x" * 128)
def test_texts_compare_as_strings_do(none: Strings, found: list[str], wanted: str) -> None:
    strings, entries = none.extended(found), np.arange(len(found)).repeat(2)

    signs = texts.order(strings, entries, wanted).tolist()

    assert signs[::2] == [(one > wanted) - (one < wanted) for one in found]
    assert texts.equal(strings, entries, wanted)[::2].tolist() == [one == wanted for one in found]
    for test, plain in ((texts.starting, str.startswith), (texts.ending, str.endswith)):
        assert test(strings, entries, wanted)[1::2].tolist() == [
            plain(one, wanted) for one in found
        ]


@BOUNDS
@given(own=st.lists(long, max_size=30), asked=st.lists(long, max_size=30))
def test_a_set_holds_its_texts_and_no_others(
    none: Strings, own: list[str], asked: list[str]
) -> None:
    found = TextSet.of(none.extended(own), np.arange(len(own)))
    others = none.extended([*asked, *own])

    assert found is not None
    assert found.strings.take(found.entries) == list(dict.fromkeys(own))
    held = found.holds(others, np.arange(len(others))).tolist()
    assert held == [one in own for one in [*asked, *own]]


def test_texts_of_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        texts, "_weights", lambda: np.array([0] * kernel.BLOCK + [1], dtype=np.uint64)
    )
    own = [f"{number:04}" for number in range(0, 200, 2)]
    strings = Strings.of([f"{number:04}" for number in range(200)])

    found = TextSet.of(Strings.of(own * 2), np.arange(200))

    assert found is not None
    assert found.strings.take(found.entries) == own
    assert found.holds(strings, np.arange(200)).tolist() == [True, False] * 100


def test_a_set_of_too_many_texts_is_none() -> None:
    strings = Strings.of(["a", "b", "a", "c", "b"])

    assert TextSet.of(strings, np.arange(5), most=2) is None
    most = TextSet.of(strings, np.arange(5), most=3)
    assert most is not None
    assert len(most) == 3


def test_a_set_is_not_made_for_nobody() -> None:
    halt, strings = Halt(), Strings.of(["a", "b"])
    found = TextSet.of(strings, np.arange(2), halt=halt)
    assert found is not None
    halt.time_out()

    with pytest.raises(OutOfTime):
        TextSet.of(strings, np.arange(2), halt=halt)
    with pytest.raises(OutOfTime):
        found.holds(strings, np.arange(2), halt)


@given(st.lists(long, max_size=30))
def test_long_texts_are_ordered_as_strings(found: list[str]) -> None:
    found = ["x" * 60 + one for one in found]
    every = ByStrings(Strings.of(found), np.arange(len(found)), UNHALTED)

    stand = standings(
        [lambda places: ByStrings(every.strings, places, UNHALTED)], len(found), halt=UNHALTED
    )

    assert stand.tolist() == [sum(other < one for other in found) for one in found]
