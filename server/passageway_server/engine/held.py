"""What the candidates of a filter hold in one field: their values, side by side, and whose they
are.

Candidates are rows (all of them, or those asked about) or edges by stored number. A test is made on
values alone; `Held.any` then says which candidates have a value that met it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.properties import Column
from passageway_server.columns.ranges import side_by_side
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.engine.holders import link_positions
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
    return _property(version, column, field.kind, column.at if rows is None else column.at[rows])


def of_edges(field: KnownField, version: Version, stored: Rows) -> Held:
    """What the edges of numbers *stored* hold in *field*.

    A link or a span's edge has no properties and no id.
    """
    edges, codes = version.edges, version.codes[stored]
    everywhere = np.ones(len(stored), dtype=np.bool_)
    if field.source == Source.PROPERTY:
        column = version.docs.properties.get(field.name)
        entries = np.full(len(codes), -1, dtype=np.int32)
        if column is not None:
            documents = codes >= 0
            entries[documents] = column.at[codes[documents]]
        return _property(version, column, field.kind, entries)
    match field.name:
        case "id":
            owners = np.flatnonzero(codes >= 0)
            return Held(codes[owners], codes >= 0, owners, terms=version.docs.ids)
        case "source":
            return Held(edges.sources[stored], everywhere, terms=version.nodes.ids)
        case "target":
            return Held(edges.targets[stored], everywhere, terms=version.nodes.ids)
        case "type":
            types = edges.types[stored]
            return Held(types, types > 0, terms=version.edge_types)
        case _:
            weights = edges.weights[stored]
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
    column: NDArray[np.int32] = getattr(nodes, name)
    values = column if rows is None else column[rows]
    if name in ("name", "content"):
        return Held(values, values > 0, texts=version.texts)
    terms = version.types if name == "type" else version.statuses
    return Held(values, values > 0, terms=terms)


def _property(
    version: Version, column: Column | None, kind: Kind, entries: NDArray[np.int32]
) -> Held:
    """What candidates hold in *column* whose *entries* are given, -1 for none."""
    terms = version.keywords if kind == Kind.KEYWORD else None
    texts = version.texts if kind == Kind.TEXT else None
    held = entries >= 0
    if column is None or not len(column.many):
        nothing = np.empty(0, dtype=np.int64)
        return Held(nothing, held, owners=nothing, terms=terms, texts=texts)
    values, floats = column.values, column.floats if column.doubles else None
    if len(values) > len(column.many):
        owners = np.flatnonzero(held)
        positions, of_owner = column.spread(entries[owners])
        doubles = None if floats is None else floats[positions]
        return Held(values[positions], held, owners[of_owner], None, doubles, terms, texts)
    if len(entries) < len(values):
        doubles = None if floats is None else floats[entries]
        return Held(values[entries], held, None, None, doubles, terms, texts)
    return Held(values, held, None, entries, floats, terms, texts)


def _links(name: str, version: Version, rows: Rows | None, gate: Gate) -> Held:
    links, nodes = version.links, version.nodes
    if rows is None:
        positions = link_positions(version, name)
        owners: Rows = links.source.array[positions]
        count = len(nodes)
    else:
        ranges = side_by_side(nodes.first_link[rows], nodes.link_count[rows])
        right = links.field.array[ranges.positions] == version.edge_types.find(name)
        positions, owners = ranges.positions[right], ranges.owners[right]
        count = len(rows)
    targets = links.target.array[positions]
    visible = version.gates.open(gate, targets)
    targets, owners = targets[visible], owners[visible]
    held = np.zeros(count, dtype=np.bool_)
    held[owners] = True
    return Held(targets, held, owners=owners, terms=nodes.ids)
