"""The oracle's Expand, on graphs small enough to work out on paper."""

from typing import Any

import pytest

from passageway.v1 import graph_pb2, query_pb2, types_pb2
from tests.oracle import Refused, World
from tests.unit.oracle.small import (
    batch,
    edge,
    expand,
    hop,
    node,
    nodes,
    scores,
    span,
    text,
    world,
)

BOTH = {"direction": types_pb2.DIRECTION_BOTH}


def test_a_hidden_node_hides_what_is_only_behind_it() -> None:
    chain = world(*nodes("a c"), node("b", readers=["user:eve"]), edge("a", "b"), edge("b", "c"))

    assert list(scores(expand(chain, "a", hop(), hop()))) == ["a"]
    assert list(scores(expand(chain, "a", hop(), hop(), as_={"admin": True}))) == ["a", "b", "c"]


def test_a_private_edge_is_no_way_between_readable_nodes() -> None:
    pair = world(*nodes("a b"), edge("a", "b", readers=["user:eve"]))

    assert list(scores(expand(pair, "a", hop()))) == ["a"]


def test_a_shared_entity_does_not_lead_into_a_private_part() -> None:
    private = node("theirs", readers=["user:eve"])
    shared = world(*nodes("mine tag"), private, edge("mine", "tag"), edge("theirs", "tag"))

    reached = expand(shared, "mine", hop(edges=BOTH), hop(edges=BOTH))

    assert list(scores(reached)) == ["mine", "tag"]
    assert reached.total == 2


def test_a_span_is_judged_by_its_parent_as_it_stands_now() -> None:
    memory = world(node("m"), span("s", "m"))
    assert list(scores(expand(memory, "s"))) == ["s"]

    memory.apply(batch(node("m", readers=["user:eve"])))

    reached = expand(memory, "s")
    assert list(reached.unresolved) == ["s"]


def test_all_parts_of_a_joined_reader_must_be_held() -> None:
    row = world(node("a", readers=["team:graph & level:senior"]))

    one = {"principals": frozenset({"public", "team:graph"})}
    both = {"principals": frozenset({"public", "team:graph", "level:senior"})}

    assert list(expand(row, "a", as_=one).unresolved) == ["a"]
    assert list(expand(row, "a", as_=both).origins) == ["a"]


def test_no_readers_and_no_default_means_admins_alone() -> None:
    bare = types_pb2.Node(id="a")

    assert list(expand(world(bare), "a").unresolved) == ["a"]
    assert list(expand(world(bare), "a", as_={"admin": True}).origins) == ["a"]
    assert list(expand(world(bare, default_readers=["public"]), "a").origins) == ["a"]


def test_a_span_without_a_node_as_parent_is_read_by_nobody() -> None:
    spans = world(node("m"), span("s", "m"), span("t", "s"), span("u", "gone"))

    assert list(expand(spans, "s t u", as_={"admin": True}).unresolved) == ["t", "u"]


def test_three_hops_of_decay_d_multiply_by_d_d2_and_d3() -> None:
    chain = world(*nodes("a b c d"), edge("a", "b"), edge("b", "c"), edge("c", "d"))

    walked = expand(chain, "a", hop(decay=0.5), hop(decay=0.5), hop(decay=0.5))

    assert scores(walked) == {"a": 1.0, "b": 0.5, "c": 0.25, "d": 0.125}
    assert [hit.hop for hit in walked.hits] == [0, 1, 2, 3]
    assert [hit.via for hit in walked.hits] == ["", "a", "b", "c"]


@pytest.mark.parametrize("seeds", ["a b", "b a"])
def test_two_seeds_into_one_node_add_up_whatever_their_order(seeds: str) -> None:
    fan = world(*nodes("a b c"), edge("a", "c", 0.25), edge("b", "c", 0.5))

    summed = expand(fan, seeds, hop())
    largest = expand(fan, seeds, hop(), propagate=graph_pb2.ExpandRequest.PROPAGATE_MAX)

    assert scores(summed) == {"a": 1.0, "b": 1.0, "c": 0.75}
    assert scores(largest) == {"a": 1.0, "b": 1.0, "c": 0.5}
    assert summed.hits[2].via == "b"
    assert list(summed.origins) == seeds.split()


