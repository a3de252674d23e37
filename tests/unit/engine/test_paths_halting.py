"""Searches for paths stop where they are, with the paths that they know, and leave what the next call uses in order."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.engine import (
    paths_ground,
    paths_reach,
)
from passageway_server.engine.kernels import paths_reach as kernel
from passageway_server.engine.paths import FoundPaths, find_paths
from passageway_server.engine.paths_plan import PathPlan
from passageway_server.errors import Cancelled, DeadlineExceeded
from passageway_server.values.halt import Halt
from passageway_server.values.requests import PathMode
from tests.unit.engine.classed import GATE
from tests.unit.engine.path_worlds import World, chain, named
from tests.unit.engine.stopping import LONG, Stop, after

PATH = chain("a b, b c, c d, d e, e f, f g")


def paths(world: World, plan: PathPlan, halt: Halt) -> FoundPaths:
    gate = replace(GATE, halt=halt)
    ends = world.rows(["a"]), world.rows(["g"])
    return find_paths(
        world.version(), plan, sources=ends[0], targets=ends[1], scope=gate, read=gate
    )


@pytest.fixture(params=[PathPlan(), PathPlan(weighted=True), PathPlan(mode=PathMode.ALL_SIMPLE)])
def plan(request: pytest.FixtureRequest) -> PathPlan:
    plan: PathPlan = request.param
    return replace(plan, max_depth=6, most=3, timeout_ms=LONG)


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[], None]], None]:
    """Sets what happens in the middle of a level of a search, whose number is given."""

    def set_(number: int, stop: Callable[[], None]) -> None:
        monkeypatch.setattr(paths_reach, "list_edges", after(number, kernel.list_edges, stop))

    return set_


@pytest.mark.parametrize("level", [1, 3, 6])
def test_a_search_out_of_time_has_the_paths_it_knows(
    plan: PathPlan, level: int, levels: Callable[[int, Callable[[], None]], None]
) -> None:
    whole = paths(PATH, plan, Halt())
    halt = Halt()
    levels(level, halt.time_out)

    found = paths(PATH, plan, halt)

    assert [path.rows for path in whole.paths] == [tuple(PATH.rows(list("abcdefg")).tolist())]
    assert (found.timed_out, found.truncated, found.paths) == (True, False, [])
    assert 2 <= found.explored <= whole.explored
    assert paths(PATH, plan, Halt()) == whole


def test_paths_known_when_time_is_spent_are_in_the_answer(
    plan: PathPlan, levels: Callable[[int, Callable[[], None]], None]
) -> None:
    world, halt = chain("a g, a b, b g, b c, c d, d g"), Halt()
    # The edges of a and of g are known then, so a path of one edge and one of two are.
    levels(5, halt.time_out)

    found = paths(world, plan, halt)

    assert found.timed_out
    assert [ids for ids, _, _ in named(world, found)][:2] == [list("ag"), list("abg")]


@pytest.mark.usefixtures("no_time")
def test_a_search_without_time_finds_nothing(plan: PathPlan) -> None:
    found = paths(PATH, replace(plan, timeout_ms=1), Halt())

    assert (found.timed_out, found.paths, found.truncated) == (True, [], False)


@pytest.mark.parametrize(
    ("stop", "raised"), [(Halt.cancel, Cancelled), (Halt.expire, DeadlineExceeded)]
)
def test_a_search_of_a_call_that_is_over_leaves_the_scratch_to_the_next(
    plan: PathPlan,
    stop: Stop,
    raised: type[Exception],
    levels: Callable[[int, Callable[[], None]], None],
) -> None:
    whole, halt = paths(PATH, plan, Halt()), Halt()
    levels(3, lambda: stop(halt))

    with pytest.raises(raised):
        paths(PATH, plan, halt)

    assert paths(PATH, plan, Halt()) == whole


def test_spent_time_in_a_filter_of_a_search_is_spent_time_of_the_search(
    plan: PathPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    halt = Halt()

    def judge(*args: Any) -> NDArray[np.bool_]:
        halt.time_out()
        return np.zeros(len(args[2]), dtype=np.bool_)

    monkeypatch.setattr(paths_ground, "edge_matches", judge)
    some: Any = "any predicate"
    filtered = replace(plan, edges=(replace(plan.edges[0], filter=some),))

    found = paths(PATH, filtered, halt)

    assert (found.timed_out, found.paths) == (True, [])
    assert paths(PATH, plan, Halt()).paths
