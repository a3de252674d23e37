"""Revisions: what tells two states of a row apart, for whoever may read so much of it.

The digest is of what the row says by itself. Its readers, its links, its vectors and where it stands as a span are left out, and
fields that one may not read are gone before it is made.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from passageway.v1 import types_pb2
from tests.oracle.graph import Held, Moment, Numbers, Row, Scalar, held_in


def revision(row: Row) -> str:
    """The revision of a row as it stands in a graph; a span has no project and no status of its own."""
    return _digest(
        type=row.type,
        name=row.name,
        content=row.content,
        project="" if row.span is not None else row.project,
        status=row.status,
        properties=row.properties,
    )


def revision_of_record(record: types_pb2.Node | types_pb2.Passage) -> str:
    """The revision of the row that a record makes, whether or not it dangles."""
    held = held_in(record.properties)
    if isinstance(record, types_pb2.Node):
        return _digest(
            type=record.type,
            name=record.name,
            content=record.content,
            project=record.project,
            status=record.status,
            properties=held,
        )
    return _digest(
        type=record.type or "passage",
        name=record.name,
        content=record.content,
        project="",
        status="",
        properties=held,
    )


def _digest(*, properties: Mapping[str, Held], **texts: str) -> str:
    plain = {
        name: _listed(held)
        for name, held in properties.items()
        if not isinstance(held.values[0], Numbers)
    }
    spelled = texts | {"properties": plain}
    canonical = json.dumps(spelled, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _listed(held: Held) -> Any:
    values = [_spelled(value) for value in held.values]
    return values if held.many else values[0]


def _spelled(value: Scalar) -> Any:
    match value:
        case Moment():
            return {"t": value.micros}
        case float() if not math.isfinite(value):
            return {"f": repr(value)}
        case _:
            return value
