"""On random graphs paths agree with brute force, caps give true paths, and hidden rows leave no trace."""

import dataclasses
import random

import pytest

from passageway_server.engine.paths_plan import PathEdges, PathPlan
from passageway_server.values.collections import Direction
from passageway_server.values.requests import PathMode
from tests.unit.engine.path_worlds import Arc, World, answer, brute, named


def random_world(chance: random.Random) -> World:
    size = chance.randint(2, 9)
    ids = [f"n{i}" for i in range(size)]
    chance.shuffle(ids)
    weights = chance.choice(
        [
            [1.0],
            [0.5],
            [0.0, 0.25, 0.5, 1.0, 2.0],
            [0.9, 0.81, 0.729, 0.3, 0.27],
            [chance.random() for _ in range(9)],
        ]
    )
    if chance.random() < 0.2:
        pairs = [(a, b) for a in ids for b in ids if a != b]
    else:
        pairs = [
            (chance.choice(ids), chance.choice(ids)) for _ in range(chance.randint(size, 5 * size))
        ]
    arcs = [
        Arc(
            source,
            target,
            chance.randrange(3),
            chance.choice(weights),
            chance.random() < 0.1,
            {"strength": chance.choice(weights)} if chance.random() < 0.7 else {},
        )
        for source, target in pairs
    ]
    hidden = frozenset(id for id in ids if chance.random() < 0.1)
    unfit, refused = frozenset[str](), frozenset[int]()
    if chance.random() < 0.3:
        unfit = frozenset(id for id in ids if chance.random() < 0.15)
        refused = frozenset(i for i in range(len(arcs)) if chance.random() < 0.2)
    return World(ids, arcs, hidden, unfit, refused)


def random_plan(chance: random.Random) -> PathPlan:
    specs = tuple(
        PathEdges(
            types=chance.choice([None, None, None, None, (0, 2), (1, 2), ()]),
            direction=chance.choice([Direction.OUT, Direction.IN, Direction.BOTH]),
            weight_property=chance.choice(["", "", "strength"]),
        )
        for _ in range(chance.choice([1, 1, 2, 3]))
    )
    max_depth = chance.randint(1, 6)
    simple = chance.random() < 0.4
    return PathPlan(
        mode=PathMode.ALL_SIMPLE if simple else PathMode.SHORTEST,
        edges=specs,
        most=chance.choice([1, 5, 100]) if simple else chance.randint(1, 10),
        min_depth=chance.randint(0, max_depth) if simple else 0,
        max_depth=max_depth,
        weighted=not simple and chance.random() < 0.6,
        max_frontier=100_000,
    )


def random_ends(chance: random.Random, world: World) -> list[str]:
    return [chance.choice([*world.ids, "nowhere"]) for _ in range(chance.choice([1, 1, 2, 3]))]


@pytest.mark.parametrize("seed", range(30))
def test_without_caps_the_answer_is_that_of_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(50):
        world, plan = random_world(chance), random_plan(chance)
        sources, targets = random_ends(chance, world), random_ends(chance, world)

        found = answer(world, plan, sources, targets)

        expected = brute(world, plan, sources, targets)
        assert named(world, found) == expected[: plan.most]
        simple = plan.mode is PathMode.ALL_SIMPLE
        assert found.truncated == (simple and len(expected) > plan.most)


@pytest.mark.parametrize("seed", range(30))
def test_caps_leave_true_paths_in_true_order_and_hidden_rows_no_trace(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(50):
        world = random_world(chance)
        plan = random_plan(chance)
        specs = [
            dataclasses.replace(spec, max_frontier=chance.choice([1, 2, 100]))
            for spec in plan.edges
        ]
        plan = dataclasses.replace(
            plan,
            edges=tuple(specs),
            max_frontier=chance.choice([1, 2, 3, 100]),
            max_degree=chance.choice([1, 2, 3, 100]),
            max_prefixes=chance.choice([1, 3, 10, 1000]),
        )
        sources, targets = random_ends(chance, world), random_ends(chance, world)

        found = answer(world, plan, sources, targets)

        every = brute(world, plan, sources, targets)
        places = [every.index(path) for path in named(world, found)]
        assert places == sorted(set(places))
        if not found.truncated:
            assert places == list(range(min(plan.most, len(every))))
        bare = world.without_hidden()
        again = answer(bare, plan, sources, targets)
        assert named(bare, again) == named(world, found)
        assert (again.truncated, again.explored) == (found.truncated, found.explored)
