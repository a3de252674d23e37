"""The words of a version: which texts are searched, and what became of them since a version before.

Searched are the name and content of nodes and spans, and their declared text fields, of rows that stand and whose type is
not declared ``indexed: false``. Whether a caller may read a row or a field is another question, asked by each search.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.nodes import ABSENT
from passageway_server.columns.strings import Strings
from passageway_server.columns.words.index import Field, Texts, Words
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.version.contents import Contents

Rows = NDArray[np.int32]

BUILT_IN = ("name", "content")
"""The searched fields of every row."""

LANGUAGE = "english"
"""That of a collection that names none."""


def fields_of(contents: Contents) -> tuple[Field, ...]:
    """The fields that are searched: the built-in ones, and the others by name.

    A text field that is hidden behind a built-in one of its name is not.
    """
    columns, settings = contents.nodes.properties, contents.settings
    declared = {field.name: field for field in settings.fields}
    texts = {name for name, column in columns.items() if column.kind == Kind.TEXT}
    return (
        *(Field(name, language_of(None, settings)) for name in BUILT_IN),
        *(
            Field(name, language_of(declared.get(name), settings))
            for name in sorted(texts - {*BUILT_IN})
        ),
    )


def language_of(field: FieldDeclaration | None, settings: CollectionSettings) -> str:
    """The language of a declared text field; that of a built-in one where it is None."""
    own = field.language if field is not None else ""
    return own or settings.language or LANGUAGE


def words_of(contents: Contents) -> Words:
    """The words of *contents*, by a look at every text."""
    rows = np.arange(len(contents.nodes), dtype=np.int32)
    return _put(Words.none(fields_of(contents), 0), contents, rows[:0], rows)


def followed(words: Words, before: Contents, after: Contents, rows: Rows) -> Words:
    """The words of *after*: those of *before* are *words*, and but for *rows*, which ascend, texts are the same.

    Both number their texts alike.
    """
    fields = fields_of(after)
    if not set(fields).issuperset(words.fields):
        return words_of(after)
    other = (_held(before, fields, rows) != _held(after, fields, rows)).any(axis=1)
    changed = rows[other]
    old = changed[changed < len(before.nodes)]
    return _put(words.over(fields), after, old, changed)


def merged(words: Words, contents: Contents) -> Words:
    """The *words* of *contents*, in one part for each field; the same object where they are that."""
    return words.merged(fields_of(contents))


def searched_alike(one: CollectionSettings, other: CollectionSettings) -> bool:
    """Whether the same texts are searched under both settings, in the same languages."""
    same = one.language == other.language and _unindexed(one) == _unindexed(other)
    return same and _texts(one) == _texts(other)


def _put(words: Words, contents: Contents, gone: Rows, rows: Rows) -> Words:
    rows = rows[searched_among(contents, rows)]
    texts: dict[int, Texts] = {}
    for number, field in enumerate(words.fields):
        held = _entries(contents, field.name, rows)
        if len(held.rows):
            texts[number] = Texts(held.rows, _Joined(contents.texts, held))
    return words.changed(len(contents.nodes), gone, texts)


def _held(contents: Contents, fields: Sequence[Field], rows: Rows) -> NDArray[np.int32]:
    """By row: numbers of what it has in each of *fields* that is searched; -1 where there is nothing."""
    numbers = np.full((len(rows), len(fields)), -1, dtype=np.int32)
    there = np.flatnonzero(rows < len(contents.nodes))
    there = there[searched_among(contents, rows[there])]
    for number, field in enumerate(fields):
        held = _entries(contents, field.name, rows[there])
        numbers[there[held.places], number] = held.numbers
    return numbers


def searched_among(contents: Contents, rows: Rows) -> NDArray[np.bool_]:
    """Which of *rows* stand, and are of a type that is searched."""
    nodes = contents.nodes
    indexed: NDArray[np.bool_] = nodes.kind[rows] != ABSENT
    unindexed = unsearched_types(contents)
    if len(unindexed):
        indexed &= ~np.isin(nodes.type[rows], unindexed)
    return indexed


def searched_types(contents: Contents) -> NDArray[np.uint8] | None:
    """By type of a node: 1 where rows of it are searched; None where those of every type are."""
    unsearched = unsearched_types(contents)
    if not len(unsearched):
        return None
    table = np.ones(len(contents.types), dtype=np.uint8)
    table[unsearched] = 0
    return table


def unsearched_types(contents: Contents) -> NDArray[np.int32]:
    """The types, by number, whose rows are not searched."""
    found = contents.types.find_all(sorted(_unindexed(contents.settings)))
    return found[found >= 0]


class _Entries(NamedTuple):
    """What some rows hold in one field: those of them that hold it, and of each its entries among the texts."""

    rows: Rows
    places: NDArray[np.int64]  # among the rows that were asked for
    numbers: NDArray[np.int32]  # other for each put
    entries: NDArray[np.int32]
    bounds: NDArray[np.int64]


def _entries(contents: Contents, field: str, rows: Rows) -> _Entries:
    nodes = contents.nodes
    if field in BUILT_IN:
        entries = (nodes.name if field == "name" else nodes.content)[rows]
        places = entries.nonzero()[0]
        entries = entries[places]
        return _Entries(rows[places], places, entries, entries, np.arange(len(entries) + 1))
    column = nodes.properties.get(field)
    if column is None:
        return _entries(contents, "name", rows[:0])
    held = column.holding(rows)
    positions, owners = column.spread(held.entries)
    bounds = np.append(0, np.cumsum(np.bincount(owners, minlength=len(held.entries))))
    entries = column.values[positions].astype(np.int32)
    return _Entries(rows[held.places], held.places, held.entries, entries, bounds)


class _Joined(Sequence[str]):
    """The texts of rows: of one that holds several, these as one. Each is made when it is asked for."""

    def __init__(self, texts: Strings, held: _Entries) -> None:
        self._texts = texts
        self._held = held

    def __len__(self) -> int:
        return len(self._held.rows)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, int):
            return self[place : place + 1][0]
        start, stop, _ = place.indices(len(self))
        bounds = self._held.bounds[start : stop + 1].tolist()
        texts = self._texts.take(self._held.entries[bounds[0] : bounds[-1]])
        if len(texts) == len(bounds) - 1:
            return texts
        return ["\n".join(texts[a - bounds[0] : b - bounds[0]]) for a, b in pairwise(bounds)]


def _unindexed(settings: CollectionSettings) -> set[str]:
    return {one.name for one in settings.ontology.node_types if one.indexed is False}


def _texts(settings: CollectionSettings) -> set[tuple[str, str]]:
    return {(one.name, one.language) for one in settings.fields if one.kind == Kind.TEXT}
