"""The oracle's edges made of two, on graphs small enough to make them by hand."""

from typing import Any

import pytest

from passageway.v1 import graph_pb2, types_pb2
from tests.oracle import Refused, World
from tests.unit.oracle.small import edge, expand, hop, node, nodes, scores, world

FAR = graph_pb2.Hop.Shared(name="SHARES", edge_type="IN", through_type="community")


def belongs(member: str, community: str, **fields: Any) -> types_pb2.Edge:
    return edge(member, community, type="IN", **fields)


def communities(ids: str, **fields: Any) -> list[types_pb2.Node]:
    return nodes(ids, type="community", **fields)


CLUB = world(
    *nodes("a b c d"),
    *communities("m n"),
    belongs("a", "n"),
    belongs("a", "m"),
    belongs("b", "n"),
    belongs("b", "m"),
    belongs("c", "n"),
    edge("a", "d", 0.5),
)


def shared(**changes: Any) -> graph_pb2.Hop.Shared:
    """`FAR`, but for what is to be changed."""
    spec = graph_pb2.Hop.Shared(**changes)
    for name in ("name", "edge_type", "through_type"):
        setattr(spec, name, changes.get(name, getattr(FAR, name)))
    return spec


def walked(
    world: World, *specs: graph_pb2.Hop.Shared, types: str = "OTHER", **options: Any
) -> graph_pb2.ExpandResponse:
    """One hop from a, along made edges and those stored ones that are of *types*."""
    caps = {name: options.pop(name) for name in ("max_per_node", "max_degree") if name in options}
    step = hop(edges={"types": types.split()}, shared=specs or [FAR], **caps)
    return expand(world, "a", step, with_edges=True, with_subgraph=True, **options)


def made(answer: graph_pb2.ExpandResponse) -> list[str]:
    """The made edges of the subgraph, such as ``a SHARES b through m``."""
    return [
        f"{each.edge.source} {each.edge.type} {each.edge.target} through "
        f"{each.edge.properties['through'].string_value}"
        for each in answer.subgraph
        if "through" in each.edge.properties
    ]


def test_both_members_of_a_community_are_joined_through_the_smallest() -> None:
    answer = walked(CLUB)

    assert made(answer) == ["a SHARES b through m", "a SHARES c through n"]
    assert scores(answer) == {"a": 1.0, "b": 1.0, "c": 1.0}
    hit = answer.hits[1]
    assert (hit.via, hit.direction, hit.edge.id) == ("a", types_pb2.DIRECTION_OUT, "")


def test_the_direction_of_the_hop_is_not_that_of_made_edges() -> None:
    step = hop(edges={"direction": types_pb2.DIRECTION_IN}, shared=[FAR])

    answer = expand(CLUB, "a", step)

    assert [hit.direction for hit in answer.hits[1:]] == [types_pb2.DIRECTION_OUT] * 2


def test_a_community_with_too_many_members_makes_no_edges() -> None:
    assert made(walked(CLUB, shared(max_members=2))) == ["a SHARES b through m"]
    assert made(walked(CLUB, shared(max_members=1))) == []


def test_members_that_the_caller_may_not_read_do_not_count() -> None:
    hidden = world(
        *nodes("a b"),
        *communities("m"),
        node("c", readers=["user:eve"]),
        *(belongs(member, "m") for member in "abc"),
    )

    assert made(walked(hidden, shared(max_members=2))) == ["a SHARES b through m"]


def test_a_community_or_an_edge_that_is_hidden_joins_nobody() -> None:
    hidden = world(
        *nodes("a b c"),
        *communities("l", readers=["user:eve"]),
        *communities("m"),
        *(belongs(member, "l") for member in "abc"),
        belongs("a", "m"),
        belongs("b", "m", readers=["user:eve"]),
        belongs("c", "m"),
    )

    assert made(walked(hidden)) == ["a SHARES c through m"]


def test_made_edges_weigh_as_told_and_come_after_stored_ones_of_equal_weight() -> None:
    half = shared(weight=0.5)

    one = walked(CLUB, half, types="T", max_per_node=1)
    two = walked(CLUB, half, types="T", max_per_node=2)

    assert scores(one) == {"a": 1.0, "d": 0.5}
    assert scores(two) == {"a": 1.0, "b": 0.5, "d": 0.5}
    assert made(walked(CLUB, shared(weight=0.0))) != []


def test_two_specs_make_two_edges_to_the_same_end() -> None:
    answer = walked(CLUB, shared(weight=0.25), shared(name="ALSO", weight=0.25), max_per_node=3)

    assert made(answer) == [
        "a SHARES b through m",
        "a ALSO b through m",
        "a SHARES c through n",
    ]
    assert scores(answer) == {"a": 1.0, "b": 0.5, "c": 0.25}


def test_filters_judge_the_far_end_and_not_what_is_in_between() -> None:
    answer = walked(CLUB, filter="NOT (id = b OR type = community)")

    assert made(answer) == ["a SHARES c through n"]


def test_max_degree_does_not_count_made_edges_but_cuts_them_off_too() -> None:
    assert len(made(walked(CLUB, types="T", max_degree=1))) == 2
    assert made(walked(CLUB, types="T IN", max_degree=1)) == []


def test_a_later_hop_makes_the_edge_back_as_one_of_its_own() -> None:
    step = hop(edges={"types": ["OTHER"]}, shared=[FAR])

    answer = expand(CLUB, "c", step, step, with_subgraph=True)

    assert made(answer) == [
        "c SHARES a through n",
        "c SHARES b through n",
        "a SHARES b through m",
        "a SHARES c through n",
        "b SHARES a through m",
        "b SHARES c through n",
    ]


def test_of_equal_made_edges_a_budget_takes_the_one_of_the_earlier_hop() -> None:
    pair = world(*nodes("b a"), *communities("m"), belongs("a", "m"), belongs("b", "m"))
    step = hop(edges={"types": ["OTHER"]}, shared=[FAR])
    budget = graph_pb2.ExpandRequest.Budget(edges=1)

    answer = expand(pair, "b", step, step, budget=budget, with_subgraph=True)

    assert made(answer) == ["b SHARES a through m"]


def test_through_can_be_asked_for_where_edges_are_made() -> None:
    assert made(walked(CLUB, edge_fields=["through"])) == made(walked(CLUB))
    assert made(walked(CLUB, edge_fields=["id"])) == []
    with pytest.raises(Refused) as refused:
        expand(CLUB, "a", edge_fields=["through"])
    assert refused.value.fields == {"edge_fields[0]"}


@pytest.mark.parametrize(
    ("specs", "fields"),
    [
        ([graph_pb2.Hop.Shared()], {"[0].name", "[0].edge_type", "[0].through_type"}),
        ([FAR, shared(weight=-1.0)], {"[1].weight"}),
        ([shared(weight=float("inf"))], {"[0].weight"}),
        ([shared(max_members=100_001)], {"[0].max_members"}),
        ([FAR] * 11, {""}),
    ],
)
def test_specs_that_are_unfit_are_refused(
    specs: list[graph_pb2.Hop.Shared], fields: set[str]
) -> None:
    with pytest.raises(Refused) as refused:
        walked(CLUB, *specs)

    assert refused.value.fields == {f"hops[0].shared{field}" for field in fields}
