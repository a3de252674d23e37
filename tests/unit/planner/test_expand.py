"""Expand requests: every fault at its path, bounds, and what the plan says."""

import math
from dataclasses import replace

import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.authz.gates import gates
from passageway_server.engine.budget import BudgetPlan
from passageway_server.engine.kernels.step import NO_CAP
from passageway_server.engine.pagerank import PageRankPlan
from passageway_server.errors import InvalidRequest
from passageway_server.planner.expand import ExpandPlan, plan_expand
from passageway_server.values.collections import (
    CollectionSettings,
    Direction,
    EdgeType,
    Ontology,
)
from passageway_server.values.queries import (
    Bounds,
    EdgeSpec,
    Facet,
    Metric,
    MetricOp,
    Query,
    ReadOptions,
)
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import (
    Budget,
    ExpandRequest,
    Hop,
    PageRank,
    Propagate,
    Rank,
    SeedGroup,
    Shared,
)
from passageway_server.version.store import Store
from passageway_server.version.version import Version

SETTINGS = CollectionSettings(
    "c",
    ontology=Ontology(
        edge_types=(
            EdgeType("CALLS", agents_walk=Direction.OUT),
            EdgeType("OWNS", agents_walk=Direction.IN),
            EdgeType("SEES", agents_walk=Direction.BOTH),
        )
    ),
)
BATCH = Batch(
    put_nodes=(NodeRecord("a"), NodeRecord("b", properties={"stars": 3})),
    put_edges=(
        EdgeRecord("e1", "a", "b", "CALLS", properties={"strength": 2, "note": "x", "weight": 7}),
        EdgeRecord("e2", "a", "b", "OWNS"),
        EdgeRecord("e3", "a", "b", "SEES"),
    ),
)
ALL = Query(filter='id != "nobody"')
SORTED = replace(ALL, sort=("id",))
PLAIN = ExpandRequest("c", seeds=(SeedGroup(("a",)),), hops=(Hop(),))


@pytest.fixture(scope="module")
def version() -> Version:
    collection = Store.open().create(SETTINGS)
    collection.apply(BATCH)
    return collection.current


def plan(version: Version, request: ExpandRequest) -> ExpandPlan:
    return plan_expand(request, version, gates(version, OPERATOR, ReadOptions(), 0).read)


def faults(version: Version, request: ExpandRequest) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        plan(version, request)
    return [fault.field for fault in refused.value.faults]


def over(**changes: object) -> ExpandRequest:
    return replace(PLAIN, **changes)  # type: ignore[arg-type]


def hop(**changes: object) -> ExpandRequest:
    return over(hops=(replace(Hop(), **changes),))  # type: ignore[arg-type]


