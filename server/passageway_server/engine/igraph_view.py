"""A version as an igraph.Graph, for what igraph is best at: measures of a whole graph, layouts, second opinions.

igraph holds the interpreter's lock for a whole call, so nothing that a caller waits for goes through it: measures run in
a process of their own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

import igraph
import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.measures.arcs import Arcs
from passageway_server.version.version import Version

MOST_PASSES: Final = 30
"""Passes over a graph in search of communities. One with communities settles before; one of random edges does not for
hundreds, and each gains next to nothing."""


@dataclass(frozen=True, slots=True)
class View:
    """The rows that a gate opens and the edges that are visible through it.

    Vertex v stands for row ``rows[v]``, in the order of ids, and has it as ``name``. Edges stand in
    stored order, self-loops too, with ``type``, ``weight`` (the effective one) and ``stored``.
    """

    graph: igraph.Graph
    rows: NDArray[np.int32]


def view(version: Version, gate: Gate) -> View:
    """What the holder of *gate* sees of *version*."""
    open_rows = version.gates.open_rows(gate)
    rows = np.flatnonzero(open_rows).astype(np.int32)
    rows = rows[np.argsort(version.rank[rows])]
    vertex = np.empty(len(open_rows), dtype=np.int64)
    vertex[rows] = np.arange(len(rows))
    edges = version.edges
    held = gate.edges.held[edges.classes] == 1
    seen = open_rows[edges.sources] & open_rows[edges.targets] & held
    ends = np.stack([vertex[edges.sources[seen]], vertex[edges.targets[seen]]], axis=1)
    graph = igraph.Graph(n=len(rows), edges=ends.tolist(), directed=True)
    graph.vs["name"] = version.nodes.ids.take(rows)
    graph.es["type"] = version.edge_types.take(version.edge_classes.types[edges.classes[seen]])
    graph.es["weight"] = edges.weights[seen].tolist()
    graph.es["stored"] = edges.stored[seen].tolist()
    return View(graph, rows)


def page_rank(arcs: Arcs, vertices: int, *, alpha: float) -> NDArray[np.float64]:
    """By vertex: its PageRank along *arcs*; they sum to 1."""
    graph = _graph(arcs, vertices, directed=True)
    return np.array(graph.pagerank(damping=alpha, weights=arcs.weights.tolist()), dtype=np.float64)


def leiden(
    arcs: Arcs, vertices: int, *, resolution: float, seed: int
) -> Iterator[NDArray[np.int32]]:
    """By vertex: the number of its community, in the order of their first vertices, after each pass over *arcs*.

    The passes are igraph's, one at a time so that it can be told how far they are; the last one changes nothing, or is
    that of number ``MOST_PASSES``.
    """
    if not len(arcs.sources):
        yield np.arange(vertices, dtype=np.int32)
        return
    graph = _graph(arcs, vertices, directed=False)
    igraph.set_random_number_generator(Random(seed))
    weights = arcs.weights.tolist()
    membership: list[int] | None = None
    found: NDArray[np.int32] | None = None
    for _ in range(MOST_PASSES):
        membership = graph.community_leiden(
            "modularity",
            weights=weights,
            resolution=resolution,
            n_iterations=1,
            initial_membership=membership,
        ).membership
        before, found = found, _by_first_vertex(membership)
        yield found
        if before is not None and np.array_equal(before, found):
            return


def _graph(arcs: Arcs, vertices: int, *, directed: bool) -> igraph.Graph:
    ends = np.stack([arcs.sources, arcs.targets], axis=1)
    return igraph.Graph(n=vertices, edges=ends, directed=directed)


def _by_first_vertex(membership: list[int]) -> NDArray[np.int32]:
    _, firsts, of = np.unique(membership, return_index=True, return_inverse=True)
    number = np.empty(len(firsts), dtype=np.int32)
    number[np.argsort(firsts)] = np.arange(len(firsts), dtype=np.int32)
    return number[of]
