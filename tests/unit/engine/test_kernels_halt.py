"""Each kernel leaves its loop when its halt is set: before it begins, or in the middle of its work.

The byte that a kernel polls can be one that it writes itself, so that it halts itself at a known step,
and what it did by then shows where it stopped.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway_server.engine.kernels import (
    listed,
    order,
    paths_bounds,
    paths_cheapest,
    paths_reach,
    paths_search,
    reach,
    shared,
)
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.changes import merge_first
from passageway_server.engine.kernels.compiling import LOOK
from passageway_server.engine.kernels.step import Listed
from passageway_server.engine.scratch import WalkScratch
from passageway_server.values.halt import CALLER_GONE, GOES_ON
from tests.unit.engine.stars import EVERY, MANY, STEP, Star, byte_of, halted_at, out_step, stops


@pytest.fixture(params=[False, True], ids=["as packed", "changed since"])
def changed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_a_walk_stops_in_the_middle_of_a_hub(changed: bool) -> None:
    followed = Listed.room(2 * MANY)
    followed.ways[:] = 0
    star = Star(byte_of(followed.ways, STEP), changed=changed)

    noted = star.follow(followed)

    assert halted_at(noted)
    reached = star.reached
    assert reached.total[0] == noted + 1
    assert (reached.place[1 : noted + 1] == np.arange(2, noted + 2)).all()
    reach.forget(reached)
    assert not reached.place.any()


def test_a_walk_that_is_halted_from_the_start_follows_nothing(changed: bool) -> None:
    star = Star(stops(CALLER_GONE), changed=changed)

    assert star.follow(Listed.room(MANY)) == 0
    assert star.follow(Listed.room(MANY), max_degree=MANY - 1) == 0
    assert star.reached.total[0] == 1


def test_edges_are_listed_up_to_the_halt(changed: bool) -> None:
    edges = Listed.room(2 * MANY)
    edges.ways[:] = 0

    assert halted_at(Star(byte_of(edges.ways, STEP), changed=changed).gather(edges))
    assert Star(stops(CALLER_GONE), changed=changed).gather(edges) == 0
    assert Star(stops(CALLER_GONE), changed=changed).gather(edges, max_degree=MANY - 1) == 0
    assert Star(stops(GOES_ON), changed=changed).gather(edges) == MANY


def test_edges_are_merged_up_to_the_halt() -> None:
    star = Star(stops(GOES_ON), changed=True)
    merged = star.merged.out
    assert merge_first(star.edges, merged, 0, 2 * LOOK, stops(GOES_ON)) == LOOK
    assert merged.stored.tolist() == list(range(2 * LOOK, 3 * LOOK))

    assert merge_first(star.edges, merged, 0, 2 * LOOK, stops(CALLER_GONE)) == 0


def test_members_and_what_they_point_at_are_looked_for_up_to_the_halt(changed: bool) -> None:
    marks, rows = np.zeros(MANY + 1, dtype=np.uint8), np.zeros(1, dtype=np.int32)
    entries, found = np.empty((2, 2 * MANY), dtype=np.int32)
    bounds = np.zeros(2, dtype=np.int64)

    def pointed(stop: NDArray[np.uint8]) -> int:
        star = Star(stop, changed=changed)
        return shared.pointed_at(star.edges, star.sight, marks, rows, EVERY, entries, found)

    def members(stop: NDArray[np.uint8]) -> int:
        star = Star(stop, changed=changed)
        shared.pointing_at(star.edges, star.sight, marks, rows, EVERY, MANY, bounds, found)
        return int(bounds[1])

    for looking in (pointed, members):
        assert looking(stops(CALLER_GONE)) == 0
        assert looking(stops(GOES_ON)) == MANY
    assert not marks.any()


def test_listed_edges_are_followed_up_to_the_halt() -> None:
    star = Star(stops(GOES_ON))
    edges = Listed.room(MANY)
    star.gather(edges)
    star.reached.ways[:] = 0
    edges.ways[:] = reach.IN

    listed.follow(star.rank, star.reached, out_step(), edges, 1, byte_of(star.reached.ways, STEP))

    assert halted_at(int(star.reached.total[0]))


def test_distinct_values_are_looked_for_up_to_the_halt() -> None:
    values, found = np.arange(MANY, dtype=np.int32), np.empty(MANY, dtype=np.int32)
    marks = np.zeros(MANY, dtype=np.uint8)

    assert listed.distinct(values, marks, found, stops(CALLER_GONE)) == 0
    assert listed.distinct(values, marks, found, stops(GOES_ON)) == MANY


def test_places_are_neither_chosen_nor_sorted_nor_dropped_for_a_caller_who_has_gone() -> None:
    reached = WalkScratch(MANY).reached
    reached.rows[:MANY] = np.arange(MANY)
    reached.scores[:MANY] = np.arange(MANY)
    reached.hops[:MANY] = 1
    reached.total[0] = MANY
    rank, gone = sealed(np.arange(MANY, dtype=np.int32)), stops(CALLER_GONE)
    places = np.arange(MANY, dtype=np.int32)
    compared = reached.scores, reached.hops, reached.rows, rank

    order.sort(*compared, places, 0, MANY, gone)
    assert (places == np.arange(MANY)).all()

    order.best(*compared, places, MANY, 10, gone)
    assert places[:10].max() <= LOOK

    reach.keep(reached, rank, 0, 10, gone)
    assert reached.total[0] <= LOOK


def line(length: int = MANY) -> tuple[NDArray[Any], ...]:
    """Lists by node in which each leads to the next: starts, stops, ends, costs."""
    starts = np.arange(length, dtype=np.int64)
    ends = np.minimum(starts + 1, length - 1).astype(np.int32)
    return starts, starts + 1, ends, np.ones(length)


def unwalked(edges: int, nodes: int, end: int) -> NDArray[np.float64]:
    least = np.zeros((edges + 1, nodes))
    least[0] = np.inf
    least[0, end] = 0.0
    return least


def spreading(stop: NDArray[np.uint8]) -> object:
    """So many rounds that they would take years."""
    edges = np.zeros(1000, dtype=np.int32)
    chunks, distances = np.array([0, 1000, 0]), np.zeros(1, dtype=np.uint8)
    return paths_bounds.spread(edges, edges, chunks, distances, 1, 1 << 60, 1 << 61, stop)


def test_spreading_ends() -> None:
    spreading(stops(CALLER_GONE))


def test_useful_edges_are_looked_for_up_to_the_halt() -> None:
    sources, targets = np.arange(MANY, dtype=np.int32), np.arange(1, MANY + 1, dtype=np.int32)
    near = np.zeros(MANY + 1, dtype=np.uint8)
    seen = np.zeros(MANY + 1, dtype=np.int32)

    chosen, met = paths_bounds.useful(
        sources, targets, MANY, near, near, 9, -1, -1, seen,
        np.empty(MANY, dtype=np.int32), np.empty(MANY + 1, dtype=np.int32),
        byte_of(seen, STEP),
    )  # fmt: skip

    assert halted_at(chosen)
    assert met == chosen + 1


def test_steps_to_a_target_are_looked_for_up_to_the_halt() -> None:
    starts, stops_, ends, costs = line()
    begins = np.zeros(3 * MANY + 1, dtype=np.int64)
    begun = np.zeros((3, MANY))
    least = np.zeros((3, MANY))
    round_of_one = byte_of(begins, MANY + STEP + 1)  # set as node STEP + 1 is done, in round 1

    paths_bounds.to_go(
        starts, stops_, ends, costs, begun, 9.0, least, begins,
        np.empty(2 * MANY, dtype=np.int32), round_of_one,
    )  # fmt: skip

    assert not least[2].any()
    assert np.count_nonzero(least[1]) == STEP + 1


def test_costs_so_far_are_summed_up_to_the_halt() -> None:
    starts, stops_, ends, costs = line()
    least = unwalked(3, MANY, 0)

    paths_bounds.so_far(starts, stops_, ends, costs, least, byte_of(least, 2 * MANY, 7))

    assert least[1, 1] == 1.0
    assert not least[3].any()


def grouping(stop: NDArray[np.uint8]) -> NDArray[np.int64]:
    edges = np.arange(MANY, dtype=np.int32)
    ends = np.zeros(1, dtype=np.int64)
    ones = np.zeros(MANY, dtype=np.int32)
    paths_bounds.group(
        ones, ones, np.zeros(MANY), edges, edges, ones, np.zeros(1, dtype=np.int64), ends,
        np.empty(MANY, dtype=np.int32), np.empty(MANY), np.empty(MANY, dtype=np.int32), stop,
    )  # fmt: skip
    return ends


def turning(stop: NDArray[np.uint8]) -> NDArray[np.int64]:
    starts, stops_, ends, _ = line()
    begins = np.zeros(MANY + 1, dtype=np.int64)
    backs = np.empty(MANY, dtype=np.int32)
    paths_bounds.turned(starts, stops_, ends, begins, backs, backs.copy(), stop)
    return begins


@pytest.mark.parametrize("work", [grouping, turning])
def test_lists_are_not_made_for_a_caller_who_has_gone(
    work: Callable[[NDArray[np.uint8]], NDArray[np.int64]],
) -> None:
    assert not work(stops(CALLER_GONE)).any()
    assert work(stops(GOES_ON)).any()


def levels(rows: int) -> paths_reach.Listed:
    return paths_reach.Listed(
        np.zeros(rows, dtype=np.int32),
        np.zeros(rows, dtype=np.int32),
        np.zeros(rows),
        np.zeros(rows, dtype=np.int32),
        np.zeros(rows, dtype=np.uint16),
    )


def test_a_level_is_listed_and_taken_in_up_to_the_halt(changed: bool) -> None:
    edges, rows = levels(2 * MANY), MANY + 1
    how = paths_reach.Step(sealed(np.ones(1, dtype=np.uint16)), False, 1, MANY)

    def listing(stop: NDArray[np.uint8]) -> int:
        star, place = Star(stop, changed=changed), np.zeros(rows, dtype=np.int32)
        place[0] = 1
        _, filled = paths_reach.list_edges(
            star.edges, star.sight, how, star.frontier, place,
            np.zeros(rows, dtype=np.int32), 1, edges, 0,
        )  # fmt: skip
        return filled

    def taking(stop: NDArray[np.uint8], reached: NDArray[np.uint8]) -> int:
        kept, _ = paths_reach.take_in(
            edges, 0, MANY, np.ones(rows, dtype=np.uint8), reached, np.zeros(rows), CALLER_GONE,
            np.empty(rows, dtype=np.int32), stop,
        )  # fmt: skip
        return kept

    assert halted_at(listing(byte_of(edges.specs, STEP)))
    assert listing(stops(CALLER_GONE)) == 0
    assert listing(stops(GOES_ON)) == MANY
    reached = np.full(rows, paths_reach.FAR, dtype=np.uint8)
    assert taking(stops(CALLER_GONE), reached) == 0
    assert taking(stops(GOES_ON), reached) == MANY


def complete(nodes: int) -> tuple[NDArray[Any], ...]:
    """Lists in which each node leads to all others: starts, stops, ends, costs."""
    starts = np.arange(nodes, dtype=np.int64) * (nodes - 1)
    ends = [end for node in range(nodes) for end in range(nodes) if end != node]
    return starts, starts + nodes - 1, np.array(ends, dtype=np.int32), np.ones(len(ends))


def test_a_search_for_paths_of_one_length_ends() -> None:
    nodes, length, most = 40, 9, 50_000
    starts, stops_, ends, costs = complete(nodes)
    begins = np.zeros((length + 1) * nodes + 1, dtype=np.int64)
    choices = np.empty(length * len(ends), dtype=np.int32)
    least = unwalked(length, nodes, nodes - 1)
    paths_bounds.to_go(
        starts, stops_, ends, costs, np.zeros((length + 1, nodes)), np.inf, least, begins, choices,
        stops(GOES_ON),
    )  # fmt: skip
    found_nodes = np.zeros((most, length + 1), dtype=np.int32)

    def search(stop: NDArray[np.uint8], low: float) -> tuple[int, int]:
        return paths_search.of_length(
            begins, choices, ends, costs, least, np.zeros(1, dtype=np.int32), length,
            low, np.inf, most, 1 << 60, found_nodes,
            np.zeros((most, length), dtype=np.int32), np.zeros(most), stop,
        )  # fmt: skip

    # The last node of the path number 100 is not 0.
    found, looked = search(byte_of(found_nodes, 101 * (length + 1) - 1), 0.0)
    assert 100 < found < most
    assert looked <= 2 * LOOK
    # No path is as dear as that: all of them would be looked at.
    found, looked = search(stops(CALLER_GONE), 1e9)
    assert (found, looked) == (0, LOOK)


def test_a_search_for_the_cheapest_paths_ends() -> None:
    nodes, longest, most, budget = 30, 8, 100_000, 1 << 20
    starts, stops_, ends, costs = complete(nodes)
    begins = np.zeros(nodes + 1, dtype=np.int64)
    backs, entry_of = np.empty_like(ends), np.empty_like(ends)
    paths_bounds.turned(starts, stops_, ends, begins, backs, entry_of, stops(GOES_ON))
    least = unwalked(longest, nodes, 0)
    paths_bounds.so_far(starts, stops_, ends, costs, least, stops(GOES_ON))
    lengths = np.zeros(most, dtype=np.int32)

    found, looked = paths_cheapest.cheapest(
        begins, backs, entry_of, costs, least, np.array([nodes - 1], dtype=np.int32),
        paths_cheapest.Suffixes.within(budget), most, budget,
        np.empty((most, longest + 1), dtype=np.int32), np.empty((most, longest), dtype=np.int32),
        lengths, np.empty(most), byte_of(lengths, 100),
    )  # fmt: skip

    assert 100 < found <= most
    assert looked < budget
