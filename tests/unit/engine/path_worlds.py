"""Small graphs for tests of paths, and brute force over them."""

import dataclasses
import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.gates import NEVER, Gates
from passageway_server.columns.readers import ANYONE
from passageway_server.engine.paths import FoundPaths, find_paths, paths_on
from passageway_server.engine.paths_ground import Judge, ground
from passageway_server.engine.paths_plan import PathPlan
from passageway_server.values.collections import Direction
from passageway_server.values.requests import PathMode
from passageway_server.version.version import Version
from tests.unit.columns.histories import arriving
from tests.unit.engine.classed import GATE, HIDDEN_SET, class_of
from tests.unit.engine.keyed import key_of, place_of

_EDGE = ("sources", "targets", "weights", "classes")


@dataclass(frozen=True)
class Arc:
    source: str
    target: str
    type: int = 0
    weight: float = 1.0
    hidden: bool = False
    weights: dict[str, float] = field(default_factory=dict[str, float])


Answer = list[tuple[list[str], list[Arc], float]]


@dataclass(frozen=True)
class World:
    """A graph in stored order; ids are in the order of their rows."""

    ids: list[str]
    arcs: list[Arc]
    hidden: frozenset[str] = frozenset()
    unfit: frozenset[str] = frozenset()
    refused: frozenset[int] = frozenset()  # positions of arcs that fail spec 0's filter

    def seen(self) -> list[Arc]:
        return [
            arc
            for arc in self.arcs
            if not (arc.hidden or arc.source in self.hidden or arc.target in self.hidden)
            and arc.source != arc.target
        ]

    def without_hidden(self) -> "World":
        kept = [
            i
            for i, arc in enumerate(self.arcs)
            if not (arc.hidden or arc.source in self.hidden or arc.target in self.hidden)
        ]
        refused = frozenset(new for new, old in enumerate(kept) if old in self.refused)
        ids = [id for id in self.ids if id not in self.hidden]
        return World(ids, [self.arcs[i] for i in kept], unfit=self.unfit, refused=refused)

    def version(self) -> Version:
        row = {id: i for i, id in enumerate(self.ids)}

        def pair(name: str, _halt: object = None) -> tuple[Adjacency, Adjacency]:
            chosen = [
                (stored, arc)
                for stored, arc in enumerate(self.arcs)
                if arc.source != arc.target and (not name or name in arc.weights)
            ]
            edges = EdgeList(
                sources=np.array([row[arc.source] for _, arc in chosen], dtype=np.int32),
                targets=np.array([row[arc.target] for _, arc in chosen], dtype=np.int32),
                weights=np.array(
                    [arc.weights[name] if name else arc.weight for _, arc in chosen],
                    dtype=np.float64,
                ),
                classes=np.array([class_of(arc.type, arc.hidden) for _, arc in chosen], np.int32),
                stored=np.array(
                    [key_of(stored, len(self.arcs)) for stored, _ in chosen], dtype=np.int32
                ),
            )
            columns = (getattr(edges, name).tolist() for name in _EDGE)
            listed = dict(zip(edges.stored.tolist(), zip(*columns, strict=True), strict=True))
            state = arriving(random.Random(len(self.arcs)), listed, len(self.ids))
            return state.out, state.into

        out, into = pair("")
        ranks = {id: place for place, id in enumerate(sorted(self.ids))}
        gates = Gates(
            of=np.array([int(id in self.hidden) for id in self.ids], dtype=np.int32),
            expiry=np.full(len(self.ids), NEVER, dtype=np.int64),
            readers=np.array([ANYONE, HIDDEN_SET], dtype=np.int32),
            project=np.zeros(2, dtype=np.int32),
            retired_by=np.zeros(2, dtype=np.uint8),
            expires=np.zeros(2, dtype=np.uint8),
        )
        return cast(
            Version,
            SimpleNamespace(
                out=out,
                into=into,
                weighted=pair,
                rank=np.array([ranks[id] for id in self.ids], dtype=np.int32),
                gates=gates,
                edge_types=["a", "b", "c", "d"],
            ),
        )

    def rows(self, ids: list[str]) -> NDArray[np.int32]:
        rows = [self.ids.index(id) if id in self.ids else -1 for id in ids]
        return np.array(rows, dtype=np.int32)


