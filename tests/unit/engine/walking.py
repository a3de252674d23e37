"""The engine over a plain graph: what stands in for a version, and for predicates."""

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.gates import NEVER, Gate, Gates
from passageway_server.columns.readers import ANYONE
from passageway_server.engine import sieve, walk
from passageway_server.engine.kernels import changes
from passageway_server.engine.kernels.reach import IN as WAY_IN
from passageway_server.engine.kernels.step import NO_CAP
from passageway_server.engine.lending import Pool
from passageway_server.engine.made import Made
from passageway_server.engine.plans import EVERY_TYPE, HopPlan, Seeds, SharedPlan, WalkPlan
from passageway_server.engine.predicate import Predicate
from passageway_server.engine.ranking import first_of
from passageway_server.engine.scratch import WalkScratch
from passageway_server.engine.walk import run_walk
from passageway_server.engine.walked import Walked
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version
from tests.unit.columns.histories import arriving
from tests.unit.engine.classed import GATE, HIDDEN_SET, TYPES, class_of
from tests.unit.engine.keyed import key_of, place_of
from tests.unit.engine.plain_walk import (
    IN,
    OUT,
    Arc,
    PlainGraph,
    PlainHit,
    PlainHop,
    PlainPlan,
    PlainWalked,
    made_number,
)

_EDGE = ("sources", "targets", "weights", "classes")


class _Nodes(list[str]):
    """Ids by row, and the type of each."""

    type: ByRow[np.int32]


class Engine:
    """A graph as the engine sees it. A predicate is here a function over an id, or over an edge.

    With *shuffle* rows are in any order, keys are of all kinds, and the adjacency is one that commits have changed.
    """

    def __init__(self, graph: PlainGraph, *, shuffle: random.Random | None = None) -> None:
        ids = list(graph.nodes)
        if shuffle is not None:
            shuffle.shuffle(ids)
        self.graph, self.ids, self.arcs = graph, ids, {arc.stored: arc for arc in graph.arcs}
        self.row = {id: row for row, id in enumerate(ids)}
        numbers = [arc.stored for arc in graph.arcs]
        self._keyed = shuffle is not None
        if self._keyed:
            numbers = [key_of(number, 1 + max(numbers)) for number in numbers]
        edges = EdgeList(
            sources=np.array([self.row[arc.source] for arc in graph.arcs], dtype=np.int32),
            targets=np.array([self.row[arc.target] for arc in graph.arcs], dtype=np.int32),
            weights=np.array([arc.weight for arc in graph.arcs], dtype=np.float64),
            classes=np.array([class_of(arc.type, arc.hidden) for arc in graph.arcs], np.int32),
            stored=np.array(numbers, dtype=np.int32),
        )
        out = Adjacency.build(edges, rows=len(ids), reverse=False)
        into = Adjacency.build(edges, rows=len(ids), reverse=True)
        if shuffle is not None:
            columns = (getattr(edges, name).tolist() for name in _EDGE)
            listed = dict(zip(numbers, zip(*columns, strict=True), strict=True))
            state = arriving(shuffle, listed, len(ids))
            out, into = state.out, state.into
        nodes = _Nodes(ids)
        types: NDArray[np.int32] = np.array([graph.types.get(id, 0) for id in ids], dtype=np.int32)
        nodes.type = ByRow[np.int32].of(types)
        rank = np.empty(len(ids), dtype=np.int32)
        rank[[self.row[id] for id in sorted(ids)]] = np.arange(len(ids), dtype=np.int32)
        classes = np.array([int(id in graph.hidden) for id in ids], dtype=np.int32)
        gates = Gates(
            of=classes,
            expiry=np.full(len(ids), NEVER, dtype=np.int64),
            readers=np.array([ANYONE, HIDDEN_SET], dtype=np.int32),
            project=np.zeros(2, dtype=np.int32),
            retired_by=np.zeros(2, dtype=np.uint8),
            expires=np.zeros(2, dtype=np.uint8),
        )
        self.gate = GATE
        self.version = cast(
            Version,
            SimpleNamespace(
                nodes=nodes,
                out=out,
                into=into,
                gates=gates,
                rank=rank,
                engine=self,
            ),
        )

    def walk(
        self, plan: PlainPlan, seeds: dict[str, float], *, with_traversed: bool = True
    ) -> PlainWalked:
        """The walk of *plan* by the kernels, all of it ranked."""
        walked = run_walk(
            self.version,
            WalkPlan(
                hops=tuple(_hop(hop) for hop in plan.hops),
                summing=plan.summing,
                nodes=cast(Predicate | None, plan.nodes),
                max_nodes=plan.max_nodes,
                with_traversed=with_traversed,
                max_edges=plan.max_edges,
            ),
            Seeds(
                np.array([self.row[id] for id in seeds], dtype=np.int32),
                np.array(list(seeds.values()), dtype=np.float64),
            ),
            scope=self.gate,
            read=self.gate,
        )
        throughs: dict[int, str] = {}

        def number(stored: int, hop: int) -> int:
            """The plain number of an edge; of a made one the node between is noted."""
            if stored < walked.made.first:
                return self.number_of(stored)
            ends, between, spec = self._made(walked.made, stored)
            spec -= sum(len(earlier.shared) for earlier in plan.hops[: hop - 1])
            found = made_number(self.graph, hop, *ends, spec)
            throughs[found] = between
            return found

        hits = [self._hit(walked, place) for place in self.ranked(walked, len(walked))]
        for hit in hits:
            if hit.hop:
                hit.stored = number(hit.stored, hit.hop)
        edges = walked.traversed
        traversed = zip(edges.hops.tolist(), edges.stored.tolist(), strict=True)
        return PlainWalked(hits, [(hop, number(one, hop)) for hop, one in traversed], throughs)

    def number_of(self, key: int) -> int:
        """What the plain graph calls the stored edge of *key*."""
        return place_of(key) if self._keyed else key

    def _made(self, made: Made, stored: int) -> tuple[tuple[str, str], str, int]:
        """The ends of a made edge, the node between them, and the spec by which it was made."""
        entry = stored - made.first
        rows = (made.sources[entry], made.targets[entry], made.throughs[entry])
        source, target, between = (self.ids[int(row)] for row in rows)
        return (source, target), between, int(made.by[entry])

    def ranked(self, walked: Walked, limit: int) -> list[int]:
        places = np.arange(len(walked), dtype=np.int32)
        found = first_of(walked.scores, walked.hops, walked.rows, self.version.rank, places, limit)
        return cast(list[int], found.tolist())

    def _hit(self, walked: Walked, place: int) -> PlainHit:
        hit = PlainHit(
            self.ids[int(walked.rows[place])], float(walked.scores[place]), int(walked.hops[place])
        )
        if hit.hop:
            hit.via = self.ids[int(walked.rows[walked.via[place]])]
            hit.stored = int(walked.edges[place])
            hit.way = IN if walked.ways[place] == WAY_IN else OUT
        return hit