def test_parallel_edges_each_contribute_and_the_heaviest_is_named() -> None:
    pair = world(*nodes("a b"), edge("a", "b", 0.1, id="e1"), edge("a", "b", 0.9, id="e2"))

    walked = expand(pair, "a", hop(), with_edges=True)

    assert scores(walked) == {"a": 1.0, "b": 0.9 + 0.1}
    assert walked.hits[1].edge.id == "e2"


def test_a_walk_both_ways_lists_an_edge_once_in_its_stored_direction() -> None:
    swapped = world(*nodes("a b"), edge("b", "a", id="e1"), edge("a", "b", id="e2"))

    walked = expand(swapped, "a", hop(edges=BOTH), hop(edges=BOTH), with_subgraph=True)

    listed = [(each.edge.id, each.edge.source, each.edge.target) for each in walked.subgraph]
    assert listed == [("e1", "b", "a"), ("e2", "a", "b")]
    assert [each.hop for each in walked.subgraph] == [1, 1]
    assert walked.hits[0].node.id == "b"
    assert walked.hits[0].direction == types_pb2.DIRECTION_IN


def test_self_loops_are_neither_walked_nor_counted() -> None:
    looped = world(*nodes("a b"), edge("a", "a", 9.0), edge("a", "b"))

    walked = expand(looped, "a", hop(max_degree=1), with_subgraph=True)

    assert scores(walked) == {"a": 1.0, "b": 1.0}
    assert [each.edge.id for each in walked.subgraph] == ["ab"]


def test_caps_count_readable_nodes_only() -> None:
    hub = world(
        *nodes("a b"),
        node("x", readers=["user:eve"]),
        edge("a", "x", 5.0),
        edge("a", "b", 0.5),
    )

    assert scores(expand(hub, "a", hop(max_per_node=1))) == {"a": 1.0, "b": 0.5}
    assert scores(expand(hub, "a", hop(max_degree=1))) == {"a": 1.0, "b": 0.5}
    assert scores(expand(hub, "a", hop(max_frontier=1))) == {"a": 1.0, "b": 0.5}
    assert scores(expand(hub, "a", hop(), max_nodes=2)) == {"a": 1.0, "b": 0.5}


def test_a_filter_holds_for_steps_and_a_return_filter_for_the_answer_alone() -> None:
    chain = world(node("a"), node("b", status="done"), node("c"), edge("a", "b"), edge("b", "c"))

    stopped = expand(chain, "a", hop(), hop(), filter='NOT status = "done"')
    narrowed = expand(chain, "a", hop(), hop(), return_filter='NOT status = "done"')

    assert list(scores(stopped)) == ["a"]
    assert list(scores(narrowed)) == ["a", "c"]
    assert narrowed.total == 2


def test_max_degree_counts_before_filters_and_max_per_node_after() -> None:
    star = world(*nodes("a b"), node("c", status="done"), edge("a", "c", 3.0), edge("a", "b", 0.5))
    kept = "NOT status = done"

    assert scores(expand(star, "a", hop(filter=kept, max_per_node=1))) == {"a": 1.0, "b": 0.5}
    assert scores(expand(star, "a", hop(filter=kept, max_degree=1))) == {"a": 1.0}


def test_what_the_frontier_cap_cuts_a_later_hop_may_reach() -> None:
    # Hop 1 keeps only b; hop 2 then reaches c from b. The edge a-c was followed in hop 1.
    graph = world(*nodes("a b c"), edge("a", "b", 0.9), edge("a", "c", 0.1), edge("b", "c", 0.5))

    walked = expand(graph, "a", hop(max_frontier=1), hop(), with_subgraph=True)

    assert scores(walked) == {"a": 1.0, "b": 0.9, "c": 0.45}
    assert walked.hits[2].hop == 2
    assert [(each.edge.id, each.hop) for each in walked.subgraph] == [
        ("ab", 1),
        ("ac", 1),
        ("bc", 2),
    ]


