"""Tests of bytes, of numbers and of translations agree with Python's own."""

import operator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from passageway_server.columns import comparing, numbers, translation
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms

text = st.text(alphabet="ab\u00e9\U0001f600", max_size=4)
SIGNS: dict[numbers.Sign, object] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
edges = [0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
ints = st.one_of(st.sampled_from(edges), st.integers(-(2**63), 2**63 - 1))
doubles = st.one_of(
    st.sampled_from([float(edge) for edge in edges] + [0.5, -0.0, 1.7e308, 5e-324]),
    st.floats(allow_nan=False, allow_infinity=False),
)


def bits_of(values: list[int | float]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The numbers as columns hold them: their bits, and which are a double's."""
    bits = [int(np.float64(v).view(np.int64)) if isinstance(v, float) else v for v in values]
    floats = [isinstance(value, float) for value in values]
    return np.array(bits, dtype=np.int64), np.array(floats, dtype=np.uint8)


@pytest.mark.parametrize("none", [Strings.of(), Strings.narrow()], ids=["64", "32"])
@pytest.mark.parametrize("passes", [0, 512])
@given(texts=st.lists(text, min_size=1, max_size=20), wanted=text)
@example(texts=["a", "aa", "ba"], wanted="aa")
@example(texts=["ab", "abab", "", "abba", "b"], wanted="bab")
@example(texts=["aba", "", "aab", "a"] * 4, wanted="aa")
def test_parts_are_found_as_in_strings(
    none: Strings, passes: int, texts: list[str], wanted: str
) -> None:
    entries = np.arange(len(texts)).repeat(1 + passes // len(texts))

    found = comparing.containing(none.extended(texts), entries, wanted).tolist()

    assert found == [wanted in texts[entry] for entry in entries.tolist()]


@pytest.mark.parametrize("length", [0, 7, 8, 1016, 1024, 1025, 5000])
def test_strings_are_the_same_to_their_last_byte(length: int) -> None:
    ours = Strings.of(["x" * length + end for end in ("a", "b", "", "aa", "é")])
    theirs = Strings.of(["", *("x" * length + end for end in ("b", "b", "", "aa", "é"))])
    entries = np.arange(5)

    same = comparing.same_strings(ours, entries, theirs, entries + 1).tolist()

    assert same == [False, True, True, True, True]


@given(
    st.lists(st.one_of(ints, doubles), max_size=12),
    st.one_of(ints, doubles, st.integers(-(10**400), 10**400)),
    st.sampled_from(sorted(SIGNS)),
)
def test_numbers_compare_exactly(
    values: list[int | float], number: float, sign: numbers.Sign
) -> None:
    bits, floats = bits_of(values)

    found = numbers.compare(bits, floats, sign, number).tolist()

    assert found == [SIGNS[sign](value, number) for value in values]  # type: ignore[operator]


@given(
    values=st.lists(st.one_of(ints, doubles), max_size=12),
    wanted=st.lists(
        st.one_of(ints, doubles, st.integers(-(10**400), 10**400)), min_size=1, max_size=6
    ),
    ints_alone=st.booleans(),
)
@example(values=[2**53 + 1, float(2**53), -0.0, 0], wanted=[2**53, 0.0], ints_alone=False)
@example(values=[2**63 - 1, float(2**63)], wanted=[float(2**63), 0.5], ints_alone=False)
def test_numbers_are_among_others_exactly(
    values: list[int | float], wanted: list[int | float], *, ints_alone: bool
) -> None:
    values = [value for value in values if not (ints_alone and isinstance(value, float))]
    bits, floats = bits_of(values)

    found = numbers.equal_to_any(bits, None if ints_alone else floats, wanted).tolist()

    assert found == [any(value == one for one in wanted) for value in values]


@given(st.sets(text), st.sets(text))
@example({f"s{i}" for i in range(3000)}, {f"s{i}" for i in range(0, 6000, 2)})
def test_translated_terms_are_the_same_strings(ours: set[str], theirs: set[str]) -> None:
    terms, target = Terms.of(sorted(ours)), Terms.of(sorted(theirs, reverse=True))

    found = translation.translated(terms, np.arange(len(terms)), target)

    assert sorted(target.take(found)) == sorted(ours & theirs)
