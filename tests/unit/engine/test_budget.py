"""Budgets: what is kept hangs together with a seed, the caps hold, and more budget keeps more."""

import os
import random
from itertools import pairwise

import pytest

from passageway_server.engine.budget import BudgetPlan, within_budget
from passageway_server.engine.kernels.reach import IN, OUT
from passageway_server.engine.walked import Walked
from passageway_server.errors import Cancelled
from passageway_server.values.halt import UNHALTED, Halt
from tests.unit.engine.drawn_walks import Edge, drawn, version_of, walked

GRAPHS = int(os.environ.get("PASSAGEWAY_GRAPHS", "300"))


def kept(plan: BudgetPlan, found: Walked, *, halt: Halt = UNHALTED) -> Walked:
    return within_budget(version_of(len(found)), plan, found, halt=halt)


def rows(part: Walked) -> set[int]:
    return set(part.rows.tolist())


def edges(part: Walked) -> list[int]:
    return list(part.traversed.stored.tolist())


def attached(part: Walked) -> dict[int, tuple[int, int, int]]:
    """By row: the row that it hangs on, the edge, and how that runs from there; of seeds nothing."""
    return {
        int(part.rows[place]): (
            int(part.rows[part.via[place]]),
            int(part.edges[place]),
            int(part.ways[place]),
        )
        for place in range(len(part))
        if part.via[place] >= 0
    }


def plain(plan: BudgetPlan, found: Walked) -> tuple[dict[int, int | None], list[int]]:
    """The same by trying each node and edge at each step: rows with the edge that attached them, and all edges."""
    ways = found.traversed
    listed = list(
        zip(ways.sources.tolist(), ways.targets.tolist(), ways.weights.tolist(), strict=True)
    )
    order = sorted(
        range(len(found)), key=lambda node: (-found.scores[node], found.hops[node], node)
    )
    most_nodes = len(found) if plan.nodes is None else plan.nodes
    most_edges = len(listed) if plan.edges is None else plan.edges

    def heaviest_first(edge: int) -> tuple[float, int]:
        return -listed[edge][2], edge

    seeds = [node for node in order if found.hops[node] == 0][:most_nodes]
    part: dict[int, int | None] = dict.fromkeys(seeds)
    taken: list[int] = []
    while len(part) < most_nodes and len(taken) < most_edges:
        at_hand = {
            node: [
                edge
                for edge, (source, target, _) in enumerate(listed)
                if (source == node and target in part) or (target == node and source in part)
            ]
            for node in order
            if node not in part
        }
        best = next((node for node in order if at_hand.get(node)), None)
        if best is None or found.scores[best] <= plan.edge_cost:
            break
        part[best] = min(at_hand[best], key=heaviest_first)
        taken.append(part[best] or 0)
    others = [
        edge
        for edge, (source, target, _) in enumerate(listed)
        if edge not in taken and source in part and target in part
    ]
    others.sort(key=heaviest_first)
    return part, sorted(taken + others[: most_edges - len(taken)])


def a_budget(rng: random.Random) -> BudgetPlan:
    return BudgetPlan(
        nodes=rng.choice((None, rng.randint(0, 30))),
        edges=rng.choice((None, rng.randint(0, 60))),
        edge_cost=rng.choice((0.0, -1.0, 0.3)),
    )


def test_it_keeps_what_trying_every_node_and_edge_keeps() -> None:
    for seed in range(GRAPHS):
        rng = random.Random(seed)
        found, plan = drawn(rng), a_budget(rng)
        part, all_edges = plain(plan, found)

        ours = kept(plan, found)

        assert rows(ours) == set(part), seed
        assert edges(ours) == all_edges, seed
        assert {row: edge for row, (_, edge, _) in attached(ours).items()} == {
            row: edge for row, edge in part.items() if edge is not None
        }, seed


def test_each_node_kept_hangs_on_a_seed_by_edges_kept_and_the_caps_hold() -> None:
    for seed in range(GRAPHS):
        rng = random.Random(seed)
        found, plan = drawn(rng), a_budget(rng)

        part = kept(plan, found)

        hangs_on, present = attached(part), set(edges(part))
        for row in rows(part):
            seen = {row}
            while found.hops[row]:
                row, edge, _ = hangs_on[row]
                assert edge in present, seed
                assert row not in seen, seed
                seen.add(row)
        assert plan.nodes is None or len(part) <= plan.nodes, seed
        assert plan.edges is None or len(part.traversed) <= plan.edges, seed


def test_a_larger_budget_of_nodes_keeps_all_that_a_smaller_one_keeps() -> None:
    for seed in range(GRAPHS):
        rng = random.Random(seed)
        found = drawn(rng)
        parts = [rows(kept(BudgetPlan(nodes=most), found)) for most in range(len(found) + 1)]

        assert all(less <= more for less, more in pairwise(parts)), seed


