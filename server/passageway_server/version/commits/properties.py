"""The properties of many rows as columns of a record: every value comes out as the kind it was put as.

Fields go by name. Of each come the rows that hold it and their values; the scalars of all of them are kept apart by
kind, so an int stays an int of 64 bits, a double that double, and a text that names a time a text. A vector counts as
one of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.times import from_micros, to_micros
from passageway_server.values.records import Properties, PropertyValue, Scalar, Vector
from passageway_server.version.commits.packing import (
    Malformed,
    content,
    fields,
    member,
    pack_array,
    pack_counts,
    pack_flags,
    pack_strings,
    unpack_array,
    unpack_counts,
    unpack_flags,
    unpack_ids,
    unpack_strings,
)

_Value = Scalar | Vector
_TEXT, _INT, _FLOAT, _BOOL, _TIME, _VECTOR = range(6)


def pack_properties(rows: Sequence[Properties]) -> dict[str, object]:
    """The properties of *rows*, each of which has passed the check of a batch."""
    places: dict[str, list[int]] = {}
    values: dict[str, list[PropertyValue]] = {}
    for place, held in enumerate(rows):
        for name, value in held.items():
            if name not in places:
                places[name], values[name] = [], []
            places[name].append(place)
            values[name].append(value)
    names = sorted(places)
    flat = [value for name in names for value in values[name]]
    scalars: list[_Value] = []
    for value in flat:
        if isinstance(value, list):
            scalars += value
        else:
            scalars.append(value)
    return {
        "names": pack_strings(names),
        "holders": pack_counts(len(places[name]) for name in names),
        "places": pack_counts(place for name in names for place in places[name]),
        # 0: one value; else one more than the values of the list
        "lists": pack_counts(1 + len(v) if isinstance(v, list) else 0 for v in flat),
        **_pack_scalars(scalars),
    }


def _pack_scalars(scalars: Sequence[_Value]) -> dict[str, object]:
    kinds = bytes(map(_kind, scalars))
    apart: list[list[_Value]] = [[], [], [], [], [], []]
    for kind, scalar in zip(kinds, scalars, strict=True):
        apart[kind].append(scalar)
    times = [to_micros(time) for time in cast("list[datetime]", apart[_TIME])]
    return {
        "kinds": kinds,
        "texts": pack_strings(cast("list[str]", apart[_TEXT])),
        "ints": pack_array(np.array(apart[_INT], dtype=np.int64), "<i8"),
        "floats": pack_array(np.array(apart[_FLOAT], dtype=np.float64), "<f8"),
        "bools": pack_flags(cast("list[bool]", apart[_BOOL])),
        "times": pack_array(np.array(times, dtype=np.int64), "<i8"),
        **_pack_vectors(cast("list[Vector]", apart[_VECTOR])),
    }


def _pack_vectors(vectors: Sequence[Vector]) -> dict[str, object]:
    """Where there are none, nothing: so are records of batches without, whose digests are kept."""
    if not vectors:
        return {}
    packed = b"".join(vector.packed for vector in vectors)
    return {"vectors": packed, "dimensions": pack_counts(map(len, vectors))}


def _kind(scalar: _Value) -> int:
    if isinstance(scalar, Vector):
        return _VECTOR
    if isinstance(scalar, str):
        return _TEXT
    if isinstance(scalar, bool):
        return _BOOL
    if isinstance(scalar, int):
        return _INT
    return _FLOAT if isinstance(scalar, float) else _TIME


def unpack_properties(value: object, count: int) -> list[Properties]:
    """The inverse of `pack_properties`, of *count* rows. Raises Malformed."""
    record = fields(value)
    names = unpack_ids(member(record, "names"))
    holders = unpack_counts(member(record, "holders"), len(names))
    places = unpack_counts(member(record, "places"))
    if len(holders) and (holders.max() > len(places) or int(holders.sum()) != len(places)):
        raise Malformed("another number of rows than their fields have")
    if places.max(initial=-1) >= count:
        raise Malformed("a property of no row")
    lists = unpack_counts(member(record, "lists"), len(places))
    values = _values(_scalars(record), lists)
    rows: list[Properties] = [{} for _ in range(count)]
    start, listed = 0, places.tolist()
    for name, held in zip(names, holders.tolist(), strict=True):
        end = start + held
        for place, value in zip(listed[start:end], values[start:end], strict=True):
            rows[place][name] = value
        start = end
    return rows


def _values(scalars: list[_Value], lists: NDArray[np.int64]) -> list[PropertyValue]:
    """The scalars, one by one or as lists, as *lists* tells."""
    lengths = np.where(lists == 0, 1, lists - 1)
    if lengths.max(initial=0) > len(scalars) or int(lengths.sum()) != len(scalars):
        raise Malformed("another number of values than their rows have")
    if not lists.any():
        return cast("list[PropertyValue]", scalars)
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends[:-1]]
    return [
        cast(PropertyValue, scalars[start:end] if many else scalars[start])
        for many, start, end in zip(lists.tolist(), starts, ends, strict=True)
    ]


def _scalars(record: Mapping[str, object]) -> list[_Value]:
    """All values in their order."""
    kinds = np.frombuffer(content(member(record, "kinds")), np.uint8)
    if kinds.max(initial=0) > _VECTOR:
        raise Malformed("a value of no kind")
    counts = np.bincount(kinds, minlength=_VECTOR + 1).tolist()
    floats = unpack_array(member(record, "floats"), "<f8", counts[_FLOAT])
    if not np.isfinite(floats).all():
        raise Malformed("a number that is not finite")
    times = unpack_array(member(record, "times"), "<i8", counts[_TIME]).tolist()
    ints = unpack_array(member(record, "ints"), "<i8", counts[_INT])
    apart: list[Sequence[_Value]] = [
        unpack_strings(member(record, "texts"), counts[_TEXT]),
        ints.tolist(),
        floats.tolist(),
        unpack_flags(member(record, "bools"), counts[_BOOL]),
        _times(times),
        _vectors(record, counts[_VECTOR]),
    ]
    whole = next((kind for kind in range(_VECTOR + 1) if counts[kind] == len(kinds)), None)
    if whole is not None:
        return list(apart[whole])
    following: list[Callable[[], _Value]] = [iter(each).__next__ for each in apart]
    return [following[kind]() for kind in kinds.tolist()]


def _vectors(record: Mapping[str, object], count: int) -> list[Vector]:
    if not count:
        return []
    packed = content(member(record, "vectors"))
    lengths = unpack_counts(member(record, "dimensions"), count)
    if lengths.min() < 1 or lengths.max() > len(packed) or 4 * int(lengths.sum()) != len(packed):
        raise Malformed("other bytes than the vectors have numbers")
    if not np.isfinite(np.frombuffer(packed, "<f4")).all():
        raise Malformed("a number of a vector that is not finite")
    ends = (4 * np.cumsum(lengths)).tolist()
    return [Vector(packed[start:end]) for start, end in pairwise([0, *ends])]


def _times(micros: Iterable[int]) -> list[Scalar]:
    try:
        return [from_micros(each) for each in micros]
    except OverflowError:
        raise Malformed("a time past the year 9999") from None
