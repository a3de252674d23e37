"""Walks: cases that systems of this kind got wrong."""

import random
import threading

import pytest

from passageway_server.errors import LimitExceeded
from tests.unit.engine.plain_walk import (
    BOTH,
    IN,
    OUT,
    Arc,
    PlainGraph,
    PlainHop,
    PlainPlan,
    PlainWalked,
    plain_walk,
)
from tests.unit.engine.walking import Engine, random_graph, use_functions_as_predicates


@pytest.fixture(autouse=True)
def _predicates(monkeypatch: pytest.MonkeyPatch) -> None:
    use_functions_as_predicates(monkeypatch)


def arcs(*ends: tuple[str, str] | tuple[str, str, float]) -> list[Arc]:
    return [
        Arc(stored, end[0], end[1], weight=end[2] if len(end) > 2 else 1.0)
        for stored, end in enumerate(ends)
    ]


def scores(walked: PlainWalked) -> dict[str, float]:
    return {hit.id: hit.score for hit in walked.hits}


def test_three_hops_of_decay_d_multiply_by_d_d2_and_d3() -> None:
    engine = Engine(PlainGraph(list("abcd"), arcs(("a", "b"), ("b", "c"), ("c", "d"))))

    walked = engine.walk(PlainPlan(hops=(PlainHop(decay=0.5),) * 3), {"a": 1.0})

    assert scores(walked) == {"a": 1.0, "b": 0.5, "c": 0.25, "d": 0.125}


def test_two_seeds_into_one_node_in_one_hop_add_up_in_either_order() -> None:
    engine = Engine(PlainGraph(list("abc"), arcs(("a", "c", 0.1), ("b", "c", 0.7))))
    plan = PlainPlan(hops=(PlainHop(),))

    assert scores(engine.walk(plan, {"a": 1.0, "b": 1.0}))["c"] == 0.1 + 0.7
    assert engine.walk(plan, {"b": 1.0, "a": 1.0}) == engine.walk(plan, {"a": 1.0, "b": 1.0})


def test_parallel_edges_each_contribute_whatever_their_order() -> None:
    for heavy, light in ((0.9, 0.1), (0.1, 0.9)):
        engine = Engine(PlainGraph(["a", "b"], arcs(("a", "b", heavy), ("a", "b", light))))

        walked = engine.walk(PlainPlan(hops=(PlainHop(),)), {"a": 1.0})

        assert scores(walked)["b"] == 1.0
        assert walked.hits[1].stored == (0 if heavy > light else 1)
        assert walked.traversed == [(1, 0), (1, 1)]


def test_an_edge_walked_from_both_ends_is_listed_once_with_its_first_hop() -> None:
    engine = Engine(PlainGraph(list("abc"), arcs(("a", "b"), ("c", "b"))))

    walked = engine.walk(PlainPlan(hops=(PlainHop(BOTH),) * 3), {"a": 1.0})

    assert walked.traversed == [(1, 0), (2, 1)]
    assert [hit.way for hit in walked.hits if hit.hop] == [OUT, IN]


def test_a_self_loop_is_neither_followed_nor_counted() -> None:
    engine = Engine(PlainGraph(["a", "b"], arcs(("a", "a", 9.0), ("a", "b"))))

    walked = engine.walk(PlainPlan(hops=(PlainHop(max_degree=1, max_per_node=1),)), {"a": 1.0})

    assert scores(walked) == {"a": 1.0, "b": 1.0}


def test_edges_that_the_caller_may_not_see_use_up_no_cap() -> None:
    graph = PlainGraph(
        list("abc"), arcs(("a", "b", 5.0), ("a", "b", 4.0), ("a", "c")), frozenset("b")
    )

    walked = Engine(graph).walk(
        PlainPlan(hops=(PlainHop(max_degree=1, max_per_node=1, max_frontier=1),)), {"a": 1.0}
    )

    assert scores(walked) == {"a": 1.0, "c": 1.0}


def test_a_node_cut_by_max_frontier_may_be_reached_by_a_later_hop() -> None:
    engine = Engine(PlainGraph(list("abc"), arcs(("a", "b", 2.0), ("a", "c"), ("b", "c"))))

    walked = engine.walk(PlainPlan(hops=(PlainHop(max_frontier=1), PlainHop())), {"a": 1.0})

    assert [(hit.id, hit.hop, hit.via) for hit in walked.hits] == [
        ("b", 1, "a"),
        ("c", 2, "b"),
        ("a", 0, ""),
    ]
    assert walked.traversed == [(1, 0), (1, 1), (2, 2)]


