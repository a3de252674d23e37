"""Property values on the wire.

A Value with no kind set is an absent property. Times are whole microseconds. Whether numbers are finite is
looked at where they are taken: by the planner in vars, by the version in records.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from passageway.v1 import types_pb2
from passageway_server.values.queries import Vars
from passageway_server.values.records import Properties, PropertyValue, Vector
from passageway_server.wire.findings import Findings

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62_135_596_800, 253_402_300_799  # seconds of the years 1 to 9999


def from_properties(
    values: Mapping[str, types_pb2.Value], *, path: str, findings: Findings
) -> Properties:
    """The properties that *values* set; findings stand at ``path.NAME``."""
    properties: Properties = {}
    for name, value in values.items():
        kind = value.WhichOneof("kind")
        if kind == "string_value":
            properties[name] = value.string_value
        elif kind is None:
            continue
        elif kind in _PLAIN:
            properties[name] = _PLAIN[kind](value)
        else:
            properties[name] = _CHECKED[kind](value, f"{path}.{name}", findings)
    return properties


def from_vars(values: Mapping[str, types_pb2.Value], *, path: str, findings: Findings) -> Vars:
    """The vars of filters that *values* set; a vector is a fault, as it compares with nothing."""
    found: Vars = {}
    for name, value in from_properties(values, path=path, findings=findings).items():
        if isinstance(value, Vector):
            findings.fault(f"{path}.{name}", "is a vector, which compares with nothing")
        else:
            found[name] = value
    return found


def to_properties(properties: Properties, message: Any) -> None:
    """Set *properties* in a message's map of values."""
    for name, value in properties.items():
        set_value(message[name], value)


def set_value(message: types_pb2.Value, value: PropertyValue) -> None:
    """Set the kind of *message* that *value* has; an empty list is no value."""
    if isinstance(value, str):
        message.string_value = value
    elif isinstance(value, bool):  # before int, of which it is one
        message.bool_value = value
    elif isinstance(value, int):
        message.int_value = value
    elif isinstance(value, float):
        message.double_value = value
    elif isinstance(value, list):
        _set_list(message, value)
    elif isinstance(value, Vector):
        message.vector.values.extend(value.numbers.tolist())
    else:
        set_time(message.time_value, value)


def set_time(message: Timestamp, time: datetime) -> None:
    """Set an aware time, which has whole microseconds."""
    since = time - _EPOCH
    message.seconds = since.days * 86_400 + since.seconds
    message.nanos = since.microseconds * 1000


def _set_list(message: types_pb2.Value, values: list[Any]) -> None:
    if not values:
        return
    first = values[0]
    if isinstance(first, str):
        message.strings.values.extend(values)
    elif isinstance(first, bool):
        message.bools.values.extend(values)
    elif isinstance(first, int):
        message.ints.values.extend(values)
    elif isinstance(first, float):
        message.doubles.values.extend(values)
    else:
        for time in values:
            set_time(message.times.values.add(), time)


def _time(value: types_pb2.Value, path: str, findings: Findings) -> PropertyValue:
    return _times([value.time_value], path, findings)[0]


def _times(messages: Iterable[Timestamp], path: str, findings: Findings) -> list[datetime]:
    times: list[datetime] = []
    for message in messages:
        seconds, nanos = message.seconds, message.nanos
        if not _FIRST <= seconds <= _LAST or not 0 <= nanos < 1_000_000_000:
            findings.fault(path, "a time lies in the years 1 to 9999")
            seconds = nanos = 0
        elif nanos % 1000:
            findings.fault(path, "a time is finer than a microsecond")
        times.append(_EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000))
    return times


_PLAIN: Mapping[str, Callable[[types_pb2.Value], PropertyValue]] = {
    "int_value": lambda value: value.int_value,
    "double_value": lambda value: value.double_value,
    "bool_value": lambda value: value.bool_value,
    "strings": lambda value: list(value.strings.values),
    "ints": lambda value: list(value.ints.values),
    "doubles": lambda value: list(value.doubles.values),
    "bools": lambda value: list(value.bools.values),
    "vector": lambda value: Vector.of(value.vector.values),
}
"""Kinds of which every value has a plain form."""

_CHECKED: Mapping[str, Callable[[types_pb2.Value, str, Findings], PropertyValue]] = {
    "time_value": _time,
    "times": lambda value, path, findings: _times(value.times.values, path, findings),
}
