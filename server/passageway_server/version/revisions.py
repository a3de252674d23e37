"""The revision of a row: a digest of what its writer put, by which an edit is guarded.

It leaves out who reads the row, its links and vectors, whether it is covered, where a span stands, and the fields that are
hidden from whoever asks: callers who know different fields see different revisions of one row. Content that is
put back brings its revision back.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import lengths_of
from passageway_server.columns.nodes import NODE
from passageway_server.columns.ranges import in_parts
from passageway_server.values.collections import Kind
from passageway_server.values.records import PlainValue, Scalar
from passageway_server.version.version import Version

LENGTH = 64
"""Characters of a revision."""

Rows = NDArray[np.integer]
_AT_ONCE = 1 << 20  # bytes of rows whose values are made together
_VALUE = 64  # about those of one value, beside its text
_STRINGS = 1 << 14  # that are measured together
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def revision_of(version: Version, rows: Rows | Sequence[int], hidden: frozenset[str]) -> list[str]:
    """The revision of each of *rows*, nodes or spans, without the declared fields that are *hidden*.

    SHA-256, in hex, of the row as JSON in UTF-8: keys sorted by code point, no blanks, characters beyond ASCII as
    they are. Whole numbers are decimal; a double is its shortest form with a point or an exponent, a time
    ``{"t": microseconds since 1970}``. A span has no project and no status of its own: both are empty.
    """
    which = np.asarray(rows, dtype=np.int64)
    parts = _parts(version, which, hidden)
    return [digest for part in parts for digest in _digests(version, part, hidden)]


def _parts(version: Version, which: Rows, hidden: frozenset[str]) -> Iterator[Rows]:
    """*which*, some rows at a time, that hold about `_AT_ONCE` bytes together, or one row alone."""
    nodes, texts = version.nodes, version.texts
    sizes = lengths_of(texts, nodes.content[which])
    for name, column in nodes.properties.items():
        if name in hidden or column.kind == Kind.VECTOR:
            continue
        places, entries = column.holding(which)
        if not len(places):
            continue
        starts, counts = column.extents(entries)
        sizes[places] += _VALUE * counts
        if column.kind in (Kind.KEYWORD, Kind.TEXT):
            strings = version.keywords.strings if column.kind == Kind.KEYWORD else texts
            for positions, owners in in_parts(starts, counts, _STRINGS):
                lengths = lengths_of(strings, cast(NDArray[np.int32], column.values[positions]))
                np.add.at(sizes, places[owners], lengths)
    ends, start = np.cumsum(sizes), 0
    while start < len(which):
        before = int(ends[start - 1]) if start else 0
        end = max(int(ends.searchsorted(before + _AT_ONCE, side="right")), start + 1)
        yield which[start:end]
        start = end


def _digests(version: Version, which: Rows, hidden: frozenset[str]) -> list[str]:
    nodes = version.nodes
    is_node = nodes.kind[which] == NODE
    return [
        _digest(
            {
                "content": content,
                "name": name,
                "project": project if own else "",
                "properties": held,
                "status": status if own else "",
                "type": type_,
            }
        )
        for type_, name, content, project, status, own, held in zip(
            version.types.take(nodes.type[which]),
            version.texts.take(nodes.name[which]),
            version.texts.take(nodes.content[which]),
            version.projects.take(nodes.project[which]),
            version.statuses.take(nodes.status[which]),
            is_node.tolist(),
            _properties(version, which, hidden),
            strict=True,
        )
    ]


def _digest(row: dict[str, object]) -> str:
    text = json.dumps(
        row, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _properties(version: Version, rows: Rows, hidden: frozenset[str]) -> list[dict[str, object]]:
    held: list[dict[str, object]] = [{} for _ in range(len(rows))]
    for name, column in version.nodes.properties.items():
        if name in hidden or column.kind == Kind.VECTOR:
            continue
        places, entries = column.holding(rows)
        if not len(places):
            continue
        values = column.held_in(entries, keywords=version.keywords, texts=version.texts)
        for place, value in zip(places.tolist(), values, strict=True):
            held[place][name] = _plain(cast(PlainValue, value))
    return held


def _plain(value: PlainValue) -> object:
    return list(map(_scalar, value)) if isinstance(value, list) else _scalar(value)


def _scalar(value: Scalar) -> object:
    """*value* as JSON has it; what JSON has no form for, in an object that says which."""
    if isinstance(value, datetime):
        return {"t": (value - _EPOCH) // _MICROSECOND}
    if isinstance(value, float) and not math.isfinite(value):
        return {"f": repr(value)}
    return value