def test_equal_scores_are_ordered_by_hop_then_by_id() -> None:
    graph = world(*nodes("s z m a"), edge("s", "z"), edge("s", "m"), edge("z", "a"))

    assert list(scores(expand(graph, "s", hop(), hop()))) == ["s", "m", "z", "a"]
    first = expand(graph, "s", hop(), hop(), limit=2)
    assert list(scores(first)) == ["s", "m"]
    assert (first.total, first.truncated) == (4, True)


def test_links_come_before_edge_documents_among_equal_weights() -> None:
    linked = node("a", links={"L": types_pb2.StringList(values=["c"])})
    graph = world(linked, *nodes("b c"), edge("a", "b"))

    assert list(scores(expand(graph, "a", hop(max_per_node=1)))) == ["a", "c"]


def test_a_default_weight_of_the_ontology_walks_and_shows() -> None:
    ontology = types_pb2.Ontology(
        edge_types=[types_pb2.Ontology.EdgeType(name="T", default_weight=0.25)]
    )
    pair = world(*nodes("a b c"), edge("a", "b"), edge("a", "c", 0.5), ontology=ontology)

    walked = expand(pair, "a", hop(), with_edges=True)

    assert scores(walked) == {"a": 1.0, "c": 0.5, "b": 0.25}
    assert walked.hits[2].edge.weight == 0.25


def test_an_edge_without_the_weight_property_is_not_used_nor_counted() -> None:
    three = types_pb2.Value(int_value=3)
    minus = types_pb2.Value(int_value=-1)
    graph = world(
        *nodes("a b c d"),
        edge("a", "b", properties={"w": three}),
        edge("a", "c", 0.5),
        edge("a", "d", properties={"w": minus}),
    )

    walked = expand(graph, "a", hop(edges={"weight_property": "w"}, max_degree=1), with_edges=True)

    assert scores(walked) == {"b": 3.0, "a": 1.0}
    assert walked.hits[0].edge.weight == 1.0


def test_a_node_in_two_groups_starts_at_the_sum_and_in_one_group_once() -> None:
    pair = world(*nodes("a b"))
    groups = [
        graph_pb2.SeedGroup(ids=["a", "a"], weight=0.5),
        graph_pb2.SeedGroup(ids=["b", "a"], weight=2.0),
    ]

    assert scores(expand(pair, "", seeds=groups)) == {"a": 2.5, "b": 2.0}


def test_retired_rows_are_no_steps_under_current() -> None:
    soon = types_pb2.Value()
    soon.time_value.FromMicroseconds(1_750_000_000_000_001)
    now = types_pb2.Value()
    now.time_value.FromMicroseconds(1_750_000_000_000_000)
    graph = world(
        *nodes("a"),
        node("b", status=" Superseded "),
        node("c", properties={"expires_at": now}),
        node("d", properties={"expires_at": soon}),
        node("e", properties={"review": text("DISPUTED")}),
        node("f", status="done"),
        *(edge("a", end) for end in "bcdef"),
    )
    current = query_pb2.ReadOptions(evidence=query_pb2.EVIDENCE_CURRENT)

    assert list(scores(expand(graph, "a", hop(), read=current))) == ["a", "d", "f"]
    assert list(scores(expand(graph, "a", hop()))) == ["a", "b", "c", "d", "e", "f"]


def test_walk_as_declared_takes_each_type_only_its_declared_way() -> None:
    ontology = types_pb2.Ontology(
        edge_types=[types_pb2.Ontology.EdgeType(name="T", agents_walk=types_pb2.DIRECTION_IN)]
    )
    graph = world(*nodes("a b c"), edge("a", "b"), edge("c", "a"), ontology=ontology)

    walked = expand(graph, "a", hop(edges=BOTH), walk_as_declared=True)

    assert list(scores(walked)) == ["a", "c"]


