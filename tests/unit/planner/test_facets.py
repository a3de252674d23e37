"""Facets, metrics, sorts and queries are bound to what their caller knows; faults name the parameter."""

from collections.abc import Callable
from typing import Any

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.predicate import Over
from passageway_server.engine.sorting import SortKey
from passageway_server.errors import InvalidRequest
from passageway_server.planner.binding import Binding
from passageway_server.planner.facets import plan_facets, plan_metrics
from passageway_server.planner.query import plan_query
from passageway_server.planner.sorting import plan_sort
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.queries import (
    Bounds,
    Facet,
    Facets,
    Metric,
    MetricOp,
    Metrics,
    Query,
    ReadOptions,
)
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from tests.unit.engine.bound import version_of

SETTINGS = CollectionSettings(
    "c",
    fields=(FieldDeclaration("note", Kind.TEXT), FieldDeclaration("since", Kind.TIME)),
    default_readers=("public",),
)
VERSION = version_of(
    Batch(
        put_nodes=(
            NodeRecord("a", properties={"size": 1, "ratio": 0.5, "tag": "x", "done": True}),
            NodeRecord("b", properties={"name": "y", "-odd": 1}, links={"related": ("a",)}),
            NodeRecord("s", properties={"secret": 1, "size": 0.5}, readers=("user:eve",)),
        ),
        put_edges=(EdgeRecord("e", "a", "b", properties={"since when": 1}),),
    ),
    SETTINGS,
)
NUMBERS, TIMES, WORDS = ["size", "ratio"], ["since"], ["tag", "done", "related", "name", "note"]


def binding(*, bounds: Bounds = Bounds.REJECT, vars: Any = None) -> Binding:
    gate = gates(VERSION, Caller.holding(()), ReadOptions(), 0).read
    return Binding(VERSION, gate, bounds=bounds, vars=vars or {})


def faults(plan: Callable[[Binding], object], *, vars: Any = None) -> dict[str, str]:
    bound = binding(vars=vars)
    plan(bound)
    try:
        bound.check()
    except InvalidRequest as refused:
        return {fault.field: fault.message for fault in refused.faults}
    return {}


def facet_faults(facets: Facets, over: Over = "nodes") -> dict[str, str]:
    return faults(lambda bound: plan_facets(facets, bound, over=over))


def metric_faults(metrics: Metrics) -> dict[str, str]:
    return faults(lambda bound: plan_metrics(metrics, bound, over="nodes"))


def sort_faults(*names: str, over: Over = "nodes") -> list[str]:
    return list(faults(lambda bound: plan_sort(names, bound, path="sort", over=over)))


def query_faults(query: Query) -> list[str]:
    return list(faults(lambda bound: plan_query(query, bound, path="seeds[0].query")))


def test_facets_are_of_fields_whose_values_are_ever_equal() -> None:
    fine = ["id", "type", "name", "properties.name", "size", "since", "tag", "done", "related"]
    assert facet_faults({name: Facet(name) for name in fine}) == {}
    assert facet_faults({name: Facet(name) for name in ("weight", "source", "id")}, "edges") == {}

    prose = facet_faults({"a": Facet("content"), "b": Facet("note")})
    assert set(prose) == {"facets.a.field", "facets.b.field"}
    assert all("is a text" in message for message in prose.values())


def test_a_field_that_is_missing_or_unknown_is_a_fault_of_its_facet() -> None:
    names = ["", "secret", "readers", "sizes"]

    unknown = facet_faults({name: Facet(name) for name in names})

    assert set(unknown) == {f"facets.{name}.field" for name in names}
    assert "near names: size" in unknown["facets.sizes.field"]
    assert set(facet_faults({"f": Facet("size")}, "edges")) == {"facets.f.field"}


def test_a_facet_has_ten_buckets_and_minus_one_asks_for_all() -> None:
    def limit(asked: int | None) -> int | None:
        plans = plan_facets({"f": Facet("tag", asked)}, binding(), over="nodes")
        return plans["f"].limit

    assert [limit(None), limit(0), limit(10_000), limit(-1)] == [10, 0, 10_000, None]
    assert set(facet_faults({"f": Facet("tag", -2), "g": Facet("tag", 10_001)})) == {
        "facets.f.limit",
        "facets.g.limit",
    }
    clamping = binding(bounds=Bounds.CLAMP)
    plan_facets({"f": Facet("tag", 10_001)}, clamping, over="nodes")
    assert clamping.applied == {"facets.f.limit": 10_000}


