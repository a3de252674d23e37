"""Words by row, however they came about."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from passageway_server.columns.words import index
from passageway_server.columns.words.analysis import Analysis
from passageway_server.columns.words.index import Field, Texts, Words
from passageway_server.columns.words.part import Part

FIELDS = (Field("name", "english"), Field("content", "english"))
VOCABULARY = ["ant", "bees", "cow_bell", "日本語", "dog", "emu", "it's"]
Model = dict[tuple[int, int], str]
"""By field and row: a text."""


def held(words: Words) -> dict[tuple[str, str, int], int]:
    """By field, word and row: how often; each only once."""
    found: dict[tuple[str, str, int], int] = {}
    for field, parts in zip(words.fields, words.parts, strict=True):
        for part in parts:
            whole = Part.joined([part]).check(words=len(words.terms), rows=1 << 20)
            for number in whole.words.tolist():
                some = slice(*whole.slots(number))
                for row, count in zip(whole.rows[some], whole.counts[some], strict=True):
                    key = field.name, words.terms[number], int(row)
                    assert key not in found
                    found[key] = int(count)
    return found


def expected(model: Model) -> dict[tuple[str, str, int], int]:
    analysis = Analysis("english")
    return {
        (FIELDS[field].name, word, row): count
        for (field, row), text in model.items()
        for word, count in Counter(analysis.words(text)).items()
    }


def lengths(model: Model, rows: int) -> list[list[int]]:
    analysis = Analysis("english")
    found = [[0] * rows for _ in FIELDS]
    for (field, row), text in model.items():
        found[field][row] = len(analysis.words(text))
    return found


def changed(rng: Random, words: Words, model: Model, rows: int) -> Words:
    """Some rows put anew, some taken away, in both."""
    gone = sorted(rng.sample(range(rows), rng.randint(0, min(rows, 6))))
    texts: dict[int, Texts] = {}
    for field in range(len(FIELDS)):
        put = [row for row in gone if rng.random() < 0.7]
        some = [" ".join(rng.choices(VOCABULARY, k=rng.randint(0, 6))) for _ in put]
        texts[field] = Texts(np.array(put, dtype=np.int32), some)
        for row in gone:
            model.pop((field, row), None)
        model |= {(field, row): text for row, text in zip(put, some, strict=True)}
    return words.changed(rows, np.array(gone, dtype=np.int32), texts)


@pytest.mark.parametrize("seed", range(60))
def test_words_of_changes_are_those_of_the_texts_that_are_left(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = Random(seed)
    monkeypatch.setattr(index, "_MOST_JOINED", rng.choice((0, 20, 1 << 16)))
    rows, model, words = 5, Model(), Words.none(FIELDS, 5)
    kept: list[tuple[Words, dict[tuple[str, str, int], int]]] = []

    for _ in range(30):
        rows += rng.choice((0, 0, 1, 7))
        words = changed(rng, words, model, rows)
        if rng.random() < 0.1:
            words = words.merged(FIELDS)
            assert words.is_whole(FIELDS)
            assert words.merged(FIELDS) is words
        kept.append((words, expected(model)))
        assert [one.array.tolist() for one in words.lengths] == lengths(model, rows)

    for version, then in kept:
        assert held(version) == then


def test_parts_of_commits_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words.none(FIELDS, 1000)
    for row in range(1000):
        text = Texts(np.array([row], dtype=np.int32), [f"ant {row}"])
        words = words.changed(1000, text.rows, {1: text})

    assert len(words.parts[1]) <= 12


def test_a_merge_orders_the_fields_and_leaves_out_words_of_no_row() -> None:
    more = (*FIELDS, Field("alias", "english"))
    words = Words.none(FIELDS, 2).over(more[::-1])
    put = {2: Texts(np.array([0, 1], np.int32), ["gone words", "kept word"])}
    words = words.changed(2, np.array([], np.int32), put)
    words = words.changed(2, np.array([0], np.int32), {})

    whole = words.merged(more)

    assert whole.fields == more
    assert sorted(whole.terms.take(range(len(whole.terms)))) == ["kept", "word"]
    assert held(whole) == {("alias", "kept", 1): 1, ("alias", "word", 1): 1}


def test_what_is_stored_comes_back() -> None:
    words = Words.none(FIELDS, 3)
    put = {1: Texts(np.array([0, 2], np.int32), ["ants and bees", "bee"])}
    words = words.changed(3, np.array([], np.int32), put).merged(FIELDS)

    again = Words.from_arrays(FIELDS, words.arrays(), rows=3)

    assert again is not None
    assert held(again) == held(words)
    assert again.is_whole(FIELDS)


def test_words_that_other_rules_made_are_not_taken() -> None:
    arrays = Words.none(FIELDS, 3).arrays()
    made_by = arrays["made_by"].copy()
    made_by[0] += 1

    assert Words.from_arrays(FIELDS, arrays, rows=3) is not None
    assert Words.from_arrays(FIELDS, arrays | {"made_by": made_by}, rows=3) is None


@pytest.mark.parametrize("rows", [0, 2])
def test_other_arrays_are_refused(rows: int) -> None:
    words = Words.none(FIELDS, 3)
    put = {1: Texts(np.array([0, 2], np.int32), ["ants and bees", "bee"])}
    arrays = words.changed(3, np.array([], np.int32), put).merged(FIELDS).arrays()

    with pytest.raises(ValueError, match="rows"):
        Words.from_arrays(FIELDS, arrays, rows=rows)
    for name in ("words", "rows", "counts", "offsets"):
        for value in (-7, 1 << 30):
            spoilt = arrays[f"1.{name}"].copy()
            spoilt[-1] = value
            if name == "counts" and value > 0:
                continue
            with pytest.raises(ValueError, match=r"post|word|arrays"):
                Words.from_arrays(FIELDS, arrays | {f"1.{name}": spoilt}, rows=3)
