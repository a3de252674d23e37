"""Edges made of two: a walk with them agrees with a slow one, and hidden rows leave no trace."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from passageway_server.engine import shared
from tests.unit.engine.plain_walk import (
    Arc,
    PlainGraph,
    PlainPlan,
    PlainShared,
    PlainWalked,
    plain_walk,
)
from tests.unit.engine.test_walk import outcome, random_plan
from tests.unit.engine.walking import (
    Engine,
    merge_pieces_of,
    random_graph,
    use_functions_as_predicates,
)

GRAPHS = 600
MIDDLE, FAR = 1, 3
"""The type of the nodes between, and that of the edges to them."""


@pytest.fixture(autouse=True)
def _predicates(monkeypatch: pytest.MonkeyPatch) -> None:
    use_functions_as_predicates(monkeypatch)


def random_shared(rng: random.Random) -> PlainShared:
    return PlainShared(
        type=rng.choice((FAR, FAR, FAR, 0)),
        through=rng.choice((MIDDLE, MIDDLE, MIDDLE, 0)),
        weight=rng.choice((0.0, 0.5, 1.0, 1.0, 2.0)),
        max_members=rng.choice((3, 6, 1000, 1000)),
    )


def sharing(rng: random.Random) -> tuple[PlainGraph, PlainPlan, dict[str, float]]:
    """A graph where many nodes lead to a few, a walk with made edges, and its seeds."""
    graph = random_graph(rng)
    middles = rng.sample(graph.nodes, 3)
    leading = [(node, rng.choice(middles)) for node in graph.nodes for _ in range(rng.randrange(3))]
    arcs = [
        Arc(stored, source, target, FAR, rng.choice((0.5, 1.0)), hidden=rng.random() < 0.1)
        for stored, (source, target) in enumerate(leading, start=len(graph.arcs))
    ]
    graph = replace(
        graph, arcs=graph.arcs + arcs, types={id: MIDDLE for id in middles if rng.random() < 0.8}
    )
    plan = random_plan(rng)
    hops = tuple(
        replace(hop, shared=tuple(random_shared(rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))))
        for hop in plan.hops
    )
    readable = [id for id in graph.nodes if id not in graph.hidden]
    chosen = rng.sample(readable, min(len(readable), rng.randint(1, 4)))
    seeds = {id: rng.choice((1.0, 1.0, 0.25, rng.random() + 0.01)) for id in chosen}
    max_nodes, max_edges = rng.choice(((100_000, 100_000),) * 6 + ((8, 100_000), (100_000, 40)))
    return graph, replace(plan, hops=hops, max_nodes=max_nodes, max_edges=max_edges), seeds


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
@pytest.mark.parametrize("block", range(4))
def test_a_walk_with_made_edges_agrees_with_the_slow_one(
    block: int, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "PIECE", piece)
    merge_pieces_of(monkeypatch, block + 1)
    made = 0
    for seed in range(block * GRAPHS // 4, (block + 1) * GRAPHS // 4):
        rng = random.Random(seed)
        graph, plan, seeds = sharing(rng)
        engine = Engine(graph, shuffle=rng)

        found = outcome(engine.walk, plan, seeds)

        assert found == outcome(partial(plain_walk, graph), plan, seeds)
        if isinstance(found, PlainWalked):
            made += len(found.throughs)
            without = engine.walk(plan, seeds, with_traversed=False)
            assert (without.hits, without.traversed) == (found.hits, [])
            assert {hit.stored: found.throughs.get(hit.stored) for hit in found.hits} == {
                hit.stored: without.throughs.get(hit.stored) for hit in found.hits
            }
    assert made > 80


def test_hidden_rows_and_edges_leave_no_trace() -> None:
    def by_ends(walk: Callable[..., PlainWalked], graph: PlainGraph) -> object:
        """What is reached, with made edges named by what is not a place in a list of all ids."""
        found = outcome(walk, plan, seeds)
        if isinstance(found, str):
            return found
        return [
            (hit.id, hit.score, hit.hop, hit.via, found.throughs.get(hit.stored, hit.stored))
            for hit in found.hits
        ], [found.throughs.get(stored, stored) for _, stored in found.traversed]

    for seed in range(150):
        rng = random.Random(seed)
        graph, plan, seeds = sharing(rng)
        seen = PlainGraph(
            [id for id in graph.nodes if id not in graph.hidden],
            [
                arc
                for arc in graph.arcs
                if not arc.hidden and not {arc.source, arc.target} & graph.hidden
            ],
            types=graph.types,
        )

        found = by_ends(Engine(graph).walk, graph)

        assert found == by_ends(Engine(seen, shuffle=rng).walk, seen)
