"""The graph that is measured: the rows that a gate opens, and the edges between them.

Vertex v is the v-th row by id, and edges are sorted by their ends, so that a measure depends on nothing else: not on
rows that are hidden, on the order of puts, or on a restart.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.gates import Gate
from passageway_server.engine.filter import edge_matches
from passageway_server.engine.measures.arcs import Arcs
from passageway_server.engine.plans import EVERY_TYPE, TypeTable
from passageway_server.engine.predicate import Predicate
from passageway_server.values.halt import Halt
from passageway_server.version import derive
from passageway_server.version.communities import COMMUNITY
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class MeasuredEdges:
    """Which edges take part, and which way; those without ``weight_property`` are left out."""

    types: TypeTable = field(default_factory=lambda: EVERY_TYPE)
    outward: bool = True
    inward: bool = False
    filter: Predicate | None = None
    weight_property: str = ""  # "": the effective weight


@dataclass(frozen=True, slots=True)
class MeasuredGraph:
    """``rows[v]`` is the row of vertex v."""

    rows: NDArray[np.int32]
    arcs: Arcs


def measured_graph(version: Version, gate: Gate, specs: tuple[MeasuredEdges, ...]) -> MeasuredGraph:
    """What the holder of *gate* sees, without communities; an edge goes by the first of *specs* that takes it that way.

    Self-loops take no part. Raises what the gate's halt raises.
    """
    nodes = version.nodes
    seen = version.gates.open_rows(gate) & (nodes.type.whole != version.types.find(COMMUNITY))
    rows = np.flatnonzero(seen).astype(np.int32)
    rows = rows[np.argsort(version.rank[rows])]
    vertex = np.full(len(nodes), -1, dtype=np.int32)
    vertex[rows] = np.arange(len(rows), dtype=np.int32)
    edges = version.edges
    visible = seen[edges.sources] & seen[edges.targets] & (gate.edges.held[edges.classes] == 1)
    visible &= edges.sources != edges.targets
    parts: list[Arcs] = []
    taken = {way: np.zeros(len(visible), dtype=np.bool_) for way in ("out", "in")}
    for spec in specs:
        gate.halt.spent()
        places, weights = _taking_part(version, edges, spec, visible, gate.halt)
        sources, targets = vertex[edges.sources[places]], vertex[edges.targets[places]]
        for way, asked in (("out", spec.outward), ("in", spec.inward)):
            if asked:
                new = ~taken[way][places]
                taken[way][places] = True
                near, far = (sources, targets) if way == "out" else (targets, sources)
                parts.append(Arcs(near[new], far[new], weights[new]))
    gate.halt.spent()
    return MeasuredGraph(rows, _side_by_side(parts))


def _taking_part(
    version: Version,
    every: EdgeList,
    spec: MeasuredEdges,
    visible: NDArray[np.bool_],
    halt: Halt,
) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
    """The places among *every* edge of the *visible* ones that *spec* takes, ascending, and their weights."""
    edges, places = every, np.arange(len(every))
    if spec.weight_property:
        column = version.docs.properties.get(spec.weight_property)
        edges = derive.reweighted(edges, column)
        places = np.searchsorted(every.stored, edges.stored)
    chosen = visible[places]
    if len(spec.types):
        chosen &= spec.types[version.edge_classes.types[edges.classes]] == 1
    places, weights = places[chosen], edges.weights[chosen]
    if spec.filter is None:
        return places, weights
    passing = edge_matches(spec.filter, version, edges.stored[chosen], halt)
    return places[passing], weights[passing]


def _side_by_side(parts: list[Arcs]) -> Arcs:
    return Arcs(
        np.concatenate([part.sources for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )
