"""Personalized PageRank: a distribution, to the last bit that of plain sums, and igraph's where both mean the same."""

import math
import os
import random

import igraph
import numpy as np
import pytest

from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.engine.pagerank import PageRankPlan, page_rank
from passageway_server.engine.walked import Walked
from passageway_server.errors import Cancelled
from passageway_server.values.answers import PageRankRun
from passageway_server.values.collections import Kind
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.records import PropertyValue
from tests.unit.engine.drawn_walks import Edge, drawn, version_of, walked

GRAPHS = int(os.environ.get("PASSAGEWAY_GRAPHS", "300"))
EXACT = PageRankPlan(iterations=1_000, tolerance=1e-13)
DIRECTED = PageRankPlan(undirected=False)


def ranks(
    plan: PageRankPlan,
    found: Walked,
    *,
    field: list[PropertyValue | None] | None = None,
    halt: Halt = UNHALTED,
) -> tuple[list[float], PageRankRun]:
    """The rank of each node; *field* is what each row has in the property ``f``."""
    properties = {} if field is None else {"f": _column(field)}
    ranked, run = page_rank(version_of(len(found), properties), plan, found, halt=halt)
    return ranked.scores.tolist(), run


def _column(values: list[PropertyValue | None]) -> Column:
    held = [row for row, value in enumerate(values) if value is not None]
    column, _ = Column.empty(Kind.FLOAT, True, len(values)).put(
        np.array(held, dtype=np.int32),
        [value for value in values if value is not None],
        keywords={},
        texts=Strings.of([""]),
    )
    return column


def plain(plan: PageRankPlan, found: Walked) -> tuple[list[float], PageRankRun]:
    """The same by plain sums: each node hands its mass on, edge by edge."""
    edges = found.traversed
    order = sorted(
        range(len(found)), key=lambda node: (-found.scores[node], found.hops[node], node)
    )
    leaving: dict[int, list[tuple[int, float]]] = {node: [] for node in order}
    for source, target, weight in zip(
        edges.sources.tolist(), edges.targets.tolist(), edges.weights.tolist(), strict=True
    ):
        if weight > 0:
            leaving[source].append((target, weight))
            if plan.undirected:
                leaving[target].append((source, weight))
    values = {node: found.scores[node] if found.hops[node] == 0 else 0.0 for node in order}
    if not any(values.values()):
        values = {node: float(found.hops[node] == 0) for node in order}
    most = max(values.values())
    total = 0.0
    for node in order:
        total += values[node] / most
    restart = {node: values[node] / most / total for node in order}
    ranks, done, converged = restart, 0, False
    while done < plan.iterations and not converged:
        new, back = dict.fromkeys(order, 0.0), 0.0
        for node in order:
            heaviest = max((weight for _, weight in leaving[node]), default=0.0)
            total = 0.0
            for _, weight in leaving[node]:
                total += weight / heaviest
            for other, weight in leaving[node]:
                new[other] += (plan.alpha * ranks[node] / total) * (weight / heaviest)
            if not leaving[node]:
                back += plan.alpha * ranks[node]
        change = 0.0
        for node in order:
            new[node] += ((1.0 - plan.alpha) + back) * restart[node]
            change += abs(new[node] - ranks[node])
        ranks, done, converged = new, done + 1, change < plan.tolerance
    return [float(ranks[node]) for node in sorted(order)], PageRankRun(done, converged)


def test_it_is_to_the_last_bit_what_plain_sums_in_order_give() -> None:
    for seed in range(GRAPHS):
        rng = random.Random(seed)
        found = drawn(rng)
        plan = PageRankPlan(
            alpha=rng.choice((0.0, 0.5, 0.85, 1.0)),
            iterations=rng.choice((0, 1, 50)),
            tolerance=rng.choice((0.0, 1e-6, 0.5)),
            undirected=rng.random() < 0.5,
        )

        assert ranks(plan, found) == plain(plan, found), seed


def test_all_ranks_sum_to_one() -> None:
    for seed in range(GRAPHS):
        rng = random.Random(seed)
        plan = PageRankPlan(alpha=rng.random(), undirected=rng.random() < 0.5)

        assert math.fsum(ranks(plan, drawn(rng))[0]) == pytest.approx(1, abs=1e-9), seed


@pytest.mark.parametrize("undirected", [True, False])
@pytest.mark.parametrize("alpha", [0.5, 0.85])
def test_it_is_that_of_igraph_where_each_node_has_an_edge_to_walk_on(
    undirected: bool, alpha: float
) -> None:
    for seed in range(40):
        rng = random.Random(seed)
        count = rng.randint(3, 60)
        edges: list[Edge] = [
            (
                node,
                rng.choice([other for other in range(count) if other != node]),
                rng.random() + 0.01,
            )
            for node in [*range(count), *(rng.randrange(count) for _ in range(2 * count))]
        ]
        scores = [rng.random() + 0.1 for _ in range(count)]
        seeds = rng.randint(1, count)
        found = walked(scores, [0] * seeds + [1] * (count - seeds), edges)
        graph = igraph.Graph(count, [edge[:2] for edge in edges], directed=not undirected)
        reset = [score if node < seeds else 0.0 for node, score in enumerate(scores)]
        theirs = graph.personalized_pagerank(
            damping=alpha, reset=reset, weights=[weight for *_, weight in edges]
        )

        ours, run = ranks(PageRankPlan(alpha, EXACT.iterations, EXACT.tolerance, undirected), found)

        assert run.converged
        assert ours == pytest.approx(theirs, abs=1e-6), seed


