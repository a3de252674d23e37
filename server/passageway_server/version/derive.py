"""What follows from the stored arrays of a version: edges, spans by parent, edges without an end (gates: `gating`, ranks: `ranking`).

Questions about some rows or edges cost as much as these; those that look at all of a version say so.
"""

from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.nodes import NODE, SPAN, Nodes
from passageway_server.columns.properties import Column
from passageway_server.columns.ranges import AT_ONCE, side_by_side
from passageway_server.columns.readers import ANYONE
from passageway_server.columns.row_sets import RowSets
from passageway_server.columns.stored import are_docs, are_known, link_keys, link_positions
from passageway_server.values.collections import Kind
from passageway_server.version.contents import Contents

Rows = NDArray[np.int32]
Keys = NDArray[np.int32]
Mask = NDArray[np.bool_]
Weights = NDArray[np.float64]
_Scalar = TypeVar("_Scalar", bound=np.generic)


def standing(nodes: Nodes, rows: NDArray[np.integer]) -> Mask:
    """At which of *rows*, all of which exist, a node stands, or a span with its parent."""
    kind = nodes.kind[rows]
    there: Mask = kind == NODE
    spans = np.flatnonzero(kind == SPAN)
    parents = nodes.parent[rows[spans]]
    there[spans] = (parents >= 0) & (nodes.kind[parents] == NODE)
    return there


def live_links(nodes: Nodes, positions: NDArray[np.integer], source: Rows) -> Mask:
    """Which links at *positions*, those of the rows *source*, their rows still name."""
    place = positions - nodes.first_link[source]
    live: Mask = np.logical_and(place >= 0, place < nodes.link_count[source])
    return live


class Ends(NamedTuple):
    """What a version says of some edges: those that it does not have are not alive."""

    sources: Rows
    targets: Rows
    alive: Mask  # the document stands, or a row names the link
    whole: Mask  # alive, and at both ends something stands

    @classmethod
    def joined(cls, parts: "list[Ends]") -> "Ends":
        """Those of *parts*, one after the other."""
        return cls(
            np.concatenate([part.sources for part in parts]),
            np.concatenate([part.targets for part in parts]),
            np.concatenate([part.alive for part in parts]),
            np.concatenate([part.whole for part in parts]),
        )

    def chosen(self, which: Mask) -> "Ends":
        """Some of them."""
        return Ends(self.sources[which], self.targets[which], self.alive[which], self.whole[which])

    @property
    def walked(self) -> Mask:
        """Which are in the adjacency."""
        walked: Mask = self.whole & (self.sources != self.targets)
        return walked

    @property
    def loose(self) -> Mask:
        """Which are alive, and not in the adjacency."""
        loose: Mask = self.alive & ~self.walked
        return loose

    @property
    def dangling(self) -> int:
        """How many are alive and lack an end."""
        return int(np.count_nonzero(self.alive & ~self.whole))


def ends(contents: Contents, keys: Keys) -> Ends:
    """What *contents* say of the edges *keys*."""
    nodes, docs, links = contents.nodes, contents.docs, contents.links
    sources, targets = np.zeros((2, len(keys)), dtype=np.int32)
    alive = np.zeros(len(keys), dtype=np.bool_)
    known = are_known(keys, docs=len(docs), links=len(links))
    of_docs = known & are_docs(keys)
    rows = keys[of_docs]
    sources[of_docs], targets[of_docs], alive[of_docs] = ByRow.read_all(
        (docs.source, docs.target, docs.alive), rows
    )
    of_links = known & ~of_docs
    positions = link_positions(keys[of_links])
    source = links.source.array[positions]
    sources[of_links], targets[of_links] = source, links.target.array[positions]
    alive[of_links] = live_links(nodes, positions, source)
    whole = alive.copy()
    whole[alive] = standing(nodes, sources[alive]) & standing(nodes, targets[alive])
    return Ends(sources, targets, alive, whole)


def all_keys(contents: Contents) -> Keys:
    """The keys of all edges that are alive, ascending: by a look at every document and link."""
    nodes, links = contents.nodes, contents.links
    source = links.source.array
    live = live_links(nodes, np.arange(len(source)), source)
    of_span = live & (nodes.kind[source] == SPAN)
    of_nodes, of_spans = np.flatnonzero(live & ~of_span), np.flatnonzero(of_span)
    return np.concatenate(
        (
            link_keys(of_nodes, np.zeros(len(of_nodes), dtype=np.bool_)),
            np.arange(len(contents.docs), dtype=np.int32)[contents.docs.alive.whole],
            link_keys(of_spans, np.ones(len(of_spans), dtype=np.bool_)),
        )
    )


class Survey(NamedTuple):
    """All edges of a version that are alive, by whether they are in the adjacency."""

    walked: Keys  # ascending
    sources: Rows  # of those
    loose: Keys  # ascending
    ends: Ends  # of those


