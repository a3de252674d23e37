"""The oracle's facets, metrics and orders, with texts and numbers worked out by hand."""

from collections.abc import Mapping
from typing import Any

import pytest

from passageway.v1 import query_pb2, store_pb2, types_pb2
from tests.oracle import Refused
from tests.oracle.facets import check_facets, count_facets
from tests.oracle.filters import Binding
from tests.oracle.graph import Graph
from tests.oracle.metrics import check_metrics, measure
from tests.oracle.refusals import Checks
from tests.oracle.sorting import check_sort, in_order
from tests.unit.oracle.small import edge, node, nodes, number, text, words, world
from tests.unit.oracle.small import moment as moment_of

SECOND = 1_000_000
DAY = 20_000 * 86_400 * SECOND  # 2024-10-04
INF = float("inf")


def measured(**properties: Any) -> types_pb2.Node:
    """A node named by its ``id``, with the other words as properties."""
    return node(properties.pop("id"), properties=properties)


def booleans(*values: bool) -> types_pb2.Value:
    return types_pb2.Value(bools=types_pb2.BoolList(values=values))


def ints(*values: int) -> types_pb2.Value:
    return types_pb2.Value(ints=types_pb2.IntList(values=values))


ROWS = Graph(
    world(
        node(
            "a",
            type="service",
            links={"near": types_pb2.StringList(values=["b", "c", "hidden"])},
            properties={
                "color": text("red"),
                "tags": words("x", "y", "x"),
                "n": number(1),
                "f": number(1),
                "at": moment_of(DAY),
                "on": booleans(True, False),
                "note": text("a long text"),
            },
        ),
        node(
            "b",
            type="service",
            links={"near": types_pb2.StringList(values=["c"])},
            properties={
                "color": text("green"),
                "tags": words("y"),
                "n": ints(3, 3, 2**53 + 1),
                "f": number(1.0),
                "at": moment_of(DAY + 1_500_000),
                "on": booleans(True),
            },
        ),
        node("c", properties={"color": text(""), "f": number(0.5), "n": number(-1)}),
        node("d", properties={"f": number(-0.0)}),
        edge("a", "b", 0.5, properties={"w": number(0.1)}),
        edge("b", "c", properties={"w": number(0.2)}),
        edge("c", "a", 0.5, type="U", properties={"w": number(0.3)}),
        fields=[
            store_pb2.Field(name="at", kind=types_pb2.FIELD_KIND_TIME),
            store_pb2.Field(name="note", kind=types_pb2.FIELD_KIND_TEXT),
            store_pb2.Field(name="price", kind=types_pb2.FIELD_KIND_FLOAT),
        ],
    ),
    admin=False,
)


def facet(
    field: str, limit: int | None = None, *, graph: Graph = ROWS, on_edges: bool = False
) -> list[tuple[str, int]]:
    """The buckets of one facet over all rows, or over all edges."""
    facets = {"it": query_pb2.Facet(field=field, limit=limit)}
    checks = Checks(query_pb2.BOUNDS_REJECT)
    limits = check_facets(facets, Binding(graph, {}), checks, on_edges=on_edges)
    checks.done()
    rows = graph.arcs if on_edges else list(graph.rows.values())
    counted = count_facets(rows, facets, limits)["it"]
    return [(bucket.value, bucket.count) for bucket in counted.buckets]


def metric(
    field: str, op: str, *, graph: Graph = ROWS, on_edges: bool = False
) -> int | float | None:
    """One metric over all rows, or over all edges; an int or a float as it comes."""
    metrics = {"it": query_pb2.Metric(field=field, op=query_pb2.Metric.Op.Value(f"OP_{op}"))}
    checks = Checks(query_pb2.BOUNDS_REJECT)
    kinds = check_metrics(metrics, Binding(graph, {}), checks, on_edges=on_edges)
    checks.done()
    rows = graph.arcs if on_edges else list(graph.rows.values())
    value = measure(rows, metrics, kinds).get("it")
    if value is None:
        return None
    return value.int_value if value.HasField("int_value") else value.double_value


