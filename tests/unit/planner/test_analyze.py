"""What a request for a measure may say, and what it means when it says nothing."""

import math

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.measures.graph import MeasuredEdges
from passageway_server.errors import InvalidRequest
from passageway_server.planner.analyze import AnalyzePlan, plan_analyze
from passageway_server.values.collections import (
    CollectionSettings,
    Direction,
    FieldDeclaration,
    Kind,
)
from passageway_server.values.queries import EdgeSpec, ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import AnalyzeRequest, Measure
from passageway_server.version.store import Store
from passageway_server.version.version import Version


@pytest.fixture(scope="module")
def version() -> Version:
    fields = (FieldDeclaration("when", Kind.TIME), FieldDeclaration("words", Kind.TEXT))
    settings = CollectionSettings("c", default_readers=("public",), fields=fields)
    collection = Store.open().create(settings)
    hidden = NodeRecord("z", readers=("group:z",))
    collection.apply(
        Batch(
            put_nodes=(
                NodeRecord("a", properties={"tag": "x", "size": 1}, links={"leads": ("b",)}),
                NodeRecord("b"),
                hidden,
            ),
            put_edges=(
                EdgeRecord("e", "a", "b", "LIKES", properties={"strength": 0.5, "note": "x"}),
                EdgeRecord("f", "z", "b", "LIKES", properties={"secret": 0.5}),
            ),
        )
    )
    return collection.current


def planned(version: Version, **parts: object) -> AnalyzePlan:
    usual = {"measure": Measure.DEGREE, "as_principals": ("public",)}
    request = AnalyzeRequest("c", **{**usual, **parts})  # type: ignore[arg-type]
    held = Caller.holding(request.as_principals)
    return plan_analyze(request, version, gates(version, held, ReadOptions(), 0).read)


def faulty(version: Version, **parts: object) -> set[str]:
    with pytest.raises(InvalidRequest) as caught:
        planned(version, **parts)
    return {fault.field for fault in caught.value.faults}


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (Measure.PAGERANK, "pagerank"),
        (Measure.COMMUNITIES, "community"),
        (Measure.DEGREE, "degree"),
    ],
)
def test_what_is_unset_has_the_defaults_of_the_contract(
    version: Version, measure: Measure, name: str
) -> None:
    plan = planned(version, measure=measure)

    assert (plan.property, plan.alpha, plan.resolution, plan.seed) == (name, 0.85, 1.0, 0)
    (spec,) = plan.edges
    assert (spec.outward, spec.inward, spec.filter, spec.weight_property) == (True, False, None, "")


@pytest.mark.parametrize(
    ("direction", "ways"),
    [
        (Direction.OUT, (True, False)),
        (Direction.IN, (False, True)),
        (Direction.BOTH, (True, True)),
    ],
)
def test_communities_ignore_the_direction_that_others_take(
    version: Version, direction: Direction, ways: tuple[bool, bool]
) -> None:
    def spec(measure: Measure) -> MeasuredEdges:
        return planned(version, measure=measure, edges=(EdgeSpec(direction=direction),)).edges[0]

    assert (spec(Measure.PAGERANK).outward, spec(Measure.PAGERANK).inward) == ways
    assert (spec(Measure.DEGREE).outward, spec(Measure.DEGREE).inward) == ways
    assert (spec(Measure.COMMUNITIES).outward, spec(Measure.COMMUNITIES).inward) == (True, False)


@pytest.mark.parametrize(
    ("principals", "reader"),
    [
        (("public",), "public"),
        (("group:b", "group:a", "group:b"), "group:a & group:b"),
        (("public", "group:a"), "group:a & public"),
    ],
)
def test_communities_are_for_who_holds_all_principals(
    version: Version, principals: tuple[str, ...], reader: str
) -> None:
    assert planned(version, as_principals=principals).readers == (reader,)


def test_all_faults_are_named_at_once(version: Version) -> None:
    assert faulty(
        version,
        measure=Measure.UNSPECIFIED,
        as_principals=("", "a & b", " x"),
        alpha=1.0,
        resolution=0.0,
        edges=(EdgeSpec(filter="nope = 1", weight_property="note", max_frontier=3),),
    ) == {
        "measure",
        "as_principals[0]",
        "as_principals[1]",
        "as_principals[2]",
        "alpha",
        "resolution",
        "edges[0].filter",
        "edges[0].weight_property",
        "edges[0].max_frontier",
    }


@pytest.mark.parametrize("count", [0, 1001])
def test_there_is_a_principal_and_not_too_many(version: Version, count: int) -> None:
    assert faulty(version, as_principals=("public",) * count) == {"as_principals"}
    assert planned(version, as_principals=("public",) * 1000)


def test_ten_specs_are_as_many_as_there_may_be(version: Version) -> None:
    assert len(planned(version, edges=(EdgeSpec(),) * 10).edges) == 10
    assert faulty(version, edges=(EdgeSpec(),) * 11) == {"edges"}


@pytest.mark.parametrize("alpha", [-0.1, 1.0, 1.5, math.nan, math.inf])
def test_alpha_is_below_one(version: Version, alpha: float) -> None:
    assert faulty(version, measure=Measure.PAGERANK, alpha=alpha) == {"alpha"}


@pytest.mark.parametrize("alpha", [0.0, 0.999])
def test_alpha_may_be_nothing(version: Version, alpha: float) -> None:
    assert planned(version, measure=Measure.PAGERANK, alpha=alpha).alpha == alpha


@pytest.mark.parametrize("resolution", [0.0, -1.0, math.nan, math.inf])
def test_a_resolution_is_above_nothing(version: Version, resolution: float) -> None:
    assert faulty(version, measure=Measure.COMMUNITIES, resolution=resolution) == {"resolution"}


@pytest.mark.parametrize(
    ("measure", "parts"),
    [
        (Measure.COMMUNITIES, {"alpha": 0.85}),
        (Measure.PAGERANK, {"resolution": 1.0}),
        (Measure.DEGREE, {"alpha": 0.5, "resolution": 2.0}),
    ],
)
def test_a_number_of_another_measure_is_a_fault(
    version: Version, measure: Measure, parts: dict[str, float]
) -> None:
    assert faulty(version, measure=measure, **parts) == set(parts)


@pytest.mark.parametrize(
    "name",
    [
        *("id", "type", "name", "content", "project", "status", "readers", "covered", "span"),
        *("leads", "PART_OF", "tag", "when", "words", "expires_at", "a\0b", "x" * 1025),
    ],
)
def test_a_property_that_takes_no_number_is_refused(version: Version, name: str) -> None:
    assert faulty(version, property=name) == {"property"}


@pytest.mark.parametrize("name", ["leads", "size", "words", "id"])
def test_a_property_that_takes_no_keyword_is_refused(version: Version, name: str) -> None:
    assert faulty(version, measure=Measure.COMMUNITIES, property=name) == {"property"}


def test_a_property_that_takes_it_is_taken(version: Version) -> None:
    assert planned(version, property="size").property == "size"
    assert planned(version, measure=Measure.COMMUNITIES, property="tag").property == "tag"
    assert planned(version, property="new").property == "new"


def test_a_field_that_only_hidden_edges_hold_is_unknown(version: Version) -> None:
    edges = (EdgeSpec(weight_property="secret"),)

    assert faulty(version, edges=edges) == {"edges[0].weight_property"}
    assert planned(version, edges=edges, as_principals=("group:z",))
