"""The `shared` specs of a hop: what they become, and every fault at its path."""

import math
from dataclasses import replace

import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.authz.gates import gates
from passageway_server.engine.plans import SharedPlan
from passageway_server.errors import InvalidRequest
from passageway_server.planner.binding import Binding
from passageway_server.planner.shared import plan_shared
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import Bounds, ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import Shared
from passageway_server.version.store import Store
from passageway_server.version.version import Version

SHARED = Shared("SHARES", "IN", "group")


@pytest.fixture(scope="module")
def version() -> Version:
    collection = Store.open().create(CollectionSettings("c"))
    collection.apply(
        Batch(
            put_nodes=(NodeRecord("ada"), NodeRecord("g", type="group")),
            put_edges=(EdgeRecord("e", "ada", "g", "IN"),),
        )
    )
    return collection.current


def binding(version: Version, bounds: Bounds = Bounds.REJECT) -> Binding:
    gate = gates(version, OPERATOR, ReadOptions(), 0).read
    return Binding(version, gate, bounds=bounds, vars={})


def faults(version: Version, *shared: Shared) -> list[str]:
    bound = binding(version)
    plan_shared(shared, "hops[0]", bound)
    try:
        bound.check()
    except InvalidRequest as refused:
        return [fault.field for fault in refused.faults]
    return []


def test_types_are_numbers_and_what_is_unset_has_a_value(version: Version) -> None:
    edge_type, through_type = version.edge_types.find("IN"), version.types.find("group")

    assert plan_shared((SHARED,), "hops[0]", binding(version)) == (
        SharedPlan("SHARES", edge_type, through_type, 1.0, 1000),
    )
    given = replace(SHARED, weight=0.0, max_members=7)
    assert plan_shared((given,), "hops[0]", binding(version)) == (
        SharedPlan("SHARES", edge_type, through_type, 0.0, 7),
    )


def test_types_that_there_are_not_are_no_fault(version: Version) -> None:
    unknown = Shared("SHARES", "NONE", "none")

    (plan,) = plan_shared((unknown,), "hops[0]", binding(version))

    assert (plan.edge_type, plan.through_type) == (-1, -1)
    assert faults(version, unknown) == []


def test_a_weight_of_minus_zero_is_zero(version: Version) -> None:
    (plan,) = plan_shared((replace(SHARED, weight=-0.0),), "hops[0]", binding(version))

    assert math.copysign(1.0, plan.weight) == 1.0


@pytest.mark.parametrize(
    ("shared", "parameter"),
    [
        (replace(SHARED, name=""), "name"),
        (replace(SHARED, edge_type=""), "edge_type"),
        (replace(SHARED, through_type=""), "through_type"),
        (replace(SHARED, weight=-0.1), "weight"),
        (replace(SHARED, weight=math.nan), "weight"),
        (replace(SHARED, weight=math.inf), "weight"),
        (replace(SHARED, max_members=100_001), "max_members"),
    ],
)
def test_a_fault_is_named_at_its_path(version: Version, shared: Shared, parameter: str) -> None:
    assert faults(version, SHARED, shared) == [f"hops[0].shared[1].{parameter}"]


def test_all_faults_are_named_at_once(version: Version) -> None:
    assert faults(version, Shared("", "", "", -1.0, 100_001)) == [
        f"hops[0].shared[0].{name}"
        for name in ("name", "edge_type", "through_type", "weight", "max_members")
    ]


def test_limits_are_met_at_their_value(version: Version) -> None:
    assert faults(version, *(replace(SHARED, max_members=100_000),) * 10) == []
    assert faults(version, *(SHARED,) * 11) == ["hops[0].shared"]


def test_too_many_members_are_clamped_and_said(version: Version) -> None:
    bound = binding(version, Bounds.CLAMP)

    (plan,) = plan_shared((replace(SHARED, max_members=2**32 - 1),), "hops[2]", bound)

    assert plan.max_members == 100_000
    assert bound.applied == {"hops[2].shared[0].max_members": 100_000}