@pytest.mark.parametrize(
    ("field", "buckets"),
    [
        ("id", [("a", 1), ("b", 1), ("c", 1), ("d", 1)]),
        ("type", [("service", 2)]),
        ("project", []),
        ("color", [("", 1), ("green", 1), ("red", 1)]),
        ("properties.color", [("", 1), ("green", 1), ("red", 1)]),
        ("tags", [("y", 2), ("x", 1)]),
        ("near", [("c", 2), ("b", 1)]),
        ("f", [("1", 2), ("0", 1), ("0.5", 1)]),
        ("n", [("-1", 1), ("1", 1), ("3", 1), ("9007199254740993", 1)]),
        ("on", [("true", 2), ("false", 1)]),
        ("at", [("2024-10-04T00:00:00Z", 1), ("2024-10-04T00:00:01.500000Z", 1)]),
        ("price", []),
    ],
)
def test_a_row_counts_once_for_each_value_that_it_holds(
    field: str, buckets: list[tuple[str, int]]
) -> None:
    assert facet(field) == buckets


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1e-09, "1e-09"),
        (2.5, "2.5"),
        (1e18, "1000000000000000000"),
        (2.0**63, "9.223372036854776e+18"),
        (1e300, "1e+300"),
        (2**63 - 1, "9223372036854775807"),
        (-0.25, "-0.25"),
    ],
)
def test_numbers_are_spelled_in_their_shortest_form(value: float, shown: str) -> None:
    graph = Graph(world(measured(id="a", x=number(value))), admin=False)

    assert facet("x", graph=graph) == [(shown, 1)]


def test_numbers_that_doubles_would_blur_are_two_values() -> None:
    rows = [measured(id="a", x=number(2**53 + 1)), measured(id="b", x=number(2.0**53))]

    assert facet("x", graph=Graph(world(*rows), admin=False)) == [
        ("9007199254740992", 1),
        ("9007199254740993", 1),
    ]


def test_a_limit_cuts_the_buckets_and_nothing_else() -> None:
    rows = Graph(world(*nodes("a b c d e f g h i j k")), admin=False)

    assert len(facet("id", graph=rows)) == 10
    assert len(facet("id", -1, graph=rows)) == 11
    assert facet("tags", 1) == [("y", 2)]
    assert facet("tags", 0) == []


def test_edges_are_counted_and_measured_like_nodes() -> None:
    assert facet("type", on_edges=True) == [("near", 3), ("T", 2), ("U", 1)]
    assert facet("weight", on_edges=True) == [("1", 4), ("0.5", 2)]
    assert facet("source", on_edges=True) == [("a", 3), ("b", 2), ("c", 1)]
    assert metric("weight", "SUM", on_edges=True) == 5.0
    assert metric("w", "SUM", on_edges=True) == 0.6
    assert 0.1 + 0.2 + 0.3 != 0.6
    assert metric("id", "COUNT", on_edges=True) == 3


@pytest.mark.parametrize(
    ("field", "op", "expected"),
    [
        ("tags", "COUNT", 4),
        ("tags", "CARDINALITY", 2),
        ("near", "COUNT", 3),
        ("content", "COUNT", None),
        ("note", "COUNT", 1),
        ("on", "COUNT", 3),
        ("f", "COUNT", 4),
        ("f", "CARDINALITY", 3),
        ("n", "MIN", -1),
        ("n", "MAX", 2**53 + 1),
        ("n", "SUM", 2**53 + 7),
        ("n", "AVG", (2**53 + 7) / 5),
        ("f", "MIN", 0.0),
        ("f", "MAX", 1.0),
        ("f", "SUM", 2.5),
        ("f", "AVG", 0.625),
        ("at", "MIN", 1_728_000_000.0),
        ("at", "MAX", 1_728_000_001.5),
        ("at", "AVG", 1_728_000_000.75),
        ("at", "CARDINALITY", 2),
        ("price", "COUNT", None),
        ("price", "SUM", None),
    ],
)
def test_a_metric_is_over_every_value(field: str, op: str, expected: float | None) -> None:
    found = metric(field, op)

    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ((2**63 - 1, 1), 2.0**63),
        ((2**63 - 1, -1), 2**63 - 2),
        ((1e308, 1e308), INF),
        ((-1e308, -1e308), -INF),
        ((1e308, 1e308, -1e308), 1e308),
        ((1e16, 1.0, -1e16), 1.0),
        ((2**53 + 1, 0.5), 2.0**53 + 2),
        ((2**53 + 1, 2**53 + 1, 0.0), 2.0**54 + 4 - 2),
    ],
)
def test_a_sum_is_exact_and_rounded_once(values: tuple[float, ...], total: float) -> None:
    rows = [measured(id=f"n{place}", x=number(value)) for place, value in enumerate(values)]

    found = metric("x", "SUM", graph=Graph(world(*rows), admin=False))

    assert found == total
    assert type(found) is type(total)


