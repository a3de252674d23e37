"""Bounded numbers, and faults that come all at once."""

import pytest

from passageway_server.errors import InvalidRequest
from passageway_server.planner.bounds import Bounded
from passageway_server.planner.faults import Faults
from passageway_server.values.queries import Bounds


@pytest.mark.parametrize("bounds", list(Bounds))
@pytest.mark.parametrize("value", [1, 5, 10])
def test_a_number_in_its_range_is_taken_as_it_is(bounds: Bounds, value: int) -> None:
    faults = Faults()
    bounded = Bounded(bounds, faults)

    assert bounded.number("k", value, low=1, high=10) == value
    assert (bounded.applied, len(faults)) == ({}, 0)


@pytest.mark.parametrize(("value", "nearest"), [(0, 1), (-7, 1), (11, 10), (2**40, 10)])
def test_clamp_moves_a_number_to_the_nearest_bound_and_notes_it(value: int, nearest: int) -> None:
    faults = Faults()
    bounded = Bounded(Bounds.CLAMP, faults)

    assert bounded.number("k", value, low=1, high=10) == nearest
    assert (bounded.applied, len(faults)) == ({"k": nearest}, 0)


@pytest.mark.parametrize("bounds", [Bounds.REJECT, Bounds.UNSPECIFIED])
def test_reject_notes_a_fault_that_names_the_parameter_and_the_range(bounds: Bounds) -> None:
    faults = Faults()
    bounded = Bounded(bounds, faults)

    bounded.number("hops[0].max_frontier", 11, low=1, high=10)
    bounded.number("limit", -2, low=-1, high=10)

    assert bounded.applied == {}
    with pytest.raises(InvalidRequest) as refused:
        faults.check()
    assert [fault.field for fault in refused.value.faults] == ["hops[0].max_frontier", "limit"]
    assert "at least 1 and at most 10" in refused.value.faults[0].message


def test_no_faults_raise_nothing() -> None:
    Faults().check()


def test_a_hundred_faults_are_enough() -> None:
    faults = Faults()
    for i in range(99):
        faults.add(f"fields[{i}]", "is unknown")

    with pytest.raises(InvalidRequest) as refused:
        faults.add("fields[99]", "is unknown")

    assert len(refused.value.faults) == 100