def test_a_star_of_200_000_leaves_two_hops_away_is_not_expanded_past_max_degree() -> None:
    leaves = [f"leaf{number}" for number in range(200_000)]
    spokes = [("hub", leaf) for leaf in leaves]
    engine = Engine(PlainGraph(["a", "b", "hub", *leaves], arcs(("a", "hub"), ("a", "b"), *spokes)))

    walked = engine.walk(PlainPlan(hops=(PlainHop(max_degree=1000),) * 3), {"a": 1.0})

    assert [hit.id for hit in walked.hits] == ["a", "b", "hub"]


def test_max_nodes_counts_what_max_frontier_left() -> None:
    engine = Engine(PlainGraph(list("abcd"), arcs(("a", "b"), ("a", "c"), ("a", "d"))))

    walked = engine.walk(PlainPlan(hops=(PlainHop(max_frontier=1),), max_nodes=2), {"a": 1.0})

    assert len(walked.hits) == 2
    with pytest.raises(LimitExceeded) as refused:
        engine.walk(PlainPlan(hops=(PlainHop(),), max_nodes=3), {"a": 1.0})
    assert (refused.value.limit_reason, refused.value.limit) == ("MAX_NODES", 3)


def test_an_infinite_score_over_a_weight_of_zero_counts_as_zero() -> None:
    engine = Engine(PlainGraph(list("abc"), arcs(("a", "b", 1e308), ("b", "c", 0.0))))

    walked = engine.walk(PlainPlan(hops=(PlainHop(decay=1e10), PlainHop())), {"a": 1.0})

    assert scores(walked) == {"a": 1.0, "b": float("inf"), "c": 0.0}


def test_walks_of_many_threads_do_not_disturb_each_other() -> None:
    rng = random.Random(3)
    graph = random_graph(rng)
    engine = Engine(graph)
    plan = PlainPlan(hops=(PlainHop(BOTH, decay=0.5),) * 3)
    readable = [id for id in graph.nodes if id not in graph.hidden]
    alone = {id: engine.walk(plan, {id: 1.0}) for id in readable}
    differing: list[str] = []

    def work() -> None:
        for id in readable * 5:
            if engine.walk(plan, {id: 1.0}) != alone[id]:
                differing.append(id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert differing == []


def test_a_failed_walk_leaves_nothing_to_the_next() -> None:
    engine = Engine(PlainGraph(list("abc"), arcs(("a", "b"), ("b", "c"))))
    plan = PlainPlan(hops=(PlainHop(),) * 2)
    before = engine.walk(plan, {"a": 1.0})

    def fail(_: str) -> bool:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        engine.walk(PlainPlan(hops=(PlainHop(), PlainHop(nodes=fail))), {"a": 1.0})

    assert engine.walk(plan, {"a": 1.0}) == before


def test_of_a_hub_no_more_is_judged_than_it_takes_to_find_enough() -> None:
    leaves = [f"n{i:04}" for i in range(5_000)]
    engine = Engine(PlainGraph(["hub", *leaves], arcs(*(("hub", leaf) for leaf in leaves))))
    judged: list[str] = []

    def third(id: str) -> bool:
        judged.append(id)
        return id != "hub" and int(id[1:]) % 3 == 0

    hop = PlainHop(nodes=third, max_per_node=4)
    walked = engine.walk(PlainPlan(hops=(hop,)), {"hub": 1.0})

    assert [hit.id for hit in walked.hits] == ["hub", "n0000", "n0003", "n0006", "n0009"]
    assert len(judged) < 100


@pytest.mark.parametrize("max_degree", [0, 9, 40])
@pytest.mark.parametrize("direction", [OUT, IN, BOTH])
def test_pieces_of_a_hub_are_followed_as_its_whole_list_would_be(
    direction: str, max_degree: int
) -> None:
    rng = random.Random(7)
    nodes = [f"n{i}" for i in range(60)]
    ends = [(rng.choice(nodes[:4]), rng.choice(nodes)) for _ in range(300)]
    ends += [(there, here) for here, there in ends[::2]]
    weighted = [(*pair, rng.choice((0.25, 0.5, 1.0))) for pair in ends]
    graph = PlainGraph(nodes, arcs(*weighted), frozenset(nodes[50:]))
    seeds = {"n0": 1.0, "n2": 0.7, "n9": 0.1}

    def fits(id: str) -> bool:
        return int(id[1:]) % 7 == 3

    def some(arc: Arc) -> bool:
        return arc.stored % 5 < 2

    for edges in (None, some):
        hop = PlainHop(
            direction=direction, nodes=fits, edges=edges, max_per_node=2, max_degree=max_degree
        )
        plan = PlainPlan(hops=(hop, hop))

        assert Engine(graph).walk(plan, seeds) == plain_walk(graph, plan, seeds)
