"""Texts that have some words: by the postings of these, where a field is searched, else by a look at the texts.

Rows of types that are not searched have no postings, and edges have none: what they hold is taken apart for each call.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.gates import Gate
from passageway_server.columns.words.analysis import Analysis, in_parts
from passageway_server.columns.words.part import Part
from passageway_server.engine.held import Held, Mask, Rows, of_rows
from passageway_server.engine.predicate import KnownField, Source, Worded
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version
from passageway_server.version.wording import BUILT_IN, unsearched_types

_STEP: Final = 16  # postings are gone through while one row is looked for among them

_Choice = list[int]
"""The numbers of words, all of which a text has."""


def rows_that_meet(test: Worded, version: Version, rows: Rows | None, gate: Gate) -> Mask:
    """Which of *rows* (None: all) meet *test*: bool[rows]. Raises OutOfTime, DeadlineExceeded, Cancelled."""
    parts = _parts(test.field, version)
    if parts is None:
        return holders_that_meet(test, of_rows(test.field, version, rows, gate), gate.halt)
    if rows is None:
        rows = np.arange(len(version.nodes), dtype=np.int32)
    met = _by_postings(parts, _choices(test, version), rows, len(version.nodes), gate.halt)
    unclear = _without_postings(version, rows)
    if any(len(choice) > 1 for choice in test.choices):
        those = met.nonzero()[0]
        unclear[those[_hold_several(test.field, version, rows[those])]] = True
    if unclear.any():
        held = of_rows(test.field, version, rows[unclear], gate)
        met[unclear] = holders_that_meet(test, held, gate.halt)
    return met


def rows_that_may_meet(test: Worded, version: Version, halt: Halt) -> Rows | None:
    """Rows among which are all that may meet *test*, ascending; None where that takes a look at each.

    Raises DeadlineExceeded, Cancelled.
    """
    parts = _parts(test.field, version)
    if parts is None:
        return None
    single, several = _choices(test, version)
    found: list[Rows] = [_having_one(parts, single)]
    for choice in several:
        halt.spent()
        found.append(_having(parts, choice))
    unsearched = unsearched_types(version.contents)
    if len(unsearched):
        found.append(np.isin(version.nodes.type.whole, unsearched).nonzero()[0])
    return united(*found)


def holders_that_meet(test: Worded, held: Held, halt: Halt) -> Mask:
    """Which candidates hold a text that meets *test*, by taking each apart.

    Raises OutOfTime, DeadlineExceeded, Cancelled.
    """
    assert held.texts is not None
    analysis = Analysis(test.language)
    single = {choice[0] for choice in test.choices if len(choice) == 1}
    several = [choice for choice in test.choices if len(choice) > 1]
    met = np.zeros(len(held.values), dtype=np.bool_)
    for place in held.values.nonzero()[0].tolist():  # entry 0 is the empty text
        text, words = held.texts[int(held.values[place])], set[str]()
        for part in in_parts(text, 0, len(text)):
            halt.check()
            words.update(analysis.words(part))
        met[place] = not single.isdisjoint(words) or any(map(words.issuperset, several))
    return held.any(met)


def _parts(field: KnownField, version: Version) -> Sequence[Part] | None:
    """Where the postings of *field* are; None where it is not searched: a built-in field hides it."""
    if field.source == Source.PROPERTY and field.name in BUILT_IN:
        return None
    words = version.words
    names = [one.name for one in words.fields]
    return words.parts[names.index(field.name)] if field.name in names else ()


def _choices(test: Worded, version: Version) -> tuple[NDArray[np.int32], list[_Choice]]:
    """The choices whose words some row has: those of one word, and the others."""
    words = list(dict.fromkeys(word for choice in test.choices for word in choice))
    number = dict(zip(words, version.words.terms.find_all(words).tolist(), strict=True))
    choices = [[number[word] for word in choice] for choice in test.choices]
    known = [choice for choice in choices if min(choice) >= 0]
    single = [choice[0] for choice in known if len(choice) == 1]
    return np.array(single, dtype=np.int32), [choice for choice in known if len(choice) > 1]


def _by_postings(
    parts: Sequence[Part],
    choices: tuple[NDArray[np.int32], list[_Choice]],
    rows: Rows,
    count: int,
    halt: Halt,
) -> Mask:
    """Which of *rows*, of *count* in all, have the words of one of *choices*."""
    single, several = choices
    postings = sum(
        int((lasts - firsts).sum()) for firsts, lasts in (p.ranges(single) for p in parts)
    )
    for choice in several:
        halt.check()
        postings += _rarest(parts, choice)[1]
    every = [*([number] for number in single.tolist()), *several]
    if _STEP * len(every) * len(rows) < postings + count // _STEP:
        met = np.zeros(len(rows), dtype=np.bool_)
        for choice in every:
            halt.check()
            met |= np.logical_and.reduce([_has(parts, number, rows) for number in choice])
        return met
    marks = np.zeros(count, dtype=np.bool_)
    marks[_having_one(parts, single)] = True
    for choice in several:
        halt.check()
        marks[_having(parts, choice)] = True
    return marks[rows]


def _having_one(parts: Sequence[Part], words: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows that have one of *words*."""
    none = np.empty(0, dtype=np.int32)
    return np.concatenate([none, *(part.having(words) for part in parts)])


def _having(parts: Sequence[Part], choice: _Choice) -> NDArray[np.int32]:
    """The rows that have all words of *choice*."""
    rarest, _ = _rarest(parts, choice)
    rows = _having_one(parts, np.array([rarest], dtype=np.int32))
    for number in choice:
        if number != rarest:
            rows = rows[_has(parts, number, rows)]
    return rows


def _rarest(parts: Sequence[Part], choice: _Choice) -> tuple[int, int]:
    """The word of *choice* that has the fewest postings, and how many."""
    counts = [sum(last - first for first, last in (p.slots(n) for p in parts)) for n in choice]
    fewest = min(counts)
    return choice[counts.index(fewest)], fewest


def _has(parts: Sequence[Part], number: int, rows: Rows) -> Mask:
    met = np.zeros(len(rows), dtype=np.bool_)
    for part in parts:
        met |= part.has(number, rows)
    return met


def _without_postings(version: Version, rows: Rows) -> Mask:
    """Which of *rows* are of a type that is not searched."""
    unsearched = unsearched_types(version.contents)
    if not len(unsearched):
        return np.zeros(len(rows), dtype=np.bool_)
    return np.isin(version.nodes.type[rows], unsearched)


def _hold_several(field: KnownField, version: Version, rows: Rows) -> NDArray[np.integer]:
    """The places of those of *rows* that hold several texts: postings do not tell which of them has a word."""
    column = version.nodes.properties.get(field.name)
    if field.source == Source.BUILT_IN or column is None:
        return np.empty(0, dtype=np.int64)
    held = column.holding(rows)
    _, counts = column.extents(held.entries)
    return held.places[counts > 1]