@pytest.mark.parametrize("field", ["content", "note", "nothing", "readers", ""])
def test_some_fields_have_no_facets(field: str) -> None:
    with pytest.raises(Refused) as refused:
        facet(field)

    assert refused.value.fields == {"facets.it.field"}


@pytest.mark.parametrize("limit", [-2, 10_001])
def test_a_facet_has_at_most_so_many_buckets(limit: int) -> None:
    with pytest.raises(Refused) as refused:
        facet("id", limit)

    assert refused.value.fields == {"facets.it.limit"}


@pytest.mark.parametrize(
    ("field", "op", "faults"),
    [
        ("color", "MIN", {"field"}),
        ("on", "AVG", {"field"}),
        ("near", "MAX", {"field"}),
        ("at", "SUM", {"field"}),
        ("nothing", "COUNT", {"field"}),
        ("n", "UNSPECIFIED", {"op"}),
        ("", "UNSPECIFIED", {"field", "op"}),
    ],
)
def test_what_cannot_be_measured_is_refused(field: str, op: str, faults: set[str]) -> None:
    with pytest.raises(Refused) as refused:
        metric(field, op)

    assert refused.value.fields == {f"metrics.it.{fault}" for fault in faults}


@pytest.mark.parametrize("what", ["facets", "metrics"])
@pytest.mark.parametrize(("count", "faults"), [(100, set[str]()), (101, {"it"})])
def test_a_call_has_at_most_a_hundred_of_each(what: str, count: int, faults: set[str]) -> None:
    checks, binding = Checks(query_pb2.BOUNDS_REJECT), Binding(ROWS, {})

    if what == "facets":
        check_facets({f"f{i}": query_pb2.Facet(field="id") for i in range(count)}, binding, checks)
    else:
        counting = query_pb2.Metric(field="id", op=query_pb2.Metric.OP_COUNT)
        check_metrics({f"m{i}": counting for i in range(count)}, binding, checks)

    assert checks.faults == {what for _ in faults}


def order(*sort: str, graph: Graph = ROWS) -> str:
    """The ids of all rows, sorted."""
    checks = Checks(query_pb2.BOUNDS_REJECT)
    keys = check_sort(sort, "sort", Binding(graph, {}), checks)
    checks.done()
    return " ".join(row.id for row in in_order(graph.rows.values(), keys))


@pytest.mark.parametrize(
    ("sort", "ids"),
    [
        ((), "a b c d"),
        (("-id",), "d c b a"),
        (("color",), "c b a d"),
        (("-color",), "a b c d"),
        (("f",), "d c a b"),
        (("-f",), "a b c d"),
        (("-f", "-id"), "b a c d"),
        (("n",), "c a b d"),
        (("-n",), "b a c d"),
        (("tags",), "a b c d"),
        (("-tags", "-id"), "b a d c"),
        (("on",), "a b c d"),
        (("-at",), "b a c d"),
        (("type", "-n"), "b a c d"),
        (("near",), "a b c d"),
        (("-near",), "a b c d"),
        (("note",), "a b c d"),
        (("price",), "a b c d"),
    ],
)
def test_rows_without_the_field_come_last_and_ties_by_id(sort: tuple[str, ...], ids: str) -> None:
    assert order(*sort) == ids


@pytest.mark.parametrize(
    ("sort", "faults"),
    [
        (("-",), {"sort[0]"}),
        (("id", ""), {"sort[1]"}),
        (("nothing", "readers"), {"sort[0]", "sort[1]"}),
        (("id",) * 9, {"sort"}),
    ],
)
def test_an_order_names_fields_that_the_caller_knows(
    sort: tuple[str, ...], faults: set[str]
) -> None:
    with pytest.raises(Refused) as refused:
        order(*sort)

    assert refused.value.fields == faults


def test_limits_of_facets_are_moved_to_their_bounds() -> None:
    facets: Mapping[str, query_pb2.Facet] = {
        "low": query_pb2.Facet(field="id", limit=-5),
        "high": query_pb2.Facet(field="id", limit=20_000),
    }
    checks = Checks(query_pb2.BOUNDS_CLAMP)

    assert check_facets(facets, Binding(ROWS, {}), checks) == {"low": -1, "high": 10_000}
    assert checks.applied == {"facets.low.limit": -1, "facets.high.limit": 10_000}
