"""Strings within a few edits: as plain dynamic programming has it, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from passageway_server.columns import terms as module_of_terms
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.engine import near as module
from passageway_server.engine.kernels import edits as kernel
from passageway_server.engine.kernels import words as kernel_of_words
from passageway_server.engine.kernels.arrays import Sight, sealed
from passageway_server.engine.kernels.compiling import LOOK
from passageway_server.engine.near import Met, near
from passageway_server.errors import Cancelled
from passageway_server.values.halt import CALLER_GONE, GOES_ON, UNHALTED, Halt
from tests.oracle.texts import meets
from tests.unit.engine.stars import STEP, byte_of, stops
from tests.unit.engine.stopping import after

words = st.text(alphabet="abé日😀", max_size=7)


@pytest.mark.parametrize(
    ("word", "held", "edits"),
    [
        ("retry", "retry", 0),
        ("retry", "rety", 1),
        ("retry", "rettry", 1),
        ("retry", "retri", 1),
        ("retry", "rtery", 1),
        ("retry", "reyrt", 2),
        ("retry", "rty", 2),
        ("retry", "retrying", 3),
        ("retry", "etry", None),
        ("retry", "ertry", None),
        ("a", "ab", 1),
        ("a", "abc", 2),
        ("a", "a", 0),
        ("ab", "ba", None),
        ("ca", "abc", None),
        ("xca", "xabc", 3),  # swapped characters are not edited again
        ("日本語", "日語本", 1),
        ("한국어", "한국", 1),
        ("한국어", "국한어", None),
        ("café", "cafe", 1),
    ],
)
def test_edits_are_counted_in_characters_behind_the_first(
    word: str, held: str, edits: int | None
) -> None:
    terms = Terms.of([held])

    within = [len(near(terms.vocabulary, word, most)) for most in (0, 1, 2)]

    assert within == [int(edits is not None and edits <= most) for most in (0, 1, 2)]


@given(st.lists(words, max_size=30), st.lists(words, max_size=10), words.filter(bool))
def test_all_that_are_near_are_found_in_terms_that_grow(
    first: list[str], later: list[str], word: str
) -> None:
    terms = Terms.of(first)
    assert len(terms.vocabulary.numbers) == len({*first} - {""})
    grown = terms.interned(later)[0]

    for most in (0, 1, 2):
        found = grown.take(near(grown.vocabulary, word, most))
        assert sorted(found) == sorted(
            {held for held in (*first, *later) if held and meets(word, held, most)}
        )


def test_folded_strings_have_the_numbers_of_their_terms() -> None:
    terms = Terms.of(["Red", "", "ＲＥＤ", "straße"])
    assert near(terms.folded(UNHALTED), "red", 0).tolist() == [0, 2]
    terms = terms.interned(["STRASSE", "redd"])[0]

    assert sorted(near(terms.folded(UNHALTED), "strasse", 0).tolist()) == [3, 4]
    assert sorted(near(terms.folded(UNHALTED), "red", 1).tolist()) == [0, 2, 5]


def test_a_call_that_is_over_finds_nothing() -> None:
    halt = Halt()
    halt.cancel()

    with pytest.raises(Cancelled):
        near(Terms.of(["a"]).vocabulary, "a", 1, halt)


def test_what_was_folded_when_a_call_is_over_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_of_terms, "_FOLDED_AT_ONCE", 2)
    terms, halt = Terms.of([*"ABCDE"]), Halt()
    monkeypatch.setattr(Strings, "take", after(1, Strings.take, halt.cancel))

    with pytest.raises(Cancelled):
        terms.folded(halt)

    assert terms.vocabularies.folded.strings.take(range(2)) == ["a", "b"]
    assert near(terms.folded(UNHALTED), "e", 0).tolist() == [4]


def test_a_word_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terms, met = Terms.of(["red", "rod"]), Met()

    found = met.by(lambda: terms.vocabulary, "red", 1, UNHALTED)

    monkeypatch.setattr(module, "near", None)
    assert found.tolist() == [0, 1]
    assert met.by(lambda: terms.vocabulary, "red", 1, UNHALTED) is found


def test_strings_are_compared_up_to_the_halt() -> None:
    many = 4 * LOOK
    heap = np.frombuffer(b"a" * many, dtype=np.uint8)
    starts = np.arange(many)
    met = np.zeros(many, dtype=np.bool_)
    stop = byte_of(met, STEP)  # set by the verdict on that string

    kernel.near(
        heap,
        sealed(starts),
        sealed(starts + 1),
        sealed(np.array([ord("a")], dtype=np.int32)),
        0,
        np.empty(1, dtype=np.int32),
        np.empty(9, dtype=np.int64),
        met,
        stop,
    )

    assert np.count_nonzero(met) == STEP + 1


def test_postings_of_several_words_are_counted_up_to_the_halt() -> None:
    words, rows = 8, 2 * LOOK
    tally = kernel_of_words.Tally(
        amounts=np.zeros(rows),
        scores=np.zeros(rows),
        touched=np.empty(rows, dtype=np.int32),
        found=np.empty(rows, dtype=np.int32),
        counts=np.zeros(rows, dtype=np.int32),
        counted=np.empty(rows, dtype=np.int32),
    )
    firsts = np.arange(words) * rows
    several = kernel_of_words.Several(
        sealed(np.tile(np.arange(rows, dtype=np.int32), words)),
        sealed(np.full(words * rows, CALLER_GONE, dtype=np.int32)),
        sealed(np.zeros(0, dtype=np.uint8)),
        sealed(firsts),
        sealed(firsts + rows),
    )

    def counted(stop: NDArray[np.uint8]) -> int:
        sight = Sight(
            sealed(np.zeros(rows, dtype=np.int32)),
            sealed(np.zeros(rows, dtype=np.int64)),
            sealed(np.ones(1, dtype=np.uint8)),
            0,
            stop,
        )
        return kernel_of_words.count(several, sight, tally, 0)

    assert counted(stops(GOES_ON)) == rows
    assert (tally.counts == words * CALLER_GONE).all()
    tally.counts[:] = 0
    assert counted(byte_of(tally.counts, STEP)) == LOOK
    assert counted(stops(CALLER_GONE)) == 0
