"""What an answer shows of a row: only what the caller asked for and may read.

Rows are taken many at once, column by column: fifty hits with name, type and preview cost some
microseconds each. Between one part of very many and the next, DeadlineExceeded and Cancelled are
raised where the call is over.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.gates import Gate
from passageway_server.columns.properties import Column
from passageway_server.columns.ranges import in_parts
from passageway_server.columns.stored import are_docs
from passageway_server.columns.terms import Terms
from passageway_server.engine.previews import NO_PREVIEW, previews_of
from passageway_server.engine.selection import Selection
from passageway_server.engine.shown import (
    NO_PROPERTIES,
    ShownNodes,
    add_fields,
    fields_of,
    properties_of,
)
from passageway_server.engine.sizes import FRAME, WEIGHT, Size, size_of_readers, size_of_texts
from passageway_server.values.answers import EdgeRow, NodeRow, SpanPosition
from passageway_server.values.collections import Kind
from passageway_server.values.records import Properties
from passageway_server.version.revisions import revision_of
from passageway_server.version.version import Version

Numbers = NDArray[np.int64]
_NO_LINKS: dict[str, list[str]] = {}
_AT_ONCE = 1024  # rows of one part
_LINKS_AT_ONCE = 1 << 14  # of these, whether shown or not


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
    size = size or Size()
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
    shown = ShownNodes.of(
        version, which, columns, selection=selection, max_chars=max_chars, hidden=gate.hidden
    )
    shown.add_to(size, version, selection=selection, max_chars=max_chars)
    read, count = shown.read, len(which)
    blank: list[str] = [""] * count
    previews = [NO_PREVIEW] * count
    if shown.bodies is not None:
        previews = previews_of(version, shown.bodies, max_chars)
    return list(
        map(
            NodeRow,
            version.nodes.ids.take(which),
            _terms(version.types, read["type"]),
            version.texts.take(read["name"]) if "name" in read else blank,
            [text for text, _ in previews],
            blank if shown.projects is None else _terms(version.projects, shown.projects),
            _readers(version, read["readers"], shown=readers, size=size),
            _terms(version.statuses, read["status"]) if "status" in read else blank,
            properties_of(version, shown.fields, count),
            _links(version, gate, shown, selection, size),
            read["covered"].tolist() if "covered" in read else [False] * count,
            [was_cut for _, was_cut in previews],
            _spans(version, shown),
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
    fields = fields_of(of_docs, columns)
    size.add(
        size_of_texts(version.nodes.ids.strings, edges.sources)
        + size_of_texts(version.nodes.ids.strings, edges.targets)
        + size_of_texts(version.edge_types.strings, types)
        + size_of_texts(docs.ids.strings, of_docs)
        + (FRAME + WEIGHT) * len(which)
    )
    add_fields(size, version, fields)
    ids: list[str] = [""] * len(which)
    properties: list[Properties] = [NO_PROPERTIES] * len(which)
    reader_sets: list[tuple[str, ...]] = [()] * len(which)
    shown = properties_of(version, fields, len(of_docs))
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


def _terms(terms: Terms, numbers: NDArray[np.integer]) -> list[str]:
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


def _spans(version: Version, shown: ShownNodes) -> list[SpanPosition | None]:
    nodes, places = version.nodes, shown.spans
    positions: list[SpanPosition | None] = [None] * len(shown.rows)
    if not len(places):
        return positions
    parents = nodes.ids.take(shown.read["parent"][places])
    read = ByRow.read_all((nodes.breadcrumb, nodes.index, nodes.total), shown.rows[places])
    breadcrumbs = version.texts.take(read[0])
    indices, totals = read[1].tolist(), read[2].tolist()
    for i, place in enumerate(places.tolist()):
        total = totals[i] if totals[i] >= 0 else None
        positions[place] = SpanPosition(parents[i], indices[i], total, breadcrumbs[i])
    return positions


def _columns(
    columns: Mapping[str, Column], selection: Selection, *, hidden: frozenset[str]
) -> list[tuple[str, Column]]:
    """The fields to show, by name; none of the *hidden* ones is, and a vector where it is named alone."""
    names: Iterable[str] = selection.properties
    if selection.everything:
        names = [name for name, column in columns.items() if column.kind != Kind.VECTOR]
    return [(name, columns[name]) for name in names if name in columns and name not in hidden]


def _links(
    version: Version, gate: Gate, nodes: ShownNodes, selection: Selection, size: Size
) -> list[dict[str, list[str]]]:
    """Links by field: the ids of open rows, in stored order; a field without one is absent."""
    shown: dict[int, dict[str, list[str]]] = {}
    read, count = nodes.read, len(nodes.rows)
    if "link_count" not in read or not read["link_count"].any():
        return [_NO_LINKS] * count
    links, wanted = version.links, version.edge_types.find_all(selection.links)
    parts: list[NDArray[np.int64]] = []
    for positions, owners in in_parts(read["first_link"], read["link_count"], _LINKS_AT_ONCE):
        gate.halt.spent()
        targets, fields = links.target.array[positions], links.field.array[positions]
        kept = version.gates.open(gate, targets)
        if not selection.everything:
            kept &= np.isin(fields, wanted)
        size.add_texts(version.nodes.ids.strings, targets[kept])
        parts.append(np.array((owners[kept], fields[kept], targets[kept]), dtype=np.int64))
    owners, fields, targets = np.concatenate(parts, axis=1)
    types = version.edge_types.strings
    entries = np.unique(owners * len(types) + fields) % len(types)
    size.add(size_of_texts(types, entries) + 2 * FRAME * len(entries))
    ids = version.nodes.ids.take(targets)
    names = _terms(version.edge_types, fields)
    for owner, name, id in zip(owners.tolist(), names, ids, strict=True):
        shown.setdefault(owner, {}).setdefault(name, []).append(id)
    return [shown.get(place, _NO_LINKS) for place in range(count)]
