"""Walks agree with a slow walk to the last bit, and hidden rows leave no trace."""

import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from passageway_server.engine.kernels.compiling import LOOK
from passageway_server.engine.plans import HopPlan, Seeds, WalkPlan
from passageway_server.engine.walk import run_walk
from passageway_server.errors import LimitExceeded
from tests.unit.engine.classed import TYPES
from tests.unit.engine.plain_walk import (
    BOTH,
    IN,
    OUT,
    PlainGraph,
    PlainHop,
    PlainPlan,
    PlainWalked,
    plain_walk,
)
from tests.unit.engine.walking import (
    Engine,
    merge_pieces_of,
    random_graph,
    use_functions_as_predicates,
)

GRAPHS = 400
PIECES = (1, 2, 5, LOOK)


@pytest.fixture(autouse=True)
def _predicates(monkeypatch: pytest.MonkeyPatch) -> None:
    use_functions_as_predicates(monkeypatch)


def odd_ones_out(modulus: int) -> Callable[[str], bool]:
    return lambda node: int(node[1:]) % modulus > 0


def random_hop(rng: random.Random) -> PlainHop:
    modulus = rng.choice((2, 3))
    return PlainHop(
        direction=rng.choice((OUT, OUT, IN, BOTH, BOTH)),
        types=rng.choice((None, None, frozenset({rng.randrange(TYPES), 1}), frozenset())),
        decay=rng.choice((1.0, 0.5, 0.3, 2.0)),
        edges=rng.choice((None, None, lambda arc: arc.stored % modulus > 0)),
        nodes=rng.choice((None, None, odd_ones_out(modulus))),
        max_degree=rng.choice((0, 0, 3, 6)),
        max_per_node=rng.choice((0, 0, 1, 3)),
        max_frontier=rng.choice((0, 0, 1, 4)),
    )


def random_plan(rng: random.Random) -> PlainPlan:
    return PlainPlan(
        hops=tuple(random_hop(rng) for _ in range(rng.randint(0, 3))),
        summing=rng.random() < 0.6,
        nodes=rng.choice((None, None, odd_ones_out(5))),
        max_nodes=rng.choice((100_000, 100_000, 8)),
        max_edges=rng.choice((100_000, 100_000, 12)),
    )


def outcome(
    walk: Callable[[PlainPlan, dict[str, float]], PlainWalked],
    plan: PlainPlan,
    seeds: dict[str, float],
) -> PlainWalked | str:
    """What the walk reaches, or the cap that it passed."""
    try:
        return walk(plan, seeds)
    except LimitExceeded as error:
        return error.limit_reason


@pytest.mark.parametrize("block", range(8))
def test_a_walk_agrees_with_the_slow_one_to_the_last_bit(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge_pieces_of(monkeypatch, PIECES[block % len(PIECES)])
    for seed in range(block * GRAPHS // 8, (block + 1) * GRAPHS // 8):
        rng = random.Random(seed)
        graph = random_graph(rng)
        engine = Engine(graph, shuffle=rng)
        readable = [id for id in graph.nodes if id not in graph.hidden]
        for _ in range(4):
            plan = random_plan(rng)
            chosen = rng.sample(readable, min(len(readable), rng.randint(1, 4)))
            seeds = {id: rng.choice((1.0, 1.0, 0.25, rng.random() + 0.01)) for id in chosen}

            found = outcome(engine.walk, plan, seeds)

            assert found == outcome(partial(plain_walk, graph), plan, seeds)


def test_hidden_rows_and_edges_leave_no_trace() -> None:
    for seed in range(100):
        rng = random.Random(seed)
        graph = random_graph(rng)
        seen = PlainGraph(
            [id for id in graph.nodes if id not in graph.hidden],
            [
                arc
                for arc in graph.arcs
                if not arc.hidden and not {arc.source, arc.target} & graph.hidden
            ],
        )
        plan, seeds = random_plan(rng), {seen.nodes[0]: 1.0}

        found = outcome(Engine(graph).walk, plan, seeds)

        assert found == outcome(Engine(seen, shuffle=rng).walk, plan, seeds)


def test_the_first_k_of_all_are_the_answer_to_limit_k() -> None:
    rng = random.Random(7)
    graph = random_graph(rng)
    engine = Engine(graph)
    walked = run_walk(
        engine.version,
        WalkPlan(hops=(HopPlan(inward=True), HopPlan(inward=True))),
        Seeds(np.array([0], dtype=np.int32), np.ones(1)),
        scope=engine.gate,
        read=engine.gate,
    )
    whole = engine.ranked(walked, len(walked))

    assert all(engine.ranked(walked, limit) == whole[:limit] for limit in range(len(walked) + 2))
