"""What a request for paths may say, and what it means when it says nothing."""

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.paths_plan import NO_CAP, PathEdges, PathPlan
from passageway_server.errors import InvalidRequest
from passageway_server.planner.paths import PathsPlan, plan_paths
from passageway_server.values.collections import CollectionSettings, Direction
from passageway_server.values.queries import Bounds, EdgeSpec, ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import PathMode, PathsRequest
from passageway_server.version.store import Store
from passageway_server.version.version import Version

ANYONE = Caller.holding(())


@pytest.fixture(scope="module")
def version() -> Version:
    collection = Store.open().create(CollectionSettings("c", default_readers=("public",)))
    collection.apply(
        Batch(
            put_nodes=(NodeRecord("a"), NodeRecord("b")),
            put_edges=(
                EdgeRecord("e", "a", "b", "LIKES", properties={"strength": 0.5, "note": "x"}),
            ),
        )
    )
    return collection.current


def request(**parts: object) -> PathsRequest:
    return PathsRequest(**{"collection": "c", "sources": ("a",), "targets": ("b",), **parts})  # type: ignore[arg-type]


def planned(version: Version, **parts: object) -> PathsPlan:
    return plan_paths(request(**parts), version, gates(version, ANYONE, ReadOptions(), 0).read)


def faulty(version: Version, **parts: object) -> set[str]:
    with pytest.raises(InvalidRequest) as caught:
        planned(version, **parts)
    return {fault.field for fault in caught.value.faults}


def test_what_is_unset_has_the_defaults_of_the_contract(version: Version) -> None:
    plan = planned(version)

    assert plan.search == PathPlan(
        mode=PathMode.SHORTEST,
        edges=(PathEdges(direction=Direction.BOTH),),
        most=1,
        max_depth=4,
        max_frontier=1000,
        max_degree=NO_CAP,
    )
    assert plan.max_chars == 500
    assert plan.applied == {}


def test_all_simple_has_paths_of_one_edge_or_more_and_a_hundred_at_most(version: Version) -> None:
    search = planned(version, mode=PathMode.ALL_SIMPLE).search

    assert (search.min_depth, search.max_depth, search.most) == (1, 4, 100)


@pytest.mark.parametrize(
    ("parts", "fields"),
    [
        ({"sources": ()}, {"sources"}),
        ({"targets": tuple("abcdefghijk")}, {"targets"}),
        ({"sources": ("a",) * 11}, {"sources"}),
        ({"max_depth": 0}, {"max_depth"}),
        ({"max_depth": 7}, {"max_depth"}),
        ({"k": 0}, {"k"}),
        ({"k": 11}, {"k"}),
        ({"max_frontier": 0}, {"max_frontier"}),
        ({"max_frontier": 100_001}, {"max_frontier"}),
        ({"content_max_chars": 50_001}, {"content_max_chars"}),
        ({"min_depth": 0}, {"min_depth"}),
        ({"max_paths": 5}, {"max_paths"}),
        ({"mode": PathMode.ALL_SIMPLE, "k": 3}, {"k"}),
        ({"mode": PathMode.ALL_SIMPLE, "weighted": True}, {"weighted"}),
        ({"mode": PathMode.ALL_SIMPLE, "max_paths": 0}, {"max_paths"}),
        ({"mode": PathMode.ALL_SIMPLE, "max_paths": 10_001}, {"max_paths"}),
        ({"mode": PathMode.ALL_SIMPLE, "max_depth": 2, "min_depth": 3}, {"min_depth"}),
        ({"edges": (EdgeSpec(),) * 11}, {"edges"}),
        ({"edges": (EdgeSpec(filter="("),)}, {"edges[0].filter"}),
        ({"edges": (EdgeSpec(weight_property="none"),)}, {"edges[0].weight_property"}),
        (
            {"edges": (EdgeSpec(), EdgeSpec(weight_property="note"))},
            {"edges[1].weight_property"},
        ),
        ({"filter": "none = 1"}, {"filter"}),
        ({"fields": ("none",)}, {"fields[0]"}),
        ({"edge_fields": ("id", "none")}, {"edge_fields[1]"}),
        ({"vars": {"x": float("nan")}}, {"vars.x"}),
    ],
)
def test_what_is_out_of_range_unknown_or_of_the_other_mode_is_refused(
    version: Version, parts: dict[str, object], fields: set[str]
) -> None:
    assert faulty(version, **parts) == fields


def test_all_faults_come_at_once(version: Version) -> None:
    assert faulty(
        version,
        sources=(),
        max_depth=9,
        k=0,
        filter="(",
        edges=(EdgeSpec(filter=")"),),
        min_depth=1,
    ) == {"sources", "max_depth", "k", "filter", "edges[0].filter", "min_depth"}


def test_clamp_moves_numbers_and_says_so_but_never_drops_ends(version: Version) -> None:
    plan = planned(version, bounds=Bounds.CLAMP, max_depth=60, k=60, max_frontier=0)

    assert (plan.search.max_depth, plan.search.most, plan.search.max_frontier) == (6, 10, 1)
    assert plan.applied == {"max_depth": 6, "k": 10, "max_frontier": 1}
    assert faulty(version, bounds=Bounds.CLAMP, sources=("a",) * 11) == {"sources"}


def test_min_depth_is_clamped_to_the_max_depth_in_use(version: Version) -> None:
    plan = planned(version, bounds=Bounds.CLAMP, mode=PathMode.ALL_SIMPLE, max_depth=9, min_depth=8)

    assert plan.search.min_depth == 6
    assert plan.applied == {"max_depth": 6, "min_depth": 6}


def test_a_spec_names_types_by_number_and_an_unknown_one_matches_nothing(version: Version) -> None:
    likes = version.edge_types.find("LIKES")
    specs = (
        EdgeSpec(types=("LIKES", "HATES"), direction=Direction.OUT, weight_property="strength"),
        EdgeSpec(types=("HATES",), direction=Direction.IN, max_frontier=3),
    )

    assert planned(version, edges=specs).search.edges == (
        PathEdges((likes,), Direction.OUT, weight_property="strength"),
        PathEdges((), Direction.IN, max_frontier=3),
    )
