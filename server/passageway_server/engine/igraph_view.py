"""A version as an igraph.Graph, for what igraph is best at: measures of a whole graph, layouts, second opinions.

igraph holds the interpreter's lock for a whole call, so nothing that a caller waits for goes through it.
"""

from dataclasses import dataclass

import igraph
import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.version.version import Version


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
    seen = open_rows[edges.sources] & open_rows[edges.targets] & (gate.holds[edges.gates] == 1)
    ends = np.stack([vertex[edges.sources[seen]], vertex[edges.targets[seen]]], axis=1)
    graph = igraph.Graph(n=len(rows), edges=ends.tolist(), directed=True)
    graph.vs["name"] = version.nodes.ids.take(rows)
    graph.es["type"] = version.edge_types.take(edges.types[seen])
    graph.es["weight"] = edges.weights[seen].tolist()
    graph.es["stored"] = edges.stored[seen].tolist()
    return View(graph, rows)