def ppr(**changes: object) -> ExpandRequest:
    return over(ppr=replace(PageRank(), **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (over(seeds=()), "seeds"),
        (over(seeds=(SeedGroup(("a",)),) * 11), "seeds"),
        (over(seeds=(SeedGroup(("a",) * 10_001),)), "seeds"),
        (over(seeds=(SeedGroup(("a",)), SeedGroup())), "seeds[1]"),
        (over(seeds=(SeedGroup(("a",), weight=0.0),)), "seeds[0].weight"),
        (over(seeds=(SeedGroup(("a",), weight=-1.0),)), "seeds[0].weight"),
        (over(seeds=(SeedGroup(("a",), weight=math.inf),)), "seeds[0].weight"),
        (over(hops=(Hop(),) * 4), "hops"),
        (hop(decay=0.0), "hops[0].decay"),
        (hop(decay=math.nan), "hops[0].decay"),
        (hop(filter="nothing = 1"), "hops[0].filter"),
        (hop(max_frontier=100_001), "hops[0].max_frontier"),
        (hop(edges=EdgeSpec(max_frontier=1)), "hops[0].edges.max_frontier"),
        (hop(edges=EdgeSpec(filter="(")), "hops[0].edges.filter"),
        (hop(edges=EdgeSpec(weight_property="nothing")), "hops[0].edges.weight_property"),
        (hop(edges=EdgeSpec(weight_property="stars")), "hops[0].edges.weight_property"),
        (hop(edges=EdgeSpec(weight_property="note")), "hops[0].edges.weight_property"),
        (hop(edges=EdgeSpec(weight_property="id")), "hops[0].edges.weight_property"),
        (over(min_hop=2), "min_hop"),
        (over(limit=-2), "limit"),
        (over(limit=10_001), "limit"),
        (over(filter="(a"), "filter"),
        (over(return_filter="(a"), "return_filter"),
        (over(fields=("id", "nothing")), "fields[1]"),
        (over(edge_fields=("nothing",)), "edge_fields[0]"),
        (over(content_max_chars=50_001), "content_max_chars"),
        (over(max_nodes=100_001), "max_nodes"),
        (over(max_edges=100_001), "max_edges"),
        (over(vars={"x": math.nan}), "vars.x"),
        (over(seeds=(SeedGroup(("a",), query=ALL),)), "seeds[0]"),
        (over(seeds=(SeedGroup(query=Query()),)), "seeds[0].query"),
        (over(seeds=(SeedGroup(query=Query(filter="(")),)), "seeds[0].query.filter"),
        (over(seeds=(SeedGroup(query=replace(ALL, limit=0)),)), "seeds[0].query.limit"),
        (over(seeds=(SeedGroup(query=replace(ALL, limit=10_001)),)), "seeds[0].query.limit"),
        (over(seeds=(SeedGroup(query=SORTED, weight=2.0),)), "seeds[0].query.sort"),
        (over(seeds=(SeedGroup(query=replace(ALL, sort=("no",))),)), "seeds[0].query.sort[0]"),
        (
            over(seeds=(SeedGroup(query=replace(ALL, vars={"x": math.inf})),)),
            "seeds[0].query.vars.x",
        ),
        (over(search=Query()), "search"),
        (over(search=replace(ALL, limit=0)), "search.limit"),
        (over(search=replace(ALL, vars={"x": math.inf})), "search.vars.x"),
        (over(search_fields=("id", "nothing")), "search_fields[1]"),
        (ppr(alpha=-0.1), "ppr.alpha"),
        (ppr(alpha=1.5), "ppr.alpha"),
        (ppr(alpha=math.nan), "ppr.alpha"),
        (ppr(iterations=1001), "ppr.iterations"),
        (ppr(tolerance=-1.0), "ppr.tolerance"),
        (ppr(tolerance=math.inf), "ppr.tolerance"),
        (ppr(reset_field="nothing"), "ppr.reset_field"),
        (ppr(reset_field="name"), "ppr.reset_field"),
        (ppr(reset_field="strength"), "ppr.reset_field"),  # of edges alone
        (over(budget=Budget()), "budget"),
        (over(budget=Budget(nodes=100_001)), "budget.nodes"),
        (over(budget=Budget(edges=100_001)), "budget.edges"),
        (over(budget=Budget(edge_cost=math.inf)), "budget.edge_cost"),
        (over(facets={"x": Facet("nothing")}), "facets.x.field"),
        (over(metrics={"x": Metric("nothing", MetricOp.SUM)}), "metrics.x.field"),
        (hop(shared=(Shared("", "CALLS", "t"),)), "hops[0].shared[0].name"),
    ],
)
def test_a_fault_is_found_at_its_path(version: Version, request_: ExpandRequest, path: str) -> None:
    assert faults(version, request_) == [path]


def test_all_faults_come_at_once(version: Version) -> None:
    request = over(
        seeds=(SeedGroup(("a",), weight=0.0),), hops=(Hop(decay=-1.0),), min_hop=3, limit=-5
    )

    assert faults(version, request) == ["seeds[0].weight", "hops[0].decay", "min_hop", "limit"]


def test_clamp_moves_numbers_and_drops_ids_past_the_cap(version: Version) -> None:
    request = over(
        seeds=(SeedGroup(("a",) * 9_999), SeedGroup(("b", "c", "d")), SeedGroup(("e",))),
        hops=(Hop(max_frontier=200_000),),
        limit=20_000,
        max_nodes=200_000,
        content_max_chars=60_000,
        bounds=Bounds.CLAMP,
    )

    found = plan(version, request)

    assert found.applied == {
        "seeds": 10_000,
        "hops[0].max_frontier": 100_000,
        "limit": 10_000,
        "max_nodes": 100_000,
        "content_max_chars": 50_000,
    }
    assert [(group.ids[-1:], group.dropped) for group in found.seeds] == [
        (("a",), ()),
        (("b",), ("c", "d")),
        ((), ("e",)),
    ]
    assert (found.limit, found.max_chars, found.walk.max_nodes) == (10_000, 50_000, 100_000)


def test_clamp_does_not_let_through_what_has_no_nearest_bound(version: Version) -> None:
    request = over(
        seeds=(SeedGroup(("a",), weight=0.0),),
        hops=(Hop(decay=0.0),) * 4,
        min_hop=5,
        bounds=Bounds.CLAMP,
    )

    assert set(faults(version, request)) == {
        "seeds[0].weight", "hops", *(f"hops[{i}].decay" for i in range(4)), "min_hop",
    }  # fmt: skip


def test_unset_numbers_are_their_defaults_and_zeros_are_zeros(version: Version) -> None:
    unset = plan(version, PLAIN)
    zeros = plan(
        version,
        over(
            limit=0,
            content_max_chars=0,
            max_nodes=0,
            max_edges=0,
            with_subgraph=True,
            include_seeds=False,
        ),
    )

    assert (unset.limit, unset.max_chars, unset.walk.max_nodes) == (10, 500, 100_000)
    assert (unset.include_seeds, unset.with_scores) == (True, True)
    assert (zeros.limit, zeros.max_chars, zeros.walk.max_nodes, zeros.walk.max_edges) == (0,) * 4
    assert not zeros.include_seeds


