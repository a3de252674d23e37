"""What follows from the stored arrays of a version: stored order, edges, ranks, spans by parent (gates: `gating`)."""

from bisect import bisect_left
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import EdgeList
from passageway_server.columns.nodes import NODE, SPAN, Nodes
from passageway_server.columns.properties import Column
from passageway_server.columns.readers import ANYONE
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind

if TYPE_CHECKING:
    from passageway_server.version.version import Contents


def stored_order(contents: "Contents") -> NDArray[np.int32]:
    """The edges that do not dangle, in stored order: a doc row, or ``~position`` of a link."""
    nodes, docs, links = contents.nodes, contents.docs, contents.links
    there = standing(nodes)
    source, target = links.source.array, links.target.array
    named = live_links(nodes, source) & there[source] & there[target]
    of_span = nodes.kind[source] == SPAN
    standing_docs = docs.alive & there[docs.source] & there[docs.target]
    rows = np.flatnonzero(standing_docs)
    rows = rows[np.argsort(docs.number[rows], kind="stable")]
    parts = (~np.flatnonzero(named & ~of_span), rows, ~np.flatnonzero(named & of_span))
    return np.concatenate(parts).astype(np.int32)


def standing(nodes: Nodes) -> NDArray[np.bool_]:
    """By row: whether a node or a span with its parent stands there."""
    there: NDArray[np.bool_] = nodes.kind == NODE
    spans = np.flatnonzero(nodes.kind == SPAN)
    parents = nodes.parent[spans]
    there[spans] = (parents >= 0) & (nodes.kind[parents] == NODE)
    return there


def dangling_edges(contents: "Contents") -> int:
    """How many edges, links and span edges included, lack an end."""
    nodes, docs, links = contents.nodes, contents.docs, contents.links
    there = standing(nodes)
    source, target = links.source.array, links.target.array
    named = live_links(nodes, source) & ~(there[source] & there[target])
    waiting = docs.alive & ~(there[docs.source] & there[docs.target])
    return int(np.count_nonzero(named)) + int(np.count_nonzero(waiting))


def live_links(nodes: Nodes, source: NDArray[np.int32]) -> NDArray[np.bool_]:
    """By link: whether its row still names it."""
    place = np.arange(len(source)) - nodes.first_link[source]
    return (place >= 0) & (place < nodes.link_count[source])


def edge_list(
    contents: "Contents", stored: NDArray[np.integer], *, codes: NDArray[np.int32]
) -> EdgeList:
    """The edges of the numbers *stored*, side by side; *codes* is the whole stored order."""
    codes = codes[stored]
    docs, links = contents.docs, contents.links
    is_doc = codes >= 0
    doc, link = codes[is_doc], ~codes[~is_doc]

    def joined(
        of_docs: NDArray[np.generic], of_links: NDArray[np.generic], dtype: type[np.generic]
    ) -> NDArray[np.generic]:
        out = np.empty(len(codes), dtype=dtype)
        out[is_doc] = of_docs
        out[~is_doc] = of_links
        return out

    types = joined(docs.type[doc], links.field.array[link], np.int32)
    weights = joined(docs.weight[doc], np.full(len(link), np.nan), np.float64)
    absent = np.isnan(weights)
    weights[absent] = default_weights(contents)[cast(NDArray[np.int32], types)[absent]]
    return EdgeList(
        sources=cast(
            NDArray[np.int32], joined(docs.source[doc], links.source.array[link], np.int32)
        ),
        targets=cast(
            NDArray[np.int32], joined(docs.target[doc], links.target.array[link], np.int32)
        ),
        weights=cast(NDArray[np.float64], weights),
        types=cast(NDArray[np.int32], types),
        gates=cast(
            NDArray[np.int32],
            joined(docs.readers[doc], np.full(len(link), ANYONE, dtype=np.int32), np.int32),
        ),
        stored=stored.astype(np.int32),
    )


def default_weights(contents: "Contents") -> NDArray[np.float64]:
    """By edge type: the weight of an edge that has none."""
    weights = np.ones(len(contents.edge_types), dtype=np.float64)
    for declared in contents.settings.ontology.edge_types:
        number = contents.edge_types.find(declared.name)
        if number >= 0 and declared.default_weight is not None:
            weights[number] = declared.default_weight
    return weights


def reweighted(edges: EdgeList, codes: NDArray[np.int32], column: Column | None) -> EdgeList:
    """Those of *edges* that hold one number >= 0 in *column*, with it as weight."""
    weights = np.full(len(codes), -1.0)
    if column is not None and column.kind in (Kind.INT, Kind.FLOAT):
        docs = np.flatnonzero(codes >= 0)
        entries = column.at[codes[docs]]
        docs, entries = docs[entries >= 0], entries[entries >= 0]
        single = column.many[entries] == 0
        docs, first = docs[single], column.bounds[entries[single]]
        bits = cast(NDArray[np.int64], column.values)[first]
        is_float = column.floats[first] == 1
        weights[docs] = np.where(is_float, bits.view(np.float64), bits.astype(np.float64))
    kept = np.flatnonzero(weights >= 0)
    return EdgeList(
        sources=edges.sources[kept],
        targets=edges.targets[kept],
        weights=weights[kept],
        types=edges.types[kept],
        gates=edges.gates[kept],
        stored=edges.stored[kept],
    )


def ranks(ids: Terms) -> NDArray[np.int32]:
    """By row: the place of its id by code point, which is the order of its UTF-8 bytes."""
    heap = ids.strings.heap.tobytes()
    bounds = ids.strings.bounds.tolist()
    encoded = [heap[bounds[row] : bounds[row + 1]] for row in range(len(ids))]
    rank = np.empty(len(ids), dtype=np.int32)
    rank[sorted(range(len(ids)), key=encoded.__getitem__)] = np.arange(len(ids), dtype=np.int32)
    return rank


def extended_ranks(rank: NDArray[np.int32], ids: Terms) -> NDArray[np.int32]:
    """`ranks` of *ids*, the first of which have *rank* among themselves: only those behind them are compared."""
    before, added = len(rank), len(ids) - len(rank)
    in_order = np.empty(before, dtype=np.int32)
    in_order[rank] = np.arange(before, dtype=np.int32)

    def encoded(row: int) -> bytes:
        return bytes(ids.strings.encoded(row))

    rows = sorted(range(before, len(ids)), key=encoded)
    places = np.fromiter(
        (bisect_left(in_order, encoded(row), key=encoded) for row in rows), np.int64, count=added
    )
    passed = np.cumsum(np.bincount(places, minlength=before + 1))  # by rank: new ones before it
    extended = np.empty(len(ids), dtype=np.int32)
    extended[:before] = rank + passed[rank]
    extended[rows] = places + np.arange(added)
    return extended


def spans_by_parent(
    nodes: Nodes, rank: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Offsets by row, and the rows of spans: those of row r are ``rows[offsets[r]:offsets[r + 1]]``."""
    spans = np.flatnonzero((nodes.kind == SPAN) & (nodes.parent >= 0)).astype(np.int32)
    spans = spans[np.lexsort((rank[spans], nodes.index[spans], nodes.parent[spans]))]
    offsets = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(np.bincount(nodes.parent[spans], minlength=len(nodes)), out=offsets[1:])
    return offsets, spans
