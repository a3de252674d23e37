"""What an answer shows of a row: only what the caller asked for and may read.

Rows are taken many at once, column by column: fifty hits with name, type and preview cost some
microseconds each. Between one part of very many and the next, DeadlineExceeded and Cancelled are
raised where the call is over.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.nodes import SPAN
from passageway_server.columns.properties import Column
from passageway_server.columns.ranges import side_by_side
from passageway_server.columns.stored import are_docs
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.engine.previews import NO_PREVIEW, previews_of
from passageway_server.engine.selection import Selection
from passageway_server.engine.sizes import (
    Size,
    origins_of,
    size_of_nodes,
    size_of_readers,
    size_of_texts,
    size_of_values,
)
from passageway_server.values.answers import EdgeRow, NodeRow, SpanPosition
from passageway_server.values.records import Properties
from passageway_server.version.revisions import revision_of
from passageway_server.version.version import Version

Numbers = NDArray[np.int64]
_NO_PROPERTIES: Properties = {}
_NO_LINKS: dict[str, list[str]] = {}
_AT_ONCE = 1024  # rows of one part


def node_rows(
    version: Version,
    gate: Gate,
    rows: Sequence[int] | NDArray[np.integer],
    *,
    selection: Selection,
    max_chars: int | None,
    admin: bool,
    size: Size | None = None,
) -> list[NodeRow]:
    """The open *rows*, in their order; *gate* is the read gate, which decides on the links and fields shown.

    ``max_chars`` bounds each preview; None gives the whole content, and nothing in its place where
    there is none. Readers are shown to an *admin* alone, and only with everything. *size* is that of
    the whole answer. Raises LimitExceeded.
    """
    which = np.asarray(rows, dtype=np.int64)
    columns = _columns(version.nodes.properties, selection, hidden=gate.hidden)
    size, hidden = size or Size(), gate.hidden
    size.add(
        size_of_nodes(
            version, which, columns, selection=selection, max_chars=max_chars, hidden=hidden
        )
    )
    shown: list[NodeRow] = []
    for start in range(0, len(which), _AT_ONCE):
        gate.halt.spent()
        shown += _node_rows(
            version,
            gate,
            which[start : start + _AT_ONCE],
            columns,
            selection=selection,
            max_chars=max_chars,
            readers=admin and selection.everything,
            size=size,
        )
    return shown


def _node_rows(
    version: Version,
    gate: Gate,
    which: Numbers,
    columns: Iterable[tuple[str, Column]],
    *,
    selection: Selection,
    max_chars: int | None,
    readers: bool,
    size: Size,
) -> list[NodeRow]:
    nodes, asks = version.nodes, selection.asks
    blank: list[str] = [""] * len(which)
    previews = [NO_PREVIEW] * len(which)
    if asks("content"):
        previews = previews_of(version, which, max_chars, hidden=gate.hidden)
    return list(
        map(
            NodeRow,
            nodes.ids.take(which),
            _terms(version.types, nodes.type[which]),
            version.texts.take(nodes.name[which]) if asks("name") else blank,
            [text for text, _ in previews],
            _projects(version, which) if asks("project") else blank,
            _readers(version, nodes.readers[which], shown=readers, size=size),
            _terms(version.statuses, nodes.status[which]) if asks("status") else blank,
            _properties(columns, which, version.keywords, version.texts),
            _links(version, gate, which, selection, size),
            nodes.covered[which].tolist() if asks("covered") else [False] * len(which),
            [was_cut for _, was_cut in previews],
            _spans(version, which),
            revision_of(version, which, gate.hidden) if selection.revision else blank,
        )
    )


def edge_rows(
    version: Version,
    gate: Gate,
    stored: Sequence[int] | NDArray[np.integer],
    *,
    selection: Selection,
    admin: bool,
    size: Size | None = None,
) -> list[EdgeRow]:
    """The visible edges of the keys *stored*, in their order, each in its stored direction.

    *gate* is the read gate, which decides on the fields shown. *size* is that of the whole answer.
    Raises LimitExceeded.

    The weight is always the effective one; links and span edges have neither id nor properties.
    """
    which = np.asarray(stored, dtype=np.int64)
    columns = _columns(version.docs.properties, selection, hidden=gate.hidden)
    size = size or Size()
    shown: list[EdgeRow] = []
    for start in range(0, len(which), _AT_ONCE):
        gate.halt.spent()
        some = which[start : start + _AT_ONCE]
        readers = admin and selection.everything
        shown += _edge_rows(version, some, columns, readers=readers, size=size)
    return shown


def _edge_rows(
    version: Version,
    which: Numbers,
    columns: Iterable[tuple[str, Column]],
    *,
    readers: bool,
    size: Size,
) -> list[EdgeRow]:
    docs, edges = version.docs, version.edges_at(which)
    types = version.edge_classes.types[edges.classes]
    held = np.flatnonzero(are_docs(which))
    of_docs = which[held]
    size.add(
        size_of_texts(version.nodes.ids.strings, edges.sources)
        + size_of_texts(version.nodes.ids.strings, edges.targets)
        + size_of_texts(version.edge_types.strings, types)
        + size_of_texts(docs.ids.strings, of_docs)
        + size_of_values(version, of_docs, columns)
    )
    ids: list[str] = [""] * len(which)
    properties: list[Properties] = [_NO_PROPERTIES] * len(which)
    reader_sets: list[tuple[str, ...]] = [()] * len(which)
    shown = _properties(columns, of_docs, version.keywords, version.texts)
    for place, id, values in zip(held.tolist(), docs.ids.take(of_docs), shown, strict=True):
        ids[place], properties[place] = id, values
    if readers:
        sets = _readers(version, version.doc_readers[of_docs], shown=True, size=size)
        for place, set_ in zip(held.tolist(), sets, strict=True):
            reader_sets[place] = set_
    return list(
        map(
            EdgeRow,
            ids,
            version.nodes.ids.take(edges.sources),
            version.nodes.ids.take(edges.targets),
            _terms(version.edge_types, types),
            edges.weights.tolist(),
            properties,
            reader_sets,
        )
    )


def _terms(terms: Terms, numbers: NDArray[np.int32]) -> list[str]:
    """The strings of *numbers*, of which there are few distinct ones."""
    listed = numbers.tolist()
    distinct = list(set(listed))
    known = dict(zip(distinct, terms.take(distinct), strict=True))
    return [known[number] for number in listed]


def _readers(
    version: Version, numbers: NDArray[np.int32], *, shown: bool, size: Size
) -> list[tuple[str, ...]]:
    """As they were put: none of its own is none, whatever the collection's default."""
    listed: list[int] = numbers.tolist()
    if not shown:
        return [()] * len(listed)
    known = {n: version.readers.readers(n) if n >= 0 else () for n in set(listed)}
    size.add(size_of_readers(known, listed))
    return [known[number] for number in listed]


