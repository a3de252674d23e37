"""Records and values cross the wire and come back the same."""

import math
from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from passageway.v1 import store_pb2, types_pb2
from passageway_server.errors import InvalidRequest
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
    Vector,
)
from passageway_server.wire import records
from passageway_server.wire.findings import Findings
from passageway_server.wire.values import from_properties, from_vars, to_properties

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
INTS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False)
TIMES = st.datetimes(timezones=st.just(UTC))
SCALARS = (TEXTS, INTS, FLOATS, st.booleans(), TIMES)
VALUES = st.one_of(*SCALARS, *(st.lists(kind, min_size=1, max_size=4) for kind in SCALARS))
PROPERTIES = st.dictionaries(TEXTS, VALUES, max_size=4)


def crossed(properties: Properties) -> Properties:
    message = types_pb2.Node()
    to_properties(properties, message.properties)
    findings = Findings()
    back = from_properties(
        types_pb2.Node.FromString(message.SerializeToString()).properties,
        path="properties",
        findings=findings,
    )
    findings.check()
    return back


@given(PROPERTIES)
def test_properties_come_back_the_same(properties: Properties) -> None:
    back = crossed(properties)

    assert back == properties
    for name, value in properties.items():
        assert type(back[name]) is type(value)


def test_an_int_and_a_double_of_one_value_stay_two_kinds() -> None:
    back = crossed({"a": 1, "b": 1.0, "c": True})

    assert {name: type(value) for name, value in back.items()} == {"a": int, "b": float, "c": bool}


def test_an_empty_list_and_a_value_without_a_kind_are_absent() -> None:
    node = types_pb2.Node()
    node.properties["unset"].SetInParent()

    assert crossed({"empty": []}) == {}
    assert from_properties(node.properties, path="p", findings=Findings()) == {}


@pytest.mark.parametrize(
    "time",
    [
        Timestamp(seconds=0, nanos=1),
        Timestamp(seconds=0, nanos=999_999_999),
        Timestamp(seconds=253_402_300_800),
        Timestamp(seconds=-62_135_596_801),
        Timestamp(seconds=0, nanos=-1000),
    ],
)
def test_a_time_that_has_no_plain_form_is_a_fault(time: Timestamp) -> None:
    value = types_pb2.Value(times=types_pb2.TimeList(values=[Timestamp(), time]))
    findings = Findings()
    from_properties({"t": value}, path="vars", findings=findings)

    with pytest.raises(InvalidRequest) as refused:
        findings.check()

    assert [fault.field for fault in refused.value.faults] == ["vars.t"]


@pytest.mark.parametrize("year", [1, 1969, 9999])
def test_times_keep_their_microseconds(year: int) -> None:
    time = datetime(year, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

    assert crossed({"t": time}) == {"t": time}


@pytest.mark.parametrize("numbers", [[], [1.5, -0.0, 3.4e38, math.nan, math.inf]])
def test_a_vector_keeps_its_numbers(numbers: list[float]) -> None:
    vector = Vector.of(numbers)

    assert crossed({"v": vector}) == {"v": vector}
    assert len(vector) == len(numbers)


def test_a_vector_is_no_var_of_a_filter() -> None:
    findings = Findings()
    value = types_pb2.Value(vector=types_pb2.FloatList(values=[1.0]))
    plain = types_pb2.Value(int_value=1)

    assert from_vars({"v": value, "n": plain}, path="vars", findings=findings) == {"n": 1}
    with pytest.raises(InvalidRequest) as refused:
        findings.check()
    assert [fault.field for fault in refused.value.faults] == ["vars.v"]


def test_a_batch_comes_back_the_same() -> None:
    time = datetime(2025, 1, 2, tzinfo=UTC)
    batch = Batch(
        delete_edges=("d",),
        delete_nodes=("n",),
        recut_parents=("r",),
        put_nodes=(
            NodeRecord(
                "a", "t", "name", "content", "p", ("public",), "open",
                {"x": 1, "when": time, "v": Vector.of([0.5, 1])}, {"to": ("b", "c")}, covered=True,
            ),
            NodeRecord("b"),
        ),
        put_edges=(
            EdgeRecord("e", "a", "b", "T", 0.0, {"since": [1.5]}, ("user:ada",)),
            EdgeRecord("f", "a", "b"),
        ),
        put_passages=(
            PassageRecord("s", "a", 7, "n", "c", "A > B", ("b",), {"k": "v"}, "t", ("public",), 0),
            PassageRecord("u", "a"),
        ),
    )  # fmt: skip
    findings = Findings()

    encoded = records.to_message(batch).SerializeToString()
    back = records.from_message(store_pb2.Batch.FromString(encoded), findings)

    findings.check()
    assert back == batch
