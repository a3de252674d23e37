"""Plain maps as msgpack: the only door to that format.

A file is not trusted because it is ours: its headers are walked before anything is built from them,
since a few bytes can claim millions of values, and nested claims multiply. What ``encode`` writes,
``decode`` reads: the writer is held to the reader's limits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

import msgpack

from passageway_server.errors import SnapshotDamaged


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a record may hold: bytes, levels of maps and lists, values and keys."""

    bytes: int = 32 * 1024 * 1024
    depth: int = 32
    values: int = 1_000_000


DEFAULT_LIMITS: Final = Limits()


def encode(record: Mapping[str, object], *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """*record* as msgpack, keys in the order given.

    It holds None, bools, ints of 64 bits, floats, strings, bytes, lists and maps with string keys.
    ValueError or TypeError on anything else and past the limits: nothing is written that cannot be
    read.
    """
    try:
        packed = msgpack.packb(dict(record))
    except OverflowError as error:
        raise ValueError("an int of a record has more than 64 bits") from error
    if len(packed) > limits.bytes:
        raise ValueError(f"{len(packed)} bytes, at most {limits.bytes} are read")
    _check(record, limits)
    return packed


def _check(record: Mapping[str, object], limits: Limits) -> None:
    """ValueError or TypeError for what `decode` would refuse of *record*, which could be packed."""
    left: list[tuple[object, int]] = [(record, 1)]  # and how deep it is, if it is a map or list
    values = 0
    while left:
        value, depth = left.pop()
        values += 1
        if isinstance(value, _PLAIN):
            continue
        if depth > limits.depth:
            raise ValueError(f"more than {limits.depth} levels")
        if isinstance(value, Mapping):
            inside = cast("Mapping[object, object]", value)
            for key in inside:
                if not isinstance(key, str):
                    raise ValueError(f"a key of a map is a {type(key).__name__}, not a string")
            values += len(inside)
            left += [(one, depth + 1) for one in inside.values()]
        elif isinstance(value, list | tuple):
            left += [(one, depth + 1) for one in cast("list[object]", value)]
        else:
            raise TypeError(f"a record holds no {type(value).__name__}")
        if values + len(left) > limits.values:
            raise ValueError(f"more than {limits.values} values")


_PLAIN: Final = (str, bytes, int, float, type(None))  # a bool is an int


def decode(packed: bytes, file: str, *, limits: Limits = DEFAULT_LIMITS) -> dict[str, object]:
    """The map that *packed* holds; SnapshotDamaged, naming *file*, if it holds no such thing."""
    try:
        return _decode(packed, limits)
    except (ValueError, TypeError) as error:
        raise SnapshotDamaged(file, f"not a record: {error}") from error


def _decode(packed: bytes, limits: Limits) -> dict[str, object]:
    if len(packed) > limits.bytes:
        raise ValueError(f"{len(packed)} bytes, at most {limits.bytes} are read")
    _walk_headers(packed, limits)
    record = msgpack.unpackb(packed, object_pairs_hook=_distinct_pairs)
    if not isinstance(record, dict):
        raise ValueError(f"a {type(record).__name__} where a map should be")
    return cast("dict[str, object]", record)


def _distinct_pairs(pairs: list[tuple[object, object]]) -> dict[str, object]:
    distinct: dict[str, object] = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise ValueError(f"a key of a map is a {type(key).__name__}, not a string")
        if key in distinct:
            raise ValueError(f"the key {key!r:.80} stands twice in a map")
        distinct[key] = value
    return distinct


def _walk_headers(packed: bytes, limits: Limits) -> None:
    """Check depth, counts, lengths and types and build nothing; ValueError with the offset."""
    awaited = [1]  # values still to come, of the record and of each list or map that is open
    at = values = 0
    while awaited:
        if awaited[-1] == 0:
            awaited.pop()
            continue
        awaited[-1] -= 1
        values += 1
        if values > limits.values:
            raise ValueError(f"more than {limits.values} values at offset {at}")
        if at >= len(packed):
            raise ValueError(f"it ends early, at offset {at}")
        start = at
        at, inside = _step(packed, at)
        if at > len(packed):
            raise ValueError(f"the value at offset {start} runs past the end")
        if inside is not None:
            if len(awaited) > limits.depth:
                raise ValueError(f"more than {limits.depth} levels at offset {start}")
            awaited.append(inside)
    if at != len(packed):
        raise ValueError(f"{len(packed) - at} bytes follow its end at offset {at}")


_FIXED: Final = {0xC0: 1, 0xC2: 1, 0xC3: 1, 0xCA: 5, 0xCB: 9} | {
    head: 1 + width
    for base in (0xCC, 0xD0)
    for head, width in zip(range(base, base + 4), (1, 2, 4, 8), strict=True)
}
"""Bytes of nil, bools, floats and ints, head included."""

_STRINGS: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
"""Bytes and strings: the width of their length."""

_CONTAINERS: Final = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}
"""Lists and maps: the width of their count, and the values that each entry takes."""


def _step(packed: bytes, at: int) -> tuple[int, int | None]:
    """Where what follows the value at *at* begins, and for a list or map the number of values in
    it.

    https://github.com/msgpack/msgpack/blob/master/spec.md#formats
    """
    head = packed[at]
    if head < 0x80 or head >= 0xE0:
        return at + 1, None
    if head < 0x90:
        return at + 1, 2 * (head & 0x0F)
    if head < 0xA0:
        return at + 1, head & 0x0F
    if head < 0xC0:
        return at + 1 + (head & 0x1F), None
    if head in _FIXED:
        return at + _FIXED[head], None
    if head in _STRINGS:
        end = at + 1 + _STRINGS[head]
        return end + int.from_bytes(packed[at + 1 : end]), None
    if head in _CONTAINERS:
        width, each = _CONTAINERS[head]
        end = at + 1 + width
        return end, each * int.from_bytes(packed[at + 1 : end])
    raise ValueError(f"type 0x{head:02x} at offset {at} is not one that records hold")
