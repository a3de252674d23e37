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
from passageway_server.columns.ranges import in_parts
from passageway_server.engine.previews import bodies, size_of_bodies
from passageway_server.engine.selection import Selection
from passageway_server.engine.sizes import (
    DOUBLE,
    FRAME,
    Size,
    size_of_ints,
    size_of_texts,
    summed,
)
from passageway_server.values.collections import Kind
from passageway_server.values.records import Properties
from passageway_server.version import revisions
from passageway_server.version.version import Version

Rows = NDArray[np.int64]
Numbers = NDArray[np.int32]

NO_PROPERTIES: Properties = {}
"""Of each row that shows none."""

_IN_ENTRY = 3 * FRAME
"""What an entry of a map takes beside its key and its value."""

_LEAST = {Kind.KEYWORD: FRAME, Kind.TEXT: FRAME, Kind.TIME: DOUBLE, Kind.VECTOR: 4}
"""What a value of a kind, or a number of a vector, takes at the least, where that is not one byte."""

_FIXED = (Kind.BOOL, Kind.TIME, Kind.VECTOR)
"""Kinds whose values take no more than that."""

_AT_ONCE = 1 << 14  # values that are measured together


class ShownField(NamedTuple):
    """A property that some rows, or edge documents, hold."""

    name: str
    column: Column
    held: Holding


def fields_of(rows: NDArray[np.integer], columns: Iterable[tuple[str, Column]]) -> list[ShownField]:
    """What *rows* hold of *columns*; those that none holds are left out."""
    fields = [ShownField(name, column, column.holding(rows)) for name, column in columns]
    return [field for field in fields if len(field.held.places)]


def add_fields(size: Size, version: Version, fields: Iterable[ShownField]) -> None:
    """Count the values of *fields*, with the names, in *size*: what they take at the least first, by their number,
    and then what each takes more, some at a time. Raises LimitExceeded.
    """
    for name, column, held in fields:
        starts, counts = column.extents(held.entries)
        least = _LEAST.get(column.kind, 1)
        in_entry = len(name.encode()) + _IN_ENTRY
        size.add(in_entry * len(held.entries) + least * int(counts.sum()))
        if column.kind in _FIXED:
            continue
        for positions, _ in in_parts(starts, counts, _AT_ONCE):
            values = column.values[positions]
            if column.kind == Kind.KEYWORD:
                size.add(summed(version.keywords.strings, cast(Numbers, values)))
            elif column.kind == Kind.TEXT:
                size.add(summed(version.texts, cast(Numbers, values)))
            else:
                double = column.floats[positions] == 1
                of_ints = size_of_ints(cast(NDArray[np.int64], values)[~double])
                size.add(of_ints + DOUBLE * int(double.sum()) - least * len(positions))


def properties_of(version: Version, fields: Iterable[ShownField], count: int) -> list[Properties]:
    """By row, of which there are *count*: the values of *fields*."""
    shown: list[Properties] = [NO_PROPERTIES] * count
    for name, column, held in fields:
        values = column.held_in(held.entries, keywords=version.keywords, texts=version.texts)
        for place, value in zip(held.places.tolist(), values, strict=True):
            if shown[place] is NO_PROPERTIES:
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

    def add_to(
        self, size: Size, version: Version, *, selection: Selection, max_chars: int | None
    ) -> None:
        """Count in *size* what an answer shows, but links and readers. Raises LimitExceeded."""
        nodes, read, texts = version.nodes, self.read, version.texts
        total = FRAME * len(self.rows) + size_of_texts(nodes.ids.strings, self.rows)
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
        size.add(total)
        add_fields(size, version, self.fields)


def _projects(nodes: Nodes, rows: Rows, spans: NDArray[np.int64], parents: Numbers) -> Numbers:
    """The project of each of *rows*: a span, by its place among *spans*, has its parent's, if it has one."""
    origins = rows.copy()
    cut_from = parents[spans]
    origins[spans] = np.where(cut_from >= 0, cut_from, rows[spans])
    return nodes.project[origins]
