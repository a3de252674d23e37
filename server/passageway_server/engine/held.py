"""What the candidates of a filter hold in one field: their values, side by side, and whose they
are.

Candidates are rows (all of them, or those asked about) or edges by key. A test is made on
values alone; `Held.any` then says which candidates have a value that met it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.gates import Gate
from passageway_server.columns.growing import Growing
from passageway_server.columns.properties import Column
from passageway_server.columns.stored import are_docs, link_positions
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.engine.holders import positions_of_links
from passageway_server.engine.kernels.arrays import Sight, sealed
from passageway_server.engine.kernels.held import spread, values_of, visible_links
from passageway_server.engine.predicate import KnownField, Source
from passageway_server.values.collections import Kind
from passageway_server.version.version import Version

Mask = NDArray[np.bool_]
Rows = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Held:
    """The values of k candidates in one field.

    With ``owners``, values[i] belongs to candidate owners[i]. With ``places``, candidate i has
    values[places[i]], and nothing where that is -1. With neither, values[i] belongs to candidate i
    where ``held[i]``. Strings are numbers of ``terms``, or entries of ``texts``.
    """

    values: NDArray[Any]
    held: Mask  # by candidate: it has a value
    owners: Rows | None = None
    places: Rows | None = None
    floats: NDArray[np.uint8] | None = None  # by value: its bits are a double's; None: none is
    terms: Terms | None = None
    texts: Strings | None = None

    def any(self, met: Mask) -> Mask:
        """Which candidates have a value that *met* the test: bool[k] of bool[values]."""
        if self.owners is not None:
            found = np.zeros(len(self.held), dtype=np.bool_)
            found[self.owners[met]] = True
            return found
        if self.places is not None:
            return np.append(met, False)[self.places]
        return met & self.held


def of_rows(field: KnownField, version: Version, rows: Rows | None, gate: Gate) -> Held:
    """What *rows* (None: all) hold in *field*; a link field holds ids of open rows alone."""
    if field.source == Source.BUILT_IN:
        return _built_in(field.name, version, rows)
    if field.source == Source.LINK:
        return _links(field.name, version, rows, gate)
    column = version.nodes.properties.get(field.name)
    if column is None:
        count = len(version.nodes) if rows is None else len(rows)
        return _property(version, None, field.kind, np.full(count, -1, dtype=np.int32))
    return _property(
        version, column, field.kind, column.at.whole if rows is None else column.at[rows]
    )


def of_edges(field: KnownField, version: Version, stored: Rows) -> Held:
    """What the edges of the keys *stored* hold in *field*.

    A link or a span's edge has no properties and no id.
    """
    docs, links, are_documents = version.docs, version.links, are_docs(stored)
    everywhere = np.ones(len(stored), dtype=np.bool_)

    def either(of_docs: ByRow[np.int32], of_links: Growing[np.int32]) -> NDArray[np.int32]:
        if are_documents.all():
            return of_docs[stored]
        values = np.empty(len(stored), dtype=np.int32)
        values[are_documents] = of_docs[stored[are_documents]]
        values[~are_documents] = of_links.array[link_positions(stored[~are_documents])]
        return values

    if field.source == Source.PROPERTY:
        column = docs.properties.get(field.name)
        entries = np.full(len(stored), -1, dtype=np.int32)
        if column is not None:
            entries[are_documents] = column.at[stored[are_documents]]
        return _property(version, column, field.kind, entries)
    match field.name:
        case "id":
            owners = np.flatnonzero(are_documents)
            return Held(stored[owners], are_documents, owners, terms=docs.ids)
        case "source":
            return Held(either(docs.source, links.source), everywhere, terms=version.nodes.ids)
        case "target":
            return Held(either(docs.target, links.target), everywhere, terms=version.nodes.ids)
        case "type":
            types = either(docs.type, links.field)
            return Held(types, types > 0, terms=version.edge_types)
        case _:
            weights = version.weights_at(stored)
            floats = everywhere.view(np.uint8)
            return Held(weights.view(np.int64), everywhere, floats=floats)


def _built_in(name: str, version: Version, rows: Rows | None) -> Held:
    nodes = version.nodes
    if name == "id":
        numbers = np.arange(len(nodes), dtype=np.int32) if rows is None else rows
        return Held(numbers, np.ones(len(numbers), dtype=np.bool_), terms=nodes.ids)
    if name == "project":  # a span has its parent's
        gates = version.gates
        values = gates.project[gates.of if rows is None else gates.of[rows]]
        return Held(values, values > 0, terms=version.projects)
    column: ByRow[np.int32] = getattr(nodes, name)
    values = column.whole if rows is None else column[rows]
    if name in ("name", "content"):
        return Held(values, values > 0, texts=version.texts)
    terms = version.types if name == "type" else version.statuses
    return Held(values, values > 0, terms=terms)


def _property(
    version: Version, column: Column | None, kind: Kind, entries: NDArray[np.int32]
) -> Held:
    """What candidates hold in *column* whose *entries* are given, -1 for none; of vectors no more than who has one."""
    terms = version.keywords if kind == Kind.KEYWORD else None
    texts = version.texts if kind == Kind.TEXT else None
    held = entries >= 0
    if column is None or not len(column.many) or kind == Kind.VECTOR:
        nothing = np.empty(0, dtype=np.int64)
        return Held(nothing, held, owners=nothing, terms=terms, texts=texts)
    values, floats = column.values, column.floats if column.doubles else None
    if len(values) > len(column.many):
        places, owners = _spread(column, entries)
        doubles = None if floats is None else floats[places]
        return Held(values[places], held, owners, None, doubles, terms, texts)
    if len(entries) < len(values):
        doubles = None if floats is None else floats[entries]
        return Held(values[entries], held, None, None, doubles, terms, texts)
    return Held(values, held, None, entries, floats, terms, texts)


def _spread(column: Column, entries: NDArray[np.int32]) -> tuple[Rows, Rows]:
    """Where the values of *entries* (-1: none) are in *column*; and whose they are, ascending."""
    entries, bounds = sealed(entries), sealed(column.bounds)
    count = values_of(entries, bounds)
    owners, places = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int64)
    spread(entries, bounds, owners, places)
    return places, owners


def _links(name: str, version: Version, rows: Rows | None, gate: Gate) -> Held:
    if rows is None:
        targets, owners = _all_links(name, version, gate)
    else:
        targets, owners = _links_of(name, version, rows, gate)
    held = np.zeros(len(version.nodes) if rows is None else len(rows), dtype=np.bool_)
    held[owners] = True
    return Held(targets, held, owners=owners, terms=version.nodes.ids)


def _all_links(name: str, version: Version, gate: Gate) -> tuple[Rows, Rows]:
    """Targets and sources of the links *name* to open rows."""
    positions = positions_of_links(version, name)
    targets = version.links.target.array[positions]
    visible = version.gates.open(gate, targets)
    return targets[visible], version.links.source.array[positions][visible]


def _links_of(name: str, version: Version, rows: Rows, gate: Gate) -> tuple[Rows, Rows]:
    """Targets of the links *name* of *rows* to open rows; and whose they are, ascending."""
    nodes, links = version.nodes, version.links
    counts = nodes.link_count[rows]
    owners, targets = np.empty((2, int(counts.sum())), dtype=np.int32)
    seen = visible_links(
        sealed(nodes.first_link[rows]),
        sealed(counts),
        sealed(links.field.array),
        sealed(links.target.array),
        version.edge_types.find(name),
        Sight.of(version.gates, gate),
        owners,
        targets,
    )
    return targets[:seen], owners[:seen]