def test_there_are_at_most_a_hundred_facets_and_as_many_metrics() -> None:
    def asked(count: int) -> list[str]:
        facets = {f"f{i}": Facet("tag") for i in range(count)}
        metrics = {f"m{i}": Metric("tag", MetricOp.COUNT) for i in range(count)}
        return [*facet_faults(facets), *metric_faults(metrics)]

    assert asked(100) == []
    assert asked(101) == ["facets", "metrics"]


@pytest.mark.parametrize("op", [op for op in MetricOp if op != MetricOp.UNSPECIFIED])
def test_what_is_taken_over_a_field_depends_on_its_kind(op: MetricOp) -> None:
    counting = op in (MetricOp.COUNT, MetricOp.CARDINALITY)
    refused = [] if counting else WORDS + (TIMES if op == MetricOp.SUM else [])

    found = metric_faults({name: Metric(name, op) for name in NUMBERS + TIMES + WORDS})

    assert set(found) == {f"metrics.{name}.field" for name in refused}
    assert all(op.name in message for message in found.values())


def test_a_metric_names_what_to_take_and_of_what() -> None:
    found = metric_faults(
        {"a": Metric("size"), "b": Metric("", MetricOp.SUM), "c": Metric("secret")}
    )

    assert set(found) == {"metrics.a.op", "metrics.b.field", "metrics.c.op", "metrics.c.field"}


def test_a_number_that_only_hidden_rows_hold_as_a_float_is_an_int() -> None:
    plans = plan_metrics({"m": Metric("size", MetricOp.SUM)}, binding(), over="nodes")

    assert plans["m"].field.kind == Kind.INT


def test_a_sort_goes_down_by_a_name_after_a_sign() -> None:
    bound = binding()

    found = plan_sort(["size", "-properties.name"], bound, path="sort", over="nodes")

    assert found == (SortKey(bound.nodes["size"]), SortKey(bound.nodes["properties.name"], True))
    assert sort_faults("weight", "-source", "since when", over="edges") == []


def test_a_key_that_a_sort_names_again_decides_nothing_but_the_other_way_it_may() -> None:
    bound = binding()
    names = ["size", "-size", "-properties.name", "size", "-properties.name"]
    size, name = bound.nodes["size"], bound.nodes["properties.name"]

    found = plan_sort(names, bound, path="sort", over="nodes")

    assert found == (SortKey(size), SortKey(size, True), SortKey(name, True))


def test_what_a_sort_cannot_name_is_a_fault_at_its_place() -> None:
    assert sort_faults("size", "-", "", "secret", "-odd") == [f"sort[{j}]" for j in (1, 2, 3, 4)]
    assert sort_faults(*["size"] * 8) == []
    assert sort_faults(*["size"] * 9) == ["sort"]


def test_a_query_has_a_filter_and_its_faults_stand_behind_its_path() -> None:
    assert query_faults(Query(filter="id = a", types=("t",), limit=10_000, sort=("size",))) == []
    assert query_faults(Query()) == ["seeds[0].query"]
    assert query_faults(Query(filter=" \n", limit=0)) == ["seeds[0].query", "seeds[0].query.limit"]
    assert query_faults(
        Query(filter="secret = 1", vars={"x": float("nan")}, limit=10_001, sort=("size", "secret"))
    ) == [f"seeds[0].query.{part}" for part in ("vars.x", "filter", "sort[1]", "limit")]


def test_the_vars_of_a_query_win_over_those_of_the_request() -> None:
    def planned(vars: Any) -> list[str]:
        query = Query(filter="id = $id AND type = $type", vars=vars)
        return list(
            faults(
                lambda bound: plan_query(query, bound, path="search"),
                vars={"type": "t", "id": 1},
            )
        )

    assert planned({"id": "a"}) == []
    assert planned({}) == ["search.filter"]