def test_minus_one_is_the_most_hits_and_no_clamping(version: Version) -> None:
    found = plan(version, over(limit=-1))

    assert (found.limit, found.applied) == (10_000, {})


def test_caps_of_zero_are_no_caps(version: Version) -> None:
    (found,) = plan(version, PLAIN).walk.hops

    assert (found.max_degree, found.max_per_node, found.max_frontier) == (NO_CAP,) * 3


def test_a_weight_property_may_be_named_with_its_prefix_and_hides_the_built_in(
    version: Version,
) -> None:
    named = [
        plan(version, hop(edges=EdgeSpec(weight_property=name))).walk.hops[0].weight_property
        for name in ("strength", "properties.strength", "weight", "properties.weight")
    ]

    assert named == ["strength", "strength", "weight", "weight"]


def test_an_unknown_type_matches_nothing(version: Version) -> None:
    (found,) = plan(version, hop(edges=EdgeSpec(types=("NONE",)))).walk.hops

    assert len(found.out_types) > 0
    assert not found.out_types.any()


def test_as_declared_each_type_is_left_only_the_way_that_agents_walk_it(version: Version) -> None:
    request = replace(hop(edges=EdgeSpec(direction=Direction.BOTH)), walk_as_declared=True)

    (found,) = plan(version, request).walk.hops

    def walked(table: object) -> set[str]:
        return {
            name
            for name in ("CALLS", "OWNS", "SEES")
            if table[version.edge_types.find(name)]  # type: ignore[index]
        }

    assert walked(found.out_types) == {"CALLS", "SEES"}
    assert walked(found.in_types) == {"OWNS", "SEES"}


def test_propagation_is_a_sum_unless_told(version: Version) -> None:
    assert plan(version, PLAIN).walk.summing
    assert not plan(version, over(propagate=Propagate.MAX)).walk.summing


def test_what_an_answer_is_ranked_and_cut_by_is_planned_with_its_defaults(version: Version) -> None:
    plain = plan(version, PLAIN)
    usual = plan(version, over(rank=Rank.PPR, budget=Budget(nodes=3)))
    asked = plan(
        version,
        over(
            rank=Rank.PPR,
            ppr=PageRank(0.0, 0, 0.0, undirected=False, reset_field="stars"),
            budget=Budget(nodes=0, edges=0, edge_cost=-1.5),
        ),
    )

    assert (plain.page_rank, plain.budget) == (None, None)
    assert (usual.page_rank, usual.budget) == (
        PageRankPlan(0.5, 50, 1e-6, True, ""),
        BudgetPlan(3, None, 0.0),
    )
    assert (asked.page_rank, asked.budget) == (
        PageRankPlan(0.0, 0, 0.0, False, "stars"),
        BudgetPlan(0, 0, -1.5),
    )


def test_page_rank_is_checked_and_otherwise_without_effect_unless_it_ranks(
    version: Version,
) -> None:
    assert plan(version, ppr(alpha=0.1)).page_rank is None


@pytest.mark.parametrize(
    ("changes", "traverses"),
    [
        ({}, False),
        ({"with_subgraph": True}, True),
        ({"rank": Rank.PPR}, True),
        ({"budget": Budget(nodes=1)}, True),
    ],
)
def test_edges_are_noted_for_what_needs_them_and_counted_for_a_subgraph_alone(
    version: Version, changes: dict[str, object], traverses: bool
) -> None:
    walk = plan(version, over(max_edges=5, **changes)).walk

    assert walk.with_traversed is traverses
    assert walk.max_edges == (5 if "with_subgraph" in changes else NO_CAP)


def test_clamp_moves_the_numbers_of_rank_budget_and_queries(version: Version) -> None:
    request = over(
        seeds=(SeedGroup(query=replace(ALL, limit=0)),),
        ppr=PageRank(iterations=5_000),
        budget=Budget(nodes=200_000, edges=200_000),
        search=replace(ALL, limit=20_000),
        bounds=Bounds.CLAMP,
    )

    assert plan(version, request).applied == {
        "seeds[0].query.limit": 1,
        "ppr.iterations": 1_000,
        "budget.nodes": 100_000,
        "budget.edges": 100_000,
        "search.limit": 10_000,
    }


def test_a_group_of_a_query_takes_none_of_the_places_of_ids(version: Version) -> None:
    request = over(seeds=(SeedGroup(query=ALL), SeedGroup(("a",) * 10_000), SeedGroup(query=ALL)))

    found = plan(version, request)

    assert [group.query is None for group in found.seeds] == [False, True, False]
    assert found.applied == {}