def test_places_go_by_hop_and_point_at_one_another() -> None:
    for seed in range(GRAPHS):
        rng = random.Random(seed)
        found = drawn(rng)

        part = kept(a_budget(rng), found)

        ends = part.traversed
        assert sorted(part.hops.tolist()) == part.hops.tolist(), seed
        assert part.rows[ends.sources].tolist() == found.traversed.sources[ends.stored].tolist()
        assert part.rows[ends.targets].tolist() == found.traversed.targets[ends.stored].tolist()


def test_the_best_seeds_are_kept_first_and_whatever_they_cost() -> None:
    found = walked([0.0, 2.0, 1.0, 9.0], [0, 0, 0, 1], [(0, 3, 1.0), (1, 3, 1.0)])

    assert rows(kept(BudgetPlan(nodes=2), found)) == {1, 2}
    assert rows(kept(BudgetPlan(edge_cost=5.0), found)) == {0, 1, 2, 3}


def test_of_no_nodes_nothing_is_left() -> None:
    part = kept(BudgetPlan(nodes=0), walked([1.0, 1.0], [0, 1], [(0, 1, 1.0)]))

    assert (len(part), len(part.traversed)) == (0, 0)


def test_of_no_edges_the_seeds_are_left() -> None:
    part = kept(BudgetPlan(edges=0), walked([1.0, 1.0, 1.0], [0, 0, 1], [(0, 1, 1.0), (1, 2, 1.0)]))

    assert (rows(part), edges(part)) == ({0, 1}, [])


def test_several_seeds_make_a_forest() -> None:
    found = walked([1.0, 1.0, 0.5, 0.5], [0, 0, 1, 1], [(0, 2, 1.0), (3, 1, 1.0)])

    assert attached(kept(BudgetPlan(nodes=9), found)) == {2: (0, 0, OUT), 3: (1, 1, IN)}


def test_a_better_node_behind_waits_for_the_one_before_it() -> None:
    found = walked([1.0, 0.2, 0.9, 0.5], [0, 1, 2, 1], [(0, 1, 1.0), (1, 2, 1.0), (0, 3, 1.0)])

    assert rows(kept(BudgetPlan(nodes=3), found)) == {0, 3, 1}
    assert rows(kept(BudgetPlan(nodes=4), found)) == {0, 3, 1, 2}


def test_a_score_that_is_the_cost_is_not_above_it() -> None:
    found = walked([1.0, 0.0, 0.5], [0, 1, 1], [(0, 1, 1.0), (0, 2, 1.0)])

    assert rows(kept(BudgetPlan(nodes=3), found)) == {0, 2}
    assert rows(kept(BudgetPlan(edge_cost=0.5), found)) == {0}
    assert rows(kept(BudgetPlan(edge_cost=-0.5), found)) == {0, 1, 2}


HANGING: list[Edge] = [(0, 1, 1.0), (2, 0, 0.5), (1, 2, 3.0), (0, 2, 3.0), (2, 1, 3.0)]


def test_a_node_hangs_on_its_heaviest_edge_then_the_first() -> None:
    found = walked([1.0, 0.9, 0.8], [0, 1, 1], HANGING)

    assert attached(kept(BudgetPlan(nodes=3), found)) == {1: (0, 0, OUT), 2: (1, 2, OUT)}


@pytest.mark.parametrize(
    ("most", "left"),
    [(None, [0, 1, 2, 3, 4]), (2, [0, 2]), (3, [0, 2, 3]), (4, [0, 2, 3, 4])],
)
def test_what_is_left_of_the_edges_takes_the_heaviest(most: int | None, left: list[int]) -> None:
    found = walked([1.0, 0.9, 0.8], [0, 1, 1], HANGING)

    assert edges(kept(BudgetPlan(nodes=3, edges=most), found)) == left


def test_edges_that_attach_a_node_count_among_the_edges() -> None:
    found = walked([1.0, 0.9, 0.8], [0, 1, 1], HANGING)

    assert edges(kept(BudgetPlan(edges=1), found)) == [0]


def test_spent_time_does_not_stop_it_and_the_end_of_the_call_does() -> None:
    found = walked([1.0, 1.0], [0, 1], [(0, 1, 1.0)])
    spent, over = Halt(), Halt()
    spent.time_out()
    over.cancel()

    assert rows(kept(BudgetPlan(nodes=2), found, halt=spent)) == {0, 1}
    with pytest.raises(Cancelled):
        kept(BudgetPlan(nodes=2), found, halt=over)
