"""Columns of a record: numbers as bytes, strings as one text with the lengths of its parts.

A record holds one value for a column, however many rows that has, so that it is read fast. Reading is strict: what
these functions would not have written is `Malformed`, and no number in a record makes more of it than its bytes hold.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

_Item = TypeVar("_Item")
_WIDTHS = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8"}
_MOST = 1 << 62  # a count past it is none


class Malformed(ValueError):
    """A record is not one of a commit."""


def member(record: Mapping[str, object], name: str) -> object:
    """What *record* holds under *name*."""
    try:
        return record[name]
    except KeyError:
        raise Malformed(f"{name!r} is missing") from None


def text(value: object) -> str:
    """*value* as a string."""
    if not isinstance(value, str):
        raise Malformed(f"a {type(value).__name__} where a string should be")
    return value


def whole(value: object) -> int:
    """*value* as an int."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed(f"a {type(value).__name__} where an int should be")
    return value


def content(value: object) -> bytes:
    """*value* as bytes."""
    if not isinstance(value, bytes):
        raise Malformed(f"a {type(value).__name__} where bytes should be")
    return value


def fields(value: object) -> Mapping[str, object]:
    """*value* as a map."""
    if not isinstance(value, dict):
        raise Malformed(f"a {type(value).__name__} where a map should be")
    return cast("dict[str, object]", value)


def parts(value: object, count: int) -> list[object]:
    """*value* as a list of *count* parts."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    if len(listed) != count:
        raise Malformed(f"not a list of {count} parts")
    return listed


def pack_counts(values: Iterable[int] | NDArray[np.int64]) -> bytes:
    """Whole numbers >= 0 in as few bytes as the largest takes: their width, then the numbers, little-endian."""
    if not isinstance(values, np.ndarray):
        listed = list(values)
        if not any(listed):
            return bytes((1,)) + bytes(len(listed))
        values = np.array(listed, dtype=np.int64)
    most = int(values.max(initial=0))
    width = next(width for width in _WIDTHS if most < 1 << (8 * width))
    return bytes((width,)) + values.astype(_WIDTHS[width]).tobytes()


def unpack_counts(value: object, count: int | None = None) -> NDArray[np.int64]:
    """The inverse of `pack_counts`; *count* is how many there should be, where that is known."""
    packed = content(value)
    dtype = _WIDTHS.get(packed[0]) if packed else None
    if dtype is None or (len(packed) - 1) % packed[0]:
        raise Malformed("bytes that are no numbers")
    found = np.frombuffer(packed, dtype, offset=1)
    if count is not None and len(found) != count:
        raise Malformed(f"{len(found)} numbers where {count} should be")
    if len(found) and int(found.max()) >= _MOST:
        raise Malformed("a number that is too large")
    return found.astype(np.int64)


def pack_array(values: NDArray[np.generic], dtype: DTypeLike) -> bytes:
    """Numbers of a fixed type, one after the other."""
    return values.astype(dtype).tobytes()


def unpack_array(value: object, dtype: DTypeLike, count: int) -> NDArray[Any]:
    """The inverse of `pack_array`, of *count* numbers; read-only."""
    packed, kind = content(value), np.dtype(dtype)
    if len(packed) != count * kind.itemsize:
        raise Malformed(f"{len(packed)} bytes where {count} numbers of {kind} should be")
    return np.frombuffer(packed, kind)


def pack_flags(values: Iterable[bool]) -> bytes:
    """A byte for each, 1 or 0."""
    return bytes(values)


def unpack_flags(value: object, count: int) -> list[bool]:
    """The inverse of `pack_flags`, of *count*."""
    array = unpack_array(value, np.uint8, count)
    if (array > 1).any():
        raise Malformed("a byte that is neither 1 nor 0")
    return cast("list[bool]", (array == 1).tolist())


def pack_strings(strings: Sequence[str]) -> list[object]:
    """One text, and the characters of it that each string has."""
    return ["".join(strings), pack_counts(map(len, strings))]


def unpack_strings(value: object, count: int | None = None) -> list[str]:
    """The inverse of `pack_strings`."""
    joined, lengths = parts(value, 2)
    return split(text(joined), unpack_counts(lengths, count))


def unpack_ids(value: object, count: int | None = None) -> list[str]:
    """As `unpack_strings`, of strings that are not empty."""
    joined, lengths = parts(value, 2)
    counts = unpack_counts(lengths, count)
    if counts.min(initial=1) < 1:
        raise Malformed("an id that is empty")
    return split(text(joined), counts)


def split(joined: str, lengths: NDArray[np.int64]) -> list[str]:
    """*joined*, cut into strings of these *lengths*."""
    if lengths.max(initial=0) > len(joined) or int(lengths.sum()) != len(joined):
        raise Malformed("a text of another length than its strings")
    if not joined:
        return [""] * len(lengths)
    edges = [0, *np.cumsum(lengths).tolist()]
    return [joined[start:end] for start, end in pairwise(edges)]


def pack_terms(strings: Sequence[str]) -> list[object]:
    """Strings of which few are distinct: those, in the order of their first appearance, and which each is."""
    numbers = {string: number for number, string in enumerate(dict.fromkeys(strings))}
    return [*pack_strings(list(numbers)), pack_counts(map(numbers.__getitem__, strings))]


def unpack_terms(value: object, count: int) -> list[str]:
    """The inverse of `pack_terms`, of *count* strings."""
    joined, lengths, codes = parts(value, 3)
    return _chosen(unpack_strings([joined, lengths]), unpack_counts(codes, count))


def pack_tuples(tuples: Sequence[tuple[str, ...]]) -> list[object]:
    """Tuples of strings of which few are distinct: as `pack_terms`, with the length of each tuple."""
    numbers = {one: number for number, one in enumerate(dict.fromkeys(tuples))}
    members = [string for one in numbers for string in one]
    codes = pack_counts(map(numbers.__getitem__, tuples))
    return [*pack_strings(members), pack_counts(map(len, numbers)), codes]


def unpack_tuples(value: object, count: int) -> list[tuple[str, ...]]:
    """The inverse of `pack_tuples`, of *count* tuples."""
    joined, lengths, sizes, codes = parts(value, 4)
    members = unpack_strings([joined, lengths])
    return _chosen(grouped(members, unpack_counts(sizes)), unpack_counts(codes, count))


def grouped(members: Sequence[str], sizes: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """*members*, cut into tuples of these *sizes*."""
    if sizes.max(initial=0) > len(members) or int(sizes.sum()) != len(members):
        raise Malformed("another number of strings than their groups have")
    edges = [0, *np.cumsum(sizes).tolist()]
    return [tuple(members[start:end]) for start, end in pairwise(edges)]


def _chosen(distinct: list[_Item], codes: NDArray[np.int64]) -> list[_Item]:
    if codes.max(initial=-1) >= len(distinct):
        raise Malformed("a number of no string")
    return [distinct[code] for code in codes.tolist()]
