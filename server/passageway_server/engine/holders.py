"""Who holds a field: which gate classes have a row, a link or an edge with it?

It follows from the field's column (or the links) and from the gates, and is kept with the column. Versions
share a column that a commit did not change, and the gates too: they find it again. A version with other
gates works it out anew.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.properties import Column
from passageway_server.version.version import Version

Classes = NDArray[np.integer]
"""Gate classes, or reader sets."""


class Holders(NamedTuple):
    """Who holds a field: distinct gate classes of its rows.

    For a link field the columns are classes of source and target; for an edge field the edge's own
    reader set comes first. ``floats`` are those of the rows that hold a double.
    """

    classes: tuple[Classes, ...]
    floats: tuple[Classes, ...]


_NOBODY = Holders((), ())


def positions_of_links(version: Version, name: str) -> NDArray[np.int64]:
    """The places in `Version.links` of the links *name* that stand in a row now, ascending."""
    return version.links.followed.of(
        ("positions", name), _placing(version), lambda: _positions_of_links(version, name)
    )


def _placing(version: Version) -> tuple[object, ...]:
    """What the places of links follow from, besides the links."""
    nodes = version.nodes
    return nodes.kind, nodes.first_link, nodes.link_count


def _positions_of_links(version: Version, name: str) -> NDArray[np.int64]:
    number = version.edge_types.find(name)
    positions = np.flatnonzero(version.links.field.array == number)
    rows = version.links.source.array[positions]
    first, count = version.nodes.first_link[rows], version.nodes.link_count[rows]
    standing = (positions >= first) & (positions < first + count)
    found: NDArray[np.int64] = positions[standing & (version.nodes.kind[rows] != 0)]
    return found


def link_holders(version: Version, name: str) -> Holders:
    """Who holds the link field *name*."""
    links, of = version.links, version.gates.of

    def holders() -> Holders:
        positions = positions_of_links(version, name)
        source = of[links.source.array[positions]]
        return Holders(_distinct(source, of[links.target.array[positions]]), ())

    return links.followed.of(("holders", name), (of, *_placing(version)), holders)


def node_holders(version: Version, name: str) -> Holders:
    """Who holds the property *name* over nodes and spans."""
    column, of = version.nodes.properties.get(name), version.gates.of
    if column is None:
        return _NOBODY

    def holders() -> Holders:
        rows = np.flatnonzero(column.at.whole >= 0)
        return Holders(_distinct(of[rows]), _distinct(of[rows[_with_float(column, rows)]]))

    return column.followed.of("holders", (of,), holders)


def edge_holders(version: Version, name: str) -> Holders:
    """Who holds the property *name* over edge documents."""
    column, of, docs = version.docs.properties.get(name), version.gates.of, version.docs
    if column is None:
        return _NOBODY

    def classes(which: NDArray[np.int64]) -> tuple[Classes, ...]:
        return _distinct(docs.readers[which], of[docs.source[which]], of[docs.target[which]])

    def holders() -> Holders:
        held = np.flatnonzero((column.at.whole >= 0) & docs.alive.whole)
        return Holders(classes(held), classes(held[_with_float(column, held)]))

    inputs = of, docs.alive, docs.readers, docs.source, docs.target
    return column.followed.of("holders", inputs, holders)


def _with_float(column: Column, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which of *rows*, all of which hold the field, hold a double."""
    if not column.doubles:
        return np.zeros(len(rows), dtype=np.bool_)
    before = np.zeros(len(column.floats) + 1, dtype=np.int64)
    np.cumsum(column.floats, out=before[1:])
    entries = column.at[rows]
    found: NDArray[np.bool_] = before[column.bounds[entries + 1]] > before[column.bounds[entries]]
    return found


def _distinct(*columns: NDArray[np.integer]) -> tuple[Classes, ...]:
    """The distinct tuples of *columns*, which stand side by side."""
    key = columns[0].astype(np.int64)
    radices = [int(column.max(initial=0)) + 1 for column in columns]
    for column, radix in zip(columns[1:], radices[1:], strict=True):
        key = key * radix + column
    key = _distinct_numbers(key)
    parts: list[Classes] = []
    for radix in reversed(radices[1:]):
        key, part = np.divmod(key, radix)
        parts.append(part)
    return (key, *reversed(parts))


def _distinct_numbers(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    most = int(numbers.max(initial=0))
    if most > 4 * len(numbers) + 65_536:
        return np.unique(numbers)
    present = np.zeros(most + 1, dtype=np.bool_)
    present[numbers] = True
    return np.flatnonzero(present)
