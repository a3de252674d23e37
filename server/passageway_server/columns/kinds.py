"""Which kind a value has, and whether a field takes it.

A declared field takes its own kind alone, and vectors go into declared fields alone; the rest are inferred from
their first value: keyword, number or bool. An inferred number field takes ints and floats and has kind FLOAT. ``expires_at`` is
a time whether declared or not.
"""

import math
from datetime import datetime
from typing import cast

import numpy as np

from passageway_server.columns.times import parse_time
from passageway_server.values.collections import FieldDeclaration, Kind
from passageway_server.values.records import PropertyValue, Scalar, Vector

EXPIRES_AT = "expires_at"
"""The property that retires its row once the call's clock has reached it."""

_NAMES = {
    Kind.KEYWORD: "keyword",
    Kind.TEXT: "text",
    Kind.INT: "int",
    Kind.FLOAT: "float",
    Kind.BOOL: "bool",
    Kind.TIME: "time",
    Kind.VECTOR: "vector",
    Kind.LINK: "link",
}


def kind_name(kind: Kind, *, inferred: bool = False) -> str:
    """What messages call *kind*; an inferred number is a "number"."""
    return "number" if inferred and kind == Kind.FLOAT else _NAMES[kind]


def said(value: Scalar | Vector) -> str:
    """What a message calls a value that came."""
    if isinstance(value, Vector):
        return "a vector"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, datetime):
        return "a time"
    return "an int" if isinstance(value, int) else "a float"


def classify(value: PropertyValue) -> Kind | None:
    """The kind of a field that begins with *value*; None for an empty list, which is absent.

    Ints and floats are both FLOAT; a datetime is TIME, which must be declared.
    """
    if isinstance(value, list):
        return _scalar_kind(value[0]) if value else None
    return Kind.VECTOR if isinstance(value, Vector) else _scalar_kind(value)


def kind_fault(
    name: str, value: PropertyValue, *, declared: FieldDeclaration | None, known: Kind | None
) -> str | None:
    """Why the field *name* does not take *value*, or None where it does.

    ``known`` is the kind that the name has in its set of fields so far (LINK for adjacency fields).
    A declared float takes an int that a double holds exactly, since JSON writers put 1 for 1.0; a
    time takes a datetime, or its text; a vector takes a list of numbers, as JSON has it.
    """
    if value == []:
        return None
    if known == Kind.LINK:
        return "is a link field, it takes no property"
    if declared is not None and declared.kind == Kind.VECTOR:
        return _vector_fault(value, declared.dimensions)
    kind = Kind.TIME if name == EXPIRES_AT else declared.kind if declared is not None else None
    if isinstance(value, Vector):
        kind = known if kind is None else kind
        if kind is not None:
            return f"is {_field(kind, inferred=declared is None)}, found a vector"
        return "a vector needs a field that is declared, of kind vector"
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list) and kind is not None and (declared is None or not declared.repeated):
        return f"is {_field(kind)} of one value, not of a list"
    if kind is None:
        return _inferred_fault(values, known)
    for one in values:
        fault = _declared_fault(kind, one)
        if fault is not None:
            return fault
    return None


def _field(kind: Kind, *, inferred: bool = False) -> str:
    """A field of *kind*, for people."""
    return f"{'an' if kind == Kind.INT else 'a'} {kind_name(kind, inferred=inferred)} field"


def _scalar_kind(value: Scalar) -> Kind:
    if isinstance(value, str):
        return Kind.KEYWORD
    if isinstance(value, bool):
        return Kind.BOOL
    return Kind.TIME if isinstance(value, datetime) else Kind.FLOAT


def _inferred_fault(values: "list[Scalar] | PropertyValue", known: Kind | None) -> str | None:
    assert isinstance(values, list)
    for one in values:
        kind = _scalar_kind(one)
        if kind == Kind.TIME:
            return "a time needs a field that is declared, of kind time"
        if known is not None and kind != known:
            return f"is {_field(known, inferred=True)}, found {said(one)}"
        fault = _number_fault(one)
        if fault is not None:
            return fault
        known = kind
    return None


def _vector_fault(value: PropertyValue, dimensions: int) -> str | None:
    if not isinstance(value, list | Vector):
        return f"is a vector field, found {said(value)}"
    if len(value) != dimensions:
        return f"is a vector of {dimensions} numbers, found {len(value)}"
    if isinstance(value, list):
        for one in value:
            if not isinstance(one, int | float) or isinstance(one, bool):
                return f"is a vector field, found {said(one)} in a list"
        value = Vector.of(cast(list[float], value))
    if not np.isfinite(value.numbers).all():
        return "a number of a vector is finite, as a float32 too: NaN and infinities are refused"
    return None


def _declared_fault(kind: Kind, value: Scalar) -> str | None:
    if kind == Kind.TIME:
        return _time_fault(value)
    found = _scalar_kind(value)
    takes = Kind.KEYWORD if kind == Kind.TEXT else Kind.FLOAT if kind == Kind.INT else kind
    if found != takes or (kind == Kind.INT and isinstance(value, float)):
        return f"is {_field(kind)}, found {said(value)}"
    fault = _number_fault(value)
    if fault is None and kind == Kind.FLOAT and not _is_double(value):
        return "is a float field, and no double is exactly this int"
    return fault


def _is_double(value: Scalar) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and int(float(value)) == value)


def _number_fault(value: Scalar) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return "a number is finite: NaN and infinities are refused"
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return "an int has 64 bits"
    return None


def _time_fault(value: Scalar) -> str | None:
    if isinstance(value, datetime):
        return None if value.tzinfo is not None else "a time needs a zone"
    if not isinstance(value, str):
        return f"is a time field, found {said(value)}"
    try:
        parse_time(value)
    except ValueError as cause:
        return f"is a time field: {cause}"
    return None
