"""The oracle's Lookup: edge documents, joins over edges, and pages, with values worked out by hand."""

from typing import Any

import pytest

from passageway.v1 import query_pb2, read_pb2
from tests.oracle import Refused, World
from tests.oracle.answers import graph_for
from tests.oracle.askers import Asker
from tests.oracle.lookup import lookup as lookup_
from tests.oracle.lookup import place_in
from tests.oracle.pages import MORE
from tests.unit.oracle.small import (
    ADA,
    NOW_US,
    ask,
    batch,
    edge,
    lookup,
    moment,
    node,
    nodes,
    number,
    span,
    world,
)

EDGES = read_pb2.LookupRequest.KIND_EDGES


def edges_of(world: World, filter: str = "", **options: Any) -> list[str]:
    """The ids of the edge documents that pass a filter."""
    request = read_pb2.LookupRequest(kind=EDGES, filter=filter, page_size=100, **options)
    return [row.id for row in ask(world, request, read_pb2.LookupResponse).edges]


WIRED = world(
    *nodes("a b c"),
    node("p", project="x"),
    node("q", project="x"),
    node("hidden", readers=[]),
    span("s", "a"),
    edge("a", "b", 0.5, properties={"since": number(2001)}),
    edge("b", "a", 2.0, type="U", properties={"since": number(1999)}),
    edge("b", "c", readers=["user:eve"]),
    edge("a", "hidden"),
    edge("c", "gone"),
    edge("c", "c"),
    edge("p", "q"),
    edge("p", "a"),
)


def test_edges_are_the_documents_that_are_visible() -> None:
    assert edges_of(WIRED) == ["ab", "ba", "cc", "pa", "pq"]


def test_edges_go_by_their_ends_in_scope() -> None:
    assert edges_of(WIRED, read={"project": "x"}) == ["pq"]


def test_edges_are_filtered_sorted_and_counted_as_nodes_are() -> None:
    assert edges_of(WIRED, "source = b OR weight < 1") == ["ab", "ba"]
    assert edges_of(WIRED, sort=["since"]) == ["ba", "ab", "cc", "pa", "pq"]
    assert edges_of(WIRED, sort=["-weight"]) == ["ba", "cc", "pa", "pq", "ab"]
    request = read_pb2.LookupRequest(kind=EDGES, page_size=0)
    request.facets["t"].field = "target"
    request.metrics["n"].CopyFrom(query_pb2.Metric(field="since", op=query_pb2.Metric.OP_SUM))
    answer = ask(WIRED, request, read_pb2.LookupResponse)
    counted = [(each.value, each.count) for each in answer.facets["t"].buckets]
    assert (answer.total, counted) == (5, [("a", 2), ("b", 1), ("c", 1), ("q", 1)])
    assert answer.metrics["n"].double_value + answer.metrics["n"].int_value == 4000


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ('lookup(id, from_edges=(source = "a"), from_field=target)', ["b"]),
        ("lookup(id, from_edges=(since:*), from_field=target)", ["a", "b"]),
        ('NOT lookup(id, from_edges=(id:*), from_field=source) AND project = "x"', ["q"]),
        ("lookup(id, from_edges=(lookup(target, from=(project = x), from_field=id)), from_field=source)", ["p"]),
    ],
)  # fmt: skip
def test_a_join_takes_its_values_from_visible_edge_documents(filter: str, found: list[str]) -> None:
    assert lookup(WIRED, filter) == found


def test_edges_join_on_what_edges_or_nodes_hold() -> None:
    assert edges_of(WIRED, "lookup(source, from=(project = x), from_field=id)") == ["pa", "pq"]
    joined = {"field": "target", "from_filter": "since > 2000", "from_field": "source"}
    assert edges_of(WIRED, from_kind=EDGES, **joined) == ["ba", "pa"]
    assert lookup(WIRED, "", from_kind=EDGES, **(joined | {"field": "id"})) == ["a"]