def test_mass_without_an_edge_to_walk_on_goes_back_to_the_restart() -> None:
    found = walked([0.5, 1.0], [1, 0], [(0, 1, 1.0)])

    assert ranks(DIRECTED, found) == ([0.0, 1.0], PageRankRun(1, True))


def test_an_edge_of_weight_zero_is_no_edge_to_walk_on() -> None:
    found = walked([1.0, 0.0], [0, 1], [(0, 1, 0.0)])

    assert ranks(PageRankPlan(), found) == ([1.0, 0.0], PageRankRun(1, True))


def test_parallel_edges_each_take_their_share() -> None:
    found = walked([1.0, 0.5, 0.5], [0, 1, 1], [(0, 1, 1.0), (0, 2, 1.0), (0, 1, 1.0)])

    scores, _ = ranks(PageRankPlan(iterations=1, undirected=False), found)

    assert scores == [0.5, pytest.approx(2 / 6), pytest.approx(1 / 6)]


def test_nothing_reached_has_no_ranks_and_no_passes() -> None:
    assert ranks(PageRankPlan(), walked([], [], [])) == ([], PageRankRun(0, True))


def test_without_passes_the_ranks_are_the_restart() -> None:
    found = walked([3.0, 1.0, 5.0], [0, 0, 1], [(0, 2, 1.0)])

    assert ranks(PageRankPlan(iterations=0), found) == ([0.75, 0.25, 0.0], PageRankRun(0, False))


def test_a_tolerance_of_zero_is_never_met() -> None:
    found = walked([1.0, 0.5], [0, 1], [(0, 1, 1.0)])

    assert ranks(PageRankPlan(tolerance=0.0, iterations=7), found)[1] == PageRankRun(7, False)


@pytest.mark.parametrize(
    ("field", "restart"),
    [
        ([None, 3, 0.5], [1 / 4.5, 3 / 4.5, 0.5 / 4.5]),  # absent counts 1
        ([-7, 1, 1.0], [0.0, 0.5, 0.5]),  # negative counts 0
        ([0, 0.0, -1], [1 / 3] * 3),  # all zero: all alike
        ([[5], [1, 2], 2], [0.25, 0.25, 0.5]),  # a list counts 1
        ([1e300, 1e308, 1], [1e-8 / (1 + 1e-8), 1 / (1 + 1e-8), 0.0]),
        ([2**63 - 1, 0, 0], [1.0, 0.0, 0.0]),
    ],
)
def test_the_reset_field_scales_where_the_walk_restarts(
    field: list[PropertyValue | None], restart: list[float]
) -> None:
    plan = PageRankPlan(iterations=0, reset_field="f")

    scores, _ = ranks(plan, walked([1.0] * 3, [0] * 3, []), field=field)

    assert scores == pytest.approx(restart)


def test_a_reset_field_that_no_row_holds_scales_nothing() -> None:
    plan = PageRankPlan(iterations=0, reset_field="f")

    assert ranks(plan, walked([1.0, 3.0], [0, 0], []))[0] == [0.25, 0.75]


@pytest.mark.parametrize(
    ("scores", "field", "restart"),
    [
        ([math.inf, 1.0, math.inf], [1, 1, 1], [0.5, 0.0, 0.5]),
        ([1e308, 1.0, 1.0], [1e308, 1, 1], [1.0, 0.0, 0.0]),
        ([math.inf, 1.0, 3.0], [0, 1, 1], [0.0, 0.25, 0.75]),  # endless times 0 is 0
    ],
)
def test_a_restart_past_the_doubles_outweighs_all_others(
    scores: list[float], field: list[PropertyValue | None], restart: list[float]
) -> None:
    plan = PageRankPlan(iterations=0, reset_field="f")

    assert ranks(plan, walked(scores, [0] * 3, []), field=field)[0] == restart


def test_spent_time_leaves_the_ranks_of_the_last_whole_pass() -> None:
    halt = Halt()
    halt.time_out()

    found = walked([1.0, 0.5], [0, 1], [(0, 1, 1.0)])

    assert ranks(PageRankPlan(), found, halt=halt) == ([1.0, 0.0], PageRankRun(0, False))


def test_a_cancelled_call_has_no_ranks() -> None:
    halt = Halt()
    halt.cancel()

    with pytest.raises(Cancelled):
        ranks(PageRankPlan(), walked([1.0], [0], []), halt=halt)