def survey(contents: Contents) -> Survey:
    """A look at every document and link, some at a time."""
    keys = all_keys(contents)
    nothing = ends(contents, keys[:0])
    walked, sources = [keys[:0]], [nothing.sources]
    loose, found = [keys[:0]], [nothing]
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        each = ends(contents, some)
        walked.append(some[each.walked])
        sources.append(each.sources[each.walked])
        if len(walked[-1]) < len(some):
            loose.append(some[each.loose])
            found.append(each.chosen(each.loose))
    return Survey(
        np.concatenate(walked), np.concatenate(sources), np.concatenate(loose), Ends.joined(found)
    )


def keys_of_rows(nodes: Nodes, rows: Rows) -> Keys:
    """The keys of the links that stand in *rows*."""
    ranges = side_by_side(nodes.first_link[rows], nodes.link_count[rows])
    of_spans = (nodes.kind[rows] == SPAN)[ranges.owners]
    return link_keys(ranges.positions, of_spans)


class _Sorts(NamedTuple):
    """Some edges: which are documents, and which links the others are."""

    are_docs: Mask
    docs: NDArray[np.integer]
    links: NDArray[np.int32]

    @classmethod
    def of(cls, keys: NDArray[np.integer]) -> "_Sorts":
        """Those of *keys*."""
        docs = are_docs(keys)
        return cls(docs, keys[docs], link_positions(keys[~docs]))

    def joined(
        self, of_docs: NDArray[_Scalar], of_links: NDArray[_Scalar] | float
    ) -> NDArray[_Scalar]:
        """By edge: what the documents hold, and what the links."""
        values = np.empty(len(self.are_docs), dtype=of_docs.dtype)
        values[self.are_docs] = of_docs
        values[~self.are_docs] = of_links
        return values


def edge_list(contents: Contents, keys: NDArray[np.integer]) -> EdgeList:
    """The edges of *keys*, side by side."""
    docs, links, sorts = contents.docs, contents.links, _Sorts.of(keys)
    source, target, type_, weight, readers = ByRow.read_all(
        (docs.source, docs.target, docs.type, docs.weight, docs.readers), sorts.docs
    )
    types = sorts.joined(type_, links.field.array[sorts.links])
    return EdgeList(
        sources=sorts.joined(source, links.source.array[sorts.links]),
        targets=sorts.joined(target, links.target.array[sorts.links]),
        weights=_effective(contents, types, sorts.joined(weight, np.nan)),
        classes=contents.edge_classes.numbers(types, sorts.joined(readers, ANYONE)),
        stored=keys.astype(np.int32, copy=False),
    )


def weights(contents: Contents, keys: NDArray[np.integer]) -> Weights:
    """The effective weight of each edge of *keys*."""
    docs, sorts = contents.docs, _Sorts.of(keys)
    type_, weight = ByRow.read_all((docs.type, docs.weight), sorts.docs)
    types = sorts.joined(type_, contents.links.field.array[sorts.links])
    return _effective(contents, types, sorts.joined(weight, np.nan))


def _effective(contents: Contents, types: Rows, put: Weights) -> Weights:
    """The weights that were *put*, written over where there is none (NaN) with those of the edges' *types*."""
    absent = np.isnan(put)
    if absent.any():
        put[absent] = default_weights(contents)[types[absent]]
    return put


def default_weights(contents: Contents) -> NDArray[np.float64]:
    """By edge type: the weight of an edge that has none."""
    weights = np.ones(len(contents.edge_types), dtype=np.float64)
    declared = {
        one.name: one.default_weight
        for one in contents.settings.ontology.edge_types
        if one.default_weight is not None
    }
    numbers = contents.edge_types.find_all(list(declared)).tolist()
    for number, weight in zip(numbers, declared.values(), strict=True):
        if number >= 0:
            weights[number] = weight
    return weights


def reweighted(edges: EdgeList, column: Column | None) -> EdgeList:
    """Those of *edges* that hold one number >= 0 in *column*, with it as weight."""
    weights = np.full(len(edges.stored), -1.0)
    if column is not None and column.kind in (Kind.INT, Kind.FLOAT):
        docs = np.flatnonzero(are_docs(edges.stored))
        entries = column.at[edges.stored[docs]]
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
        classes=edges.classes[kept],
        stored=edges.stored[kept],
    )


def spans(nodes: Nodes) -> RowSets:
    """The spans of each row, whether something stands there or not: by a look at every row."""
    kind, parent = nodes.kind.whole, nodes.parent.whole
    rows = np.flatnonzero((kind == SPAN) & (parent >= 0))
    return RowSets.of(parent[rows], rows)


def loose(keys: Keys, found: Ends) -> RowSets:
    """By row: those of the edges *keys* at it that are alive and not in the adjacency."""
    which = np.flatnonzero(found.loose)
    at = np.concatenate((found.sources[which], found.targets[which]))
    return RowSets.of(at, np.tile(keys[which], 2))