@pytest.mark.parametrize(
    ("options", "faults"),
    [
        ({"from_kind": EDGES}, {"field", "from_filter", "from_field"}),
        ({"from_kind": EDGES, "field": "id", "from_filter": "id:*"}, {"from_field"}),
        ({"from_kind": EDGES, "field": "id", "from_filter": "id:*", "from_field": "name"}, {"from_field"}),
        ({"kind": EDGES, "filter": "name = x", "fields": ["content"]}, {"filter", "fields[0]"}),
        ({"filter": "lookup(id, from_edges=(name = x), from_field=source)"}, {"filter"}),
        ({"filter": "lookup(id, from_edges=(id:*), from_field=weight)"}, {"filter"}),
        ({"page_token": MORE, "sort": ["nothing"]}, {"page_token", "sort[0]"}),
    ],
)  # fmt: skip
def test_each_part_that_does_not_fit_is_named(options: dict[str, Any], faults: set[str]) -> None:
    with pytest.raises(Refused) as refused:
        ask(WIRED, read_pb2.LookupRequest(**options), read_pb2.LookupResponse)

    assert refused.value.fields == faults


def pages(world: World, *writes: Any, clock: int = 0, **options: Any) -> list[list[str]]:
    """The ids of each page, of two rows; before each page but the first comes one of *writes*."""
    request = read_pb2.LookupRequest(page_size=2, **options)
    asker, after, found = Asker("ada", ADA), None, list[list[str]]()
    for write in (None, *writes):
        if write is not None:
            world.apply(write)
        graph = graph_for(world, asker)
        now_us = NOW_US if after is None else NOW_US + clock
        told = lookup_(graph, request, now_us=now_us, after=after)
        found.append([row.id for row in told.nodes])
        if told.next_page_token:
            after = place_in(graph, request, found[-1][-1], now_us=NOW_US)
            request.page_token = MORE
    return found


def test_a_page_follows_while_rows_are_left() -> None:
    five = world(*nodes("a b c d e"))
    nothing = batch()

    assert pages(five, nothing, nothing) == [["a", "b"], ["c", "d"], ["e"]]
    four = ask(world(*nodes("a b c d")), read_pb2.LookupRequest(), read_pb2.LookupResponse)
    none = ask(five, read_pb2.LookupRequest(page_size=0), read_pb2.LookupResponse)
    assert (four.next_page_token, none.next_page_token, none.total) == ("", "", 5)


def test_a_page_goes_on_after_a_row_that_is_gone_or_moved() -> None:
    sized = [node(name, properties={"x": number(size)}) for size, name in enumerate("abcde")]
    moved = batch(node("a", properties={"x": number(9)}), delete_nodes=["b"])

    assert pages(world(*sized), moved, sort=["x"]) == [["a", "b"], ["c", "d"]]
    assert pages(world(*sized), moved, batch(), sort=["x"]) == [["a", "b"], ["c", "d"], ["e", "a"]]
    assert pages(world(*sized), moved, sort=["-x"]) == [["e", "d"], ["c"]]


def test_rows_without_the_field_come_last_by_id() -> None:
    some = [node("a"), node("b", properties={"x": number(1)}), node("c"), node("d")]

    assert pages(world(*some), batch(), sort=["x"]) == [["b", "a"], ["c", "d"]]
    assert pages(world(*some), batch(), sort=["-x"]) == [["b", "a"], ["c", "d"]]


def test_pages_are_all_by_the_clock_of_the_first() -> None:
    late = [
        node(name, properties={"expires_at": moment(NOW_US + after)})
        for name, after in (("a", 1), ("b", 9), ("c", 1), ("d", 0))
    ]
    current = {"read": {"evidence": "EVIDENCE_CURRENT"}}

    assert pages(world(*late), batch(), clock=5, **current) == [["a", "b"], ["c"]]
