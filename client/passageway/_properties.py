"""Properties, links and times: between plain Python values and messages.

A property is one value or a list of values of one kind. A list of ints and floats goes as doubles, so an
int in it must be one that a double holds exactly. A field of vectors takes a list of numbers, or an array of floats,
which goes as float32; it comes back as a list of floats.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar, cast

from google.protobuf.timestamp_pb2 import Timestamp

from passageway.v1 import types_pb2

if TYPE_CHECKING:
    Floats = array[float]
else:
    Floats = array  # which takes no parameters before Python 3.12

Property = (
    str
    | int
    | float
    | bool
    | datetime
    | list[str]
    | list[int]
    | list[float]
    | list[bool]
    | list[datetime]
    | Floats
)
"""One property: a value, or a list of values of one kind; a time is an aware datetime, an array of floats a vector."""

Properties = Mapping[str, Property]
Links = Mapping[str, Sequence[str]]

_Item = TypeVar("_Item")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT = 2**53


def to_properties(properties: Properties) -> dict[str, types_pb2.Value]:
    """Values by name. A ValueError or TypeError names the property that cannot be sent."""
    try:
        return {name: to_value(value) for name, value in properties.items()}
    except (TypeError, ValueError):
        for name, value in properties.items():
            _refuse(name, value)
        raise


def from_properties(values: Mapping[str, types_pb2.Value]) -> dict[str, Property]:
    """Plain values by name; one that is not set is absent."""
    return {
        name: from_value(values[name]) for name in sorted(values) if values[name].WhichOneof("kind")
    }


def to_value(value: Property) -> types_pb2.Value:
    """The message of one property."""
    write = _WRITERS.get(type(value))
    if write is None:
        raise TypeError(f"a property cannot be of type {type(value).__name__}")
    return write(value)


def from_value(value: types_pb2.Value) -> Property:
    """The plain value of one property that is set."""
    kind = value.WhichOneof("kind")
    match kind:
        case "time_value":
            return from_time(value.time_value)
        case "times":
            return [from_time(time) for time in value.times.values]
        case "strings" | "vector" | "ints" | "doubles" | "bools":
            return list(getattr(value, kind).values)
        case None:
            raise ValueError("the value is not set")
        case _:
            return cast(Property, getattr(value, kind))


def to_links(links: Links) -> dict[str, types_pb2.StringList]:
    """Ids of neighbors by field."""
    return {name: types_pb2.StringList(values=several(ids, name)) for name, ids in links.items()}


def from_links(links: Mapping[str, types_pb2.StringList]) -> dict[str, list[str]]:
    """Ids of neighbors by field, fields in order."""
    return {name: list(links[name].values) for name in sorted(links)}


def to_time(time: datetime) -> Timestamp:
    """A time, which must bear its zone."""
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone; add one, such as tzinfo=datetime.UTC")
    seconds, rest = divmod(time - _EPOCH, timedelta(seconds=1))
    return Timestamp(seconds=seconds, nanos=rest.microseconds * 1000)


def from_time(time: Timestamp) -> datetime:
    """A time in UTC, to the microsecond."""
    return _EPOCH + timedelta(seconds=time.seconds, microseconds=time.nanos // 1000)


def several(values: Iterable[_Item], parameter: str) -> Iterable[_Item]:
    """*values*, unless they are one str: its letters are never what was meant."""
    if isinstance(values, str):
        raise TypeError(f"{parameter}: {one_string(values)}")
    return values


def one_string(value: str) -> str:
    """What to write instead of one string where several belong."""
    return f"write [{value!r}], a list of strings, not one string"


def _refuse(name: str, value: Property) -> None:
    """Raise the error of a value that cannot be sent, with its name."""
    try:
        to_value(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"properties[{name!r}]: {error}") from None


def _list(values: list[Property]) -> types_pb2.Value:
    kinds = {type(value) for value in values}
    if kinds <= {str}:
        return types_pb2.Value(strings=types_pb2.StringList(values=cast(list[str], values)))
    if kinds == {int}:
        return types_pb2.Value(ints=types_pb2.IntList(values=cast(list[int], values)))
    if kinds <= {int, float}:
        return types_pb2.Value(doubles=types_pb2.DoubleList(values=map(_double, values)))
    if kinds == {bool}:
        return types_pb2.Value(bools=types_pb2.BoolList(values=cast(list[bool], values)))
    if kinds == {datetime}:
        times = map(to_time, cast(list[datetime], values))
        return types_pb2.Value(times=types_pb2.TimeList(values=times))
    found = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise TypeError(f"a list holds values of one kind, this one has {found}")


def _double(value: object) -> float:
    if isinstance(value, int) and abs(value) > _EXACT:
        raise ValueError(f"{value} stands beside floats, and a double does not hold it exactly")
    return cast(float, value)


def _text(value: str) -> types_pb2.Value:
    return types_pb2.Value(string_value=value)


def _flag(value: bool) -> types_pb2.Value:
    return types_pb2.Value(bool_value=value)


def _integer(value: int) -> types_pb2.Value:
    return types_pb2.Value(int_value=value)


def _number(value: float) -> types_pb2.Value:
    return types_pb2.Value(double_value=value)


def _time(value: datetime) -> types_pb2.Value:
    return types_pb2.Value(time_value=to_time(value))


def _vector(value: Floats) -> types_pb2.Value:
    if value.typecode not in "fd":
        raise TypeError(f"a vector is an array of floats, not of typecode {value.typecode!r}")
    return types_pb2.Value(vector=types_pb2.FloatList(values=value))


_WRITERS: dict[type, Callable[..., types_pb2.Value]] = {
    str: _text,
    bool: _flag,
    int: _integer,
    float: _number,
    datetime: _time,
    list: _list,
    tuple: _list,
    array: _vector,
}