def none_of(failing: NDArray[np.int32]) -> Judge:
    """A filter that just these rows, or edges, fail."""

    def judge(asked: NDArray[np.int32]) -> NDArray[np.bool_]:
        return ~np.isin(asked, failing)

    return judge


def keys_of(world: World, places: Iterable[int]) -> NDArray[np.int32]:
    """The keys of some of the arcs."""
    return np.array([key_of(place, len(world.arcs)) for place in places], dtype=np.int32)


def answer(world: World, plan: PathPlan, sources: list[str], targets: list[str]) -> FoundPaths:
    version = world.version()
    if not (world.unfit or world.refused):
        return find_paths(
            version,
            plan,
            sources=world.rows(sources),
            targets=world.rows(targets),
            scope=GATE,
            read=GATE,
        )
    filtered = dataclasses.replace(
        ground(version, plan, scope=GATE, read=GATE),
        fits=none_of(world.rows(sorted(world.unfit))),
        usable={0: none_of(keys_of(world, sorted(world.refused)))},
    )

    def visible(ids: list[str]) -> NDArray[np.int32]:
        rows = world.rows([id for id in dict.fromkeys(ids) if id not in world.hidden])
        return rows[rows >= 0]

    return paths_on(filtered, plan, sources=visible(sources), targets=visible(targets))


def named(world: World, found: FoundPaths) -> Answer:
    return [
        (
            [world.ids[row] for row in path.rows],
            [world.arcs[place_of(key)] for key in path.edges],
            path.cost,
        )
        for path in found.paths
    ]


def shown(world: World, plan: PathPlan, source: str, target: str) -> list[str]:
    found = answer(world, plan, [source], [target])
    return [" ".join(ids) for ids, _, _ in named(world, found)]


def brute(world: World, plan: PathPlan, sources: list[str], targets: list[str]) -> Answer:
    """Every simple path by the words of the spec, in the order asked, without the cap on how many."""
    steps: dict[str, dict[str, tuple[float, int]]] = {}
    for stored, arc in enumerate(world.arcs):
        if arc not in world.seen():
            continue
        for number, spec in enumerate(plan.edges):
            if spec.types is not None and arc.type not in spec.types:
                continue
            if number == 0 and stored in world.refused:
                continue
            if spec.weight_property and spec.weight_property not in arc.weights:
                continue
            weight = arc.weights[spec.weight_property] if spec.weight_property else arc.weight
            cost = 1.0
            if plan.weighted:
                if weight == 0:
                    continue
                cost = 0.0 if weight >= 1 else -math.log(weight)
            ways: list[tuple[str, str]] = []
            if spec.direction is not Direction.IN:
                ways.append((arc.source, arc.target))
            if spec.direction is not Direction.OUT:
                ways.append((arc.target, arc.source))
            for here, there in ways:
                known = steps.setdefault(here, {}).get(there, (math.inf, 0))
                steps[here][there] = min(known, (cost, stored))
    blocked = world.hidden | world.unfit
    goals = {id for id in targets if id in world.ids and id not in blocked}
    found: Answer = []

    def extend(path: list[str], edges: list[Arc], cost: float) -> None:
        if path[-1] in goals and len(edges) >= plan.min_depth:
            found.append((list(path), list(edges), cost))
        if len(edges) == plan.max_depth:
            return
        for there, (more, stored) in steps.get(path[-1], {}).items():
            if there not in path and there not in blocked:
                extend([*path, there], [*edges, world.arcs[stored]], cost + more)

    for id in dict.fromkeys(sources):
        if id in world.ids and id not in blocked:
            extend([id], [], 0.0)
    if plan.mode is PathMode.ALL_SIMPLE:
        return sorted(found, key=lambda path: (len(path[1]), path[0]))
    return sorted(found, key=lambda path: (path[2], len(path[1]), path[0]))


def chain(text: str) -> World:
    """A world of arrows: ``a b 0.5, b c`` is two arcs."""
    arcs: list[Arc] = []
    for arrow in text.split(","):
        source, target, *weight = arrow.split()
        arcs.append(Arc(source, target, weight=float(weight[0]) if weight else 1.0))
    return World(sorted({end for arc in arcs for end in (arc.source, arc.target)}), arcs)