def _hop(hop: PlainHop) -> HopPlan:
    table = EVERY_TYPE
    if hop.types is not None:
        table = np.array([kind in hop.types for kind in range(TYPES)], dtype=np.uint8)
    return HopPlan(
        outward=hop.direction != IN,
        inward=hop.direction != OUT,
        out_types=table,
        in_types=table,
        decay=hop.decay,
        edges=cast(Predicate | None, hop.edges),
        nodes=cast(Predicate | None, hop.nodes),
        max_degree=hop.max_degree or NO_CAP,
        max_per_node=hop.max_per_node or NO_CAP,
        max_frontier=hop.max_frontier or NO_CAP,
        shared=tuple(
            SharedPlan("SHARES", one.type, one.through, one.weight, one.max_members)
            for one in hop.shared
        ),
    )


def use_functions_as_predicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a predicate be a function over an id, or over an edge; each distinct row is judged once."""

    def judge(passes: Callable[[Any], bool], items: list[Any]) -> NDArray[np.bool_]:
        return np.array([passes(item) for item in items], dtype=np.bool_)

    def matches(predicate: Any, version: Any, rows: Any, gate: Gate) -> NDArray[np.bool_]:
        assert len(set(rows.tolist())) == len(rows)
        return judge(predicate, [version.engine.ids[row] for row in rows.tolist()])

    def edge_matches(predicate: Any, version: Any, stored: Any, halt: Halt) -> NDArray[np.bool_]:
        engine: Engine = version.engine
        return judge(predicate, [engine.arcs[engine.number_of(key)] for key in stored.tolist()])

    monkeypatch.setattr(sieve, "matches", matches)
    monkeypatch.setattr(sieve, "edge_matches", edge_matches)


def merge_pieces_of(monkeypatch: pytest.MonkeyPatch, edges: int) -> None:
    """Let so many edges of a row that changed be merged at a time."""
    monkeypatch.setattr(changes, "PIECE", edges)
    monkeypatch.setattr(walk, "_POOL", Pool(WalkScratch))


def random_graph(rng: random.Random) -> PlainGraph:
    """4 to 40 nodes with hubs, cycles, self-loops, parallel edges, zero and equal weights, hidden parts."""
    nodes = [f"{rng.choice('aZé')}{number}" for number in range(rng.randint(4, 40))]
    hubs = rng.sample(nodes, 2)
    arcs = [
        Arc(
            stored,
            rng.choice(hubs if rng.random() < 0.3 else nodes),
            rng.choice(hubs if rng.random() < 0.2 else nodes),
            rng.randrange(TYPES),
            rng.choice((0.0, 0.5, 0.5, 1.0, 1.0, 1.0, rng.random(), 3.25)),
            hidden=rng.random() < 0.1,
        )
        for stored in range(rng.randint(0, 4 * len(nodes)))
    ]
    return PlainGraph(nodes, arcs, frozenset(rng.sample(nodes, len(nodes) // 4)))
