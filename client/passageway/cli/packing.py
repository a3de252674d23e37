"""Arrow's arrays as the columns of the contract: bytes that are handed on, no string made of them.

What has no column, a list or a link, is `NotPacked`: its records are then made one by one.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from passageway._channel import MOST_BYTES
from passageway.cli.schema import is_text
from passageway.v1 import columns_pb2

Arrow = Any
"""An array of Arrow, which brings no types of its own."""

_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""Microseconds since 1970 of the first and the last time of the years 1 to 9999, in UTC."""

_BETWEEN = "\0"  # the readers of a list while it is one string


class NotPacked(Exception):
    """Values that columns do not hold; the text says which."""


def strings(array: Arrow) -> columns_pb2.Strings:
    """Strings one behind the other, a null as the empty one."""
    whole = _filled(array)
    first, offsets = int(whole.offset), memoryview(whole.buffers()[1]).cast("q")
    start, end = offsets[first], offsets[first + len(whole)]
    heap = whole.buffers()[2]
    return columns_pb2.Strings(
        heap=heap[start:end].to_pybytes() if heap is not None else b"",
        lengths=_packed(pc.binary_length(whole), pa.uint32()),
    )


def coded(array: Arrow) -> columns_pb2.CodedStrings:
    """Strings by their numbers among the distinct ones."""
    values, numbers = _distinct(_filled(array))
    return columns_pb2.CodedStrings(values=values, numbers=numbers)


def readers(array: Arrow) -> columns_pb2.CodedReaders:
    """Lists of strings by their numbers among the distinct ones; a null is the empty list."""
    lists = array.cast(pa.list_(pa.string()))
    flat = pc.list_flatten(lists)
    plain = pc.and_(
        pc.greater(pc.binary_length(flat), 0), pc.invert(pc.match_substring(flat, _BETWEEN))
    )
    if flat.null_count or not pc.all(plain, min_count=0).as_py():
        raise NotPacked("readers that are null or empty")
    values, numbers = _distinct(_filled(pc.binary_join(lists, _BETWEEN)))
    made = columns_pb2.CodedReaders(numbers=numbers)
    for value in values:
        made.values.add(readers=value.split(_BETWEEN) if value else ())
    return made


def weights(array: Arrow) -> bytes:
    """Doubles, a null as NaN. A number that is none is left to be refused."""
    doubles = array.cast(pa.float64())
    if not pc.all(pc.is_finite(doubles), min_count=0).as_py():
        raise NotPacked("a weight that is not finite")
    return _packed(doubles.fill_null(float("nan")), pa.float64())


def property_column(name: str, array: Arrow) -> columns_pb2.PropertyColumn:
    """The values of one property, nulls left out."""
    made = columns_pb2.PropertyColumn(name=name)
    held = array
    if array.null_count:
        places = pc.indices_nonzero(pc.is_valid(array))
        made.records = _packed(places, pa.uint32())
        held = array.drop_null()
    if pa.types.is_dictionary(held.type):
        held = held.cast(held.type.value_type)
    _put_values(made, held)
    return made


def _put_values(made: columns_pb2.PropertyColumn, held: Arrow) -> None:
    kind = held.type
    if is_text(kind):
        whole = _filled(held)
        values, numbers = _distinct(whole)
        size: int = pc.sum(pc.binary_length(whole), min_count=0).as_py()
        if len(values) * 2 <= len(held) and size <= MOST_BYTES:  # a server takes no more
            made.coded.CopyFrom(columns_pb2.CodedStrings(values=values, numbers=numbers))
        else:
            made.strings.CopyFrom(strings(whole))
    elif pa.types.is_boolean(kind):
        made.bools = _packed(held.cast(pa.uint8()), pa.uint8())
    elif pa.types.is_integer(kind):
        made.ints = _packed(held, pa.int64())
    elif pa.types.is_floating(kind):
        if not pc.all(pc.is_finite(held), min_count=0).as_py():
            raise NotPacked("a number that is not finite")
        made.doubles = _packed(held, pa.float64())
    elif pa.types.is_timestamp(kind) and kind.tz is not None:
        micros = held.cast(pa.timestamp("us", "UTC")).view(pa.int64())
        ends = pc.min_max(micros).as_py()
        if len(micros) and (ends["min"] < _FIRST or ends["max"] > _LAST):
            raise NotPacked("a time beyond the years 1 to 9999")
        made.times = _packed(micros, pa.int64())
    else:
        raise NotPacked(f"values of type {kind}")


def _filled(array: Arrow) -> Arrow:
    """One array of strings with 64-bit offsets and no null."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if not is_text(array.type):
        raise NotPacked(f"values of type {array.type}")
    return array.cast(pa.large_string()).fill_null("")


def _distinct(array: Arrow) -> tuple[Sequence[str], bytes]:
    found = pc.dictionary_encode(array)
    return found.dictionary.to_pylist(), _packed(found.indices, pa.uint32())


def _packed(array: Arrow, kind: Arrow) -> bytes:
    """The values of an array without nulls, as they lie in memory: little-endian on every machine that has Arrow."""
    cast = array.cast(kind)
    width = kind.bit_width // 8
    buffer = cast.buffers()[1]
    if buffer is None:
        return b""
    return buffer[cast.offset * width : (cast.offset + len(cast)) * width].to_pybytes()  # type: ignore[no-any-return]
