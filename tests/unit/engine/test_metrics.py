"""Metrics over columns agree with exact sums over plain dicts."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.engine.metrics import MetricPlan, measure
from passageway_server.engine.predicate import KnownField, Over, Source
from passageway_server.errors import Cancelled
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.values.queries import MetricOp
from passageway_server.values.records import Batch, NodeRecord
from tests.unit.engine.bound import all_gates, version_of
from tests.unit.engine.drawn_columns import NUMBERS, Drawn, batches, fields
from tests.unit.engine.plain_measures import metric

OVER: list[Over] = ["nodes", "edges"]
COUNTING = (MetricOp.COUNT, MetricOp.CARDINALITY)
EXTREMES = (MetricOp.MIN, MetricOp.MAX, MetricOp.AVG)
SIZE = KnownField("size", Source.PROPERTY, Kind.FLOAT)


def operations(kind: Kind) -> tuple[MetricOp, ...]:
    if kind in (Kind.INT, Kind.FLOAT):
        return (*COUNTING, *EXTREMES, MetricOp.SUM)
    return (*COUNTING, *EXTREMES) if kind == Kind.TIME else COUNTING


@pytest.mark.parametrize("over", OVER)
@given(batch=batches())
def test_columns_agree_with_plain_rows(over: Over, batch: Batch) -> None:
    drawn = Drawn(batch, over)
    plans = {
        f"{name} {op.name}": MetricPlan(field, op)
        for name in fields(over)
        for field in [drawn.field(name)]
        for op in operations(field.kind)
    }

    found = measure(drawn.version, drawn.gate, drawn.numbers(), plans, over=over)

    expected: dict[str, int | float] = {}
    for key, plan in plans.items():
        name = key.rsplit(" ", 1)[0]
        values = [value for row in drawn.plain.values() for value in row.get(name, [])]
        if values:
            expected[key] = metric(values, plan.op, plan.field.kind)
    assert same(found) == same(expected)


@given(
    st.lists(
        st.one_of(st.sampled_from(NUMBERS), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        max_size=30,
    )
)
def test_sums_of_floats_are_rounded_once_whatever_their_order(numbers: list[int | float]) -> None:
    expected = metric(numbers, MetricOp.SUM, Kind.FLOAT)

    assert same({"": summed(numbers)}) == same({"": expected})
    assert summed(numbers[::-1]) == summed(numbers)
    if all(abs(number) < 1e300 for number in numbers) and all(
        isinstance(number, float) for number in numbers
    ):
        assert summed(numbers) == math.fsum(numbers)


def test_a_sum_may_pass_the_largest_double_on_its_way_and_end_at_an_infinity() -> None:
    large = 1.7976931348623157e308

    assert summed([large, large, -large]) == large
    assert summed([large, large]) == math.inf
    assert summed([-large, -large, -1]) == -math.inf
    assert summed([large, large, -large, -large, 5e-324]) == 5e-324
    assert math.copysign(1, summed([-0.0, -0.0])) == 1


def test_where_the_time_is_spent_metrics_have_no_key_and_a_caller_that_is_gone_gets_none() -> None:
    version = version_of(Batch(put_nodes=(NodeRecord("a", properties={"size": 1.0}),)))
    read, halt = all_gates(version).read, Halt()
    gate = replace(read, halt=halt)
    plans = {"m": MetricPlan(SIZE, MetricOp.SUM)}
    halt.time_out()

    assert measure(version, gate, np.arange(1), plans) == {}
    halt.cancel()
    with pytest.raises(Cancelled):
        measure(version, gate, np.arange(1), plans)


def summed(numbers: list[int | float]) -> Any:
    put = [NodeRecord(f"n{i}", properties={"size": one}) for i, one in enumerate(numbers)]
    version = version_of(Batch(put_nodes=tuple(put)))
    plans = {"m": MetricPlan(SIZE, MetricOp.SUM)}
    return measure(version, all_gates(version).read, np.arange(len(put)), plans)["m"]


def same(answers: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Answers with the kinds of their numbers and the signs of their zeros."""
    return sorted((name, type(value).__name__, repr(value)) for name, value in answers.items())