def _projects(version: Version, which: Numbers) -> list[str]:
    """A span has its parent's project."""
    return _terms(version.projects, version.nodes.project[origins_of(version, which)])


def _spans(version: Version, which: Numbers) -> list[SpanPosition | None]:
    nodes = version.nodes
    positions: list[SpanPosition | None] = [None] * len(which)
    places = np.flatnonzero(nodes.kind[which] == SPAN)
    if not len(places):
        return positions
    rows = which[places]
    parents = nodes.ids.take(nodes.parent[rows])
    breadcrumbs = version.texts.take(nodes.breadcrumb[rows])
    indices, totals = nodes.index[rows].tolist(), nodes.total[rows].tolist()
    for i, place in enumerate(places.tolist()):
        total = totals[i] if totals[i] >= 0 else None
        positions[place] = SpanPosition(parents[i], indices[i], total, breadcrumbs[i])
    return positions


def _columns(
    columns: Mapping[str, Column], selection: Selection, *, hidden: frozenset[str]
) -> list[tuple[str, Column]]:
    """The fields to show, by name; none of the *hidden* ones is."""
    names = columns if selection.everything else selection.properties
    return [(name, columns[name]) for name in names if name in columns and name not in hidden]


def _properties(
    columns: Iterable[tuple[str, Column]], which: Numbers, keywords: Terms, texts: Strings
) -> list[Properties]:
    shown: list[Properties] = [_NO_PROPERTIES] * len(which)
    for name, column in columns:
        places = np.flatnonzero(column.at[which] >= 0)
        if not len(places):
            continue
        values = column.take(which[places], keywords=keywords, texts=texts)
        for place, value in zip(places.tolist(), values, strict=True):
            assert value is not None
            if shown[place] is _NO_PROPERTIES:
                shown[place] = {name: value}
            else:
                shown[place][name] = value
    return shown


def _links(
    version: Version, gate: Gate, which: Numbers, selection: Selection, size: Size
) -> list[dict[str, list[str]]]:
    """Links by field: the ids of open rows, in stored order; a field without one is absent."""
    shown: dict[int, dict[str, list[str]]] = {}
    if not (selection.everything or selection.links):
        return [_NO_LINKS] * len(which)
    ranges = side_by_side(version.nodes.first_link[which], version.nodes.link_count[which])
    positions, owners = ranges.positions, ranges.owners
    if not len(positions):
        return [_NO_LINKS] * len(which)
    targets, fields = version.links.target.array[positions], version.links.field.array[positions]
    kept = version.gates.open(gate, targets)
    if not selection.everything:
        kept &= np.isin(fields, version.edge_types.find_all(selection.links))
    size.add_texts(version.nodes.ids.strings, targets[kept])
    ids = version.nodes.ids.take(targets[kept])
    names = _terms(version.edge_types, fields[kept])
    for owner, name, id in zip(owners[kept].tolist(), names, ids, strict=True):
        shown.setdefault(owner, {}).setdefault(name, []).append(id)
    return [shown.get(place, _NO_LINKS) for place in range(len(which))]
