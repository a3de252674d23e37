"""What rows of an answer show, as numbers: read once, then measured, and only then made into texts.

So a part that no channel would carry costs no memory. Only what the answer shows counts: nothing can be told from
its size of rows that are hidden.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.nodes import SPAN, Nodes
from passageway_server.columns.properties import Column, Holding
from passageway_server.engine.previews import bodies, size_of_bodies
from passageway_server.engine.selection import Selection
from passageway_server.engine.sizes import size_of_texts, summed
from passageway_server.values.collections import Kind
from passageway_server.values.records import Properties
from passageway_server.version import revisions
from passageway_server.version.version import Version

Rows = NDArray[np.int64]
Numbers = NDArray[np.int32]

_BYTES_OF_A_NUMBER = 8
_NO_PROPERTIES: Properties = {}


class ShownField(NamedTuple):
    """A property that some rows, or edge documents, hold."""

    name: str
    column: Column
    held: Holding


def fields_of(rows: NDArray[np.integer], columns: Iterable[tuple[str, Column]]) -> list[ShownField]:
    """What *rows* hold of *columns*; those that none holds are left out."""
    fields = [ShownField(name, column, column.holding(rows)) for name, column in columns]
    return [field for field in fields if len(field.held.places)]


def size_of_fields(version: Version, fields: Iterable[ShownField]) -> int:
    """The bytes of the values of *fields*, with the names."""
    total = 0
    for name, column, held in fields:
        positions = column.positions(held.entries)
        total += len(name.encode()) * len(held.entries)
        if column.kind in (Kind.KEYWORD, Kind.TEXT):
            of_keywords = column.kind == Kind.KEYWORD
            strings = version.keywords.strings if of_keywords else version.texts
            total += summed(strings, cast(Numbers, column.values[positions]))
        else:
            total += _BYTES_OF_A_NUMBER * len(positions)
    return total


def properties_of(version: Version, fields: Iterable[ShownField], count: int) -> list[Properties]:
    """By row, of which there are *count*: the values of *fields*."""
    shown: list[Properties] = [_NO_PROPERTIES] * count
    for name, column, held in fields:
        values = column.held_in(held.entries, keywords=version.keywords, texts=version.texts)
        for place, value in zip(held.places.tolist(), values, strict=True):
            if shown[place] is _NO_PROPERTIES:
                shown[place] = {name: value}
            else:
                shown[place][name] = value
    return shown


@dataclass(frozen=True, slots=True)
class ShownNodes:
    """Nodes and spans of an answer: numbers by row, None where nobody asks for them."""

    rows: Rows
    read: dict[str, NDArray[Any]]  # arrays of `Nodes` at these rows, by name
    spans: NDArray[np.int64]  # the places of spans among the rows
    projects: Numbers | None
    bodies: Numbers | None  # as `previews.bodies` gives them
    fields: list[ShownField]

    @classmethod
    def of(
        cls,
        version: Version,
        rows: Rows,
        columns: Iterable[tuple[str, Column]],
        *,
        selection: Selection,
        max_chars: int | None,
        hidden: frozenset[str],
    ) -> "ShownNodes":
        """What is shown of *rows*: with properties of *columns*, and contents of *max_chars* (None: all of each)."""
        nodes, asks = version.nodes, selection.asks
        names = [name for name in ("name", "content", "status", "covered") if asks(name)]
        if selection.links or selection.everything:
            names += ["first_link", "link_count"]
        names += ["kind", "type", "parent", "readers"]
        arrays = ByRow.read_all((getattr(nodes, name) for name in names), rows)
        read = dict(zip(names, arrays, strict=True))
        spans = (read["kind"] == SPAN).nonzero()[0]
        shown = read.get("content")
        if shown is not None and max_chars is not None:
            shown = bodies(version, rows, shown, hidden=hidden)
        projects = _projects(nodes, rows, spans, read["parent"]) if asks("project") else None
        return cls(rows, read, spans, projects, shown, fields_of(rows, columns))

    def size(self, version: Version, *, selection: Selection, max_chars: int | None) -> int:
        """The bytes that an answer shows, without links and readers."""
        nodes, read, texts = version.nodes, self.read, version.texts
        total = size_of_texts(nodes.ids.strings, self.rows)
        total += summed(version.types.strings, read["type"])
        if "name" in read:
            total += summed(texts, read["name"])
        if "status" in read:
            total += summed(version.statuses.strings, read["status"])
        if self.projects is not None:
            total += summed(version.projects.strings, self.projects)
        if self.bodies is not None:
            total += size_of_bodies(version, self.bodies, max_chars)
        if selection.revision:
            total += revisions.LENGTH * len(self.rows)
        if len(self.spans):
            total += summed(nodes.ids.strings, read["parent"][self.spans])
            total += summed(texts, nodes.breadcrumb[self.rows[self.spans]])
        return total + size_of_fields(version, self.fields)


def _projects(nodes: Nodes, rows: Rows, spans: NDArray[np.int64], parents: Numbers) -> Numbers:
    """The project of each of *rows*: a span, by its place among *spans*, has its parent's, if it has one."""
    origins = rows.copy()
    cut_from = parents[spans]
    origins[spans] = np.where(cut_from >= 0, cut_from, rows[spans])
    return nodes.project[origins]
