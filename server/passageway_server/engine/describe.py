"""What a caller may see of a collection's shape: its types, what connects them, and its fields.

Counts are over the rows in the scope of the call, and over visible edges of which both ends are in
it; the values of links are those that the read gate shows. DeadlineExceeded and Cancelled are raised
where the call is over, LimitExceeded where the answer would be too large; *size* is that of all of it.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.properties import Column
from passageway_server.columns.ranges import in_parts
from passageway_server.columns.stored import are_docs
from passageway_server.engine.holders import positions_of_links
from passageway_server.engine.sizes import FRAME, Size, size_of_texts
from passageway_server.values.answers import FieldInfo, ObservedRoute, ObservedType
from passageway_server.values.collections import Kind
from passageway_server.version.version import Version

_Mask = NDArray[np.bool_]
_AT_ONCE = 1 << 18
"""Edges that are counted between two looks at the halt, and values that are looked at together."""


def observed_types(version: Version, scope: Gate, *, size: Size) -> list[ObservedType]:
    """Types of nodes and spans in scope, by name; rows without a type count under ""."""
    rows = np.flatnonzero(version.gates.open_rows(scope))
    counts = np.bincount(version.nodes.type.whole[rows], minlength=len(version.types))
    present = np.flatnonzero(counts)
    size.add(size_of_texts(version.types.strings, present) + 2 * FRAME * len(present))
    names = version.types.take(present)
    listed = sorted(zip(names, counts[present].tolist(), strict=True))
    return [ObservedType(name, count) for name, count in listed]


def observed_routes(version: Version, scope: Gate, *, size: Size) -> list[ObservedRoute]:
    """Types of source, edge and target of visible edges in scope, with their counts.

    Self-loops count too.
    """
    edges, types = version.edges, version.nodes.type.whole
    of_class = version.edge_classes.types
    visible = np.flatnonzero(_visible_edges(version, scope))
    node_types, edge_types = max(len(version.types), 1), max(len(version.edge_types), 1)
    keys, counts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for start in range(0, len(visible), _AT_ONCE):
        scope.halt.spent()
        some = visible[start : start + _AT_ONCE]
        source = types[edges.sources[some]].astype(np.int64)
        through = of_class[edges.classes[some]]
        key = (source * edge_types + through) * node_types + types[edges.targets[some]]
        more, count = np.unique(key, return_counts=True)
        keys, places = np.unique(np.concatenate((keys, more)), return_inverse=True)
        counts = np.append(counts, count)
        counts = np.bincount(places, weights=counts).astype(np.int64)  # exact below 2**53
    rest, target = np.divmod(keys, node_types)
    source, through = np.divmod(rest, edge_types)
    size.add(
        size_of_texts(version.types.strings, source)
        + size_of_texts(version.edge_types.strings, through)
        + size_of_texts(version.types.strings, target)
        + 2 * FRAME * len(keys)
    )
    names, edge_names = version.types.take, version.edge_types.take
    ends = names(source), edge_names(through), names(target)
    listed = sorted(zip(*ends, counts.tolist(), strict=True))
    return [ObservedRoute(*route) for route in listed]


def observed_fields(version: Version, *, read: Gate, scope: Gate, size: Size) -> list[FieldInfo]:
    """Declared fields as declared, and inferred ones as rows and edges in scope hold them.

    They go by name, kind, repeated. Declared ones that are hidden from the caller are left out.
    """
    declared = version.settings.fields
    found = {
        FieldInfo(field.name, field.kind, field.repeated, True)
        for field in declared
        if field.name not in read.hidden
    }
    names = {field.name for field in declared}
    rows = version.gates.open_rows(scope)
    docs = np.zeros(len(version.docs), dtype=np.bool_)
    shown = version.edges.stored[_visible_edges(version, scope)]
    docs[shown[are_docs(shown)]] = True
    for columns, open_ in ((version.nodes.properties, rows), (version.docs.properties, docs)):
        for name, column in columns.items():
            scope.halt.spent()
            field = None if name in names or name in read.hidden else _observed(name, column, open_)
            if field is not None:
                found.add(field)
    for name, kind in version.fields.inferred.items():
        scope.halt.spent()
        if kind == Kind.LINK and _linked(version, name, read, rows):
            found.add(FieldInfo(name, Kind.LINK, True, False))
    size.add(sum(len(field.name.encode()) + 2 * FRAME for field in found))
    return sorted(found, key=lambda field: (field.name, field.kind, field.repeated))


def _observed(name: str, column: Column, open_: _Mask) -> FieldInfo | None:
    """An inferred field as the open rows hold it; None where none does."""
    entries = column.at.whole[open_]
    entries = entries[entries >= 0]
    if not len(entries):
        return None
    kind = column.kind
    if kind == Kind.FLOAT:
        parts = in_parts(*column.extents(entries), _AT_ONCE)
        doubles = any(column.floats[positions].any() for positions, _ in parts)
        kind = Kind.FLOAT if doubles else Kind.INT
    return FieldInfo(name, kind, bool(column.many[entries].any()), False)


def _linked(version: Version, name: str, read: Gate, rows: _Mask) -> bool:
    """Whether a row in scope has a link *name* to a row that the caller may read."""
    positions = positions_of_links(version, name)
    positions = positions[rows[version.links.source.array[positions]]]
    return bool(version.gates.open(read, version.links.target.array[positions]).any())


def _visible_edges(version: Version, scope: Gate) -> _Mask:
    """By edge of ``version.edges``: the caller holds the edge's readers, and both ends are in scope."""
    scope.halt.spent()
    edges, rows = version.edges, version.gates.open_rows(scope)
    visible: _Mask = (
        rows[edges.sources] & rows[edges.targets] & (scope.edges.held[edges.classes] == 1)
    )
    return visible