def test_deleted_nodes_take_their_edges_and_spans_along() -> None:
    graph = world(*nodes("a b"), edge("a", "b"), span("s", "b"))
    graph.apply(batch(delete_nodes=["b"]))
    graph.apply(batch(node("b")))

    assert list(scores(expand(graph, "a", hop()))) == ["a"]
    assert list(expand(graph, "s").unresolved) == ["s"]


def test_replacing_a_node_keeps_its_edges_and_replaces_its_links() -> None:
    links = {"L": types_pb2.StringList(values=["c"])}
    graph = world(node("a", links=links), *nodes("b c"), edge("a", "b"))
    graph.apply(batch(node("a")))

    assert list(scores(expand(graph, "a", hop()))) == ["a", "b"]


def test_a_put_edge_keeps_its_first_place_unless_deleted_between() -> None:
    graph = world(*nodes("a b c"), edge("a", "c"), edge("a", "b"))
    graph.apply(batch(edge("a", "c")))
    assert list(scores(expand(graph, "a", hop(max_per_node=1)))) == ["a", "c"]

    graph.apply(batch(edge("a", "c"), delete_edges=["ac"]))

    assert list(scores(expand(graph, "a", hop(max_per_node=1)))) == ["a", "b"]


def test_recut_keeps_documents_at_a_span_that_comes_again() -> None:
    graph = world(*nodes("m x"), span("s", "m"), span("t", "m"), edge("x", "s"), edge("x", "t"))
    graph.apply(batch(span("s", "m"), recut_parents=["m"]))

    assert list(scores(expand(graph, "x", hop()))) == ["x", "s"]
    assert list(expand(graph, "t").unresolved) == ["t"]


def test_an_edge_that_came_first_waits_for_its_end() -> None:
    graph = world(node("a"), edge("a", "b"))
    assert list(scores(expand(graph, "a", hop()))) == ["a"]

    graph.apply(batch(node("b")))

    assert list(scores(expand(graph, "a", hop()))) == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"seeds": []}, {"seeds"}),
        ({"seeds": [graph_pb2.SeedGroup()]}, {"seeds[0]"}),
        ({"seeds": [graph_pb2.SeedGroup(ids=["a"], weight=0.0)]}, {"seeds[0].weight"}),
        ({"min_hop": 1, "limit": 10_001}, {"min_hop", "limit"}),
        ({"filter": "status =", "fields": ["id", "nope"]}, {"filter", "fields[1]"}),
        ({"fields": ["readers"]}, {"fields[0]"}),
    ],
)
def test_all_faults_of_a_request_are_named_at_once(
    options: dict[str, Any], fields: set[str]
) -> None:
    with pytest.raises(Refused) as refused:
        expand(world(node("a")), "a", **options)

    assert refused.value.code == "INVALID_ARGUMENT"
    assert refused.value.fields == fields


def test_clamp_moves_a_number_and_says_so() -> None:
    walked = expand(world(node("a")), "a", limit=20_000, bounds=query_pb2.BOUNDS_CLAMP)

    assert dict(walked.applied) == {"limit": 10_000}


def test_more_nodes_than_max_nodes_is_refused_by_name() -> None:
    graph: World = world(*nodes("a b c"), edge("a", "b"), edge("a", "c"))

    with pytest.raises(Refused) as refused:
        expand(graph, "a", hop(), max_nodes=2)

    assert (refused.value.code, *refused.value.fields) == ("RESOURCE_EXHAUSTED", "max_nodes")


def test_a_limit_of_zero_gives_counts_and_no_hits() -> None:
    walked = expand(world(node("a")), "a", limit=0)

    assert (len(walked.hits), walked.total, walked.truncated) == (0, 1, True)


def test_a_score_that_outgrew_the_doubles_gives_nothing_over_a_weight_of_zero() -> None:
    graph = world(*nodes("a b c"), edge("a", "b", 1e308), edge("b", "c", 0.0))

    walked = expand(graph, "a", hop(decay=1e308), hop())

    assert scores(walked) == {"b": float("inf"), "a": 1.0, "c": 0.0}
