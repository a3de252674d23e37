"""Properties as plain JSON values made into the contract's values; a null and an empty list are absent."""

import math
from typing import cast

from passageway._properties import Property, to_value
from passageway.cli.parsing import SURROGATE, Fault, Json, quoted
from passageway.v1 import types_pb2


def properties(given: Json) -> dict[str, types_pb2.Value]:
    """Values by name; Fault names the first property that cannot be one."""
    made: dict[str, types_pb2.Value] = {}
    for name, item in given.items():
        if item is None or item == []:
            continue
        try:
            made[name] = to_value(item)
        except (TypeError, ValueError) as fault:
            raise Fault(f"properties[{quoted(name)}]", _cause(item, fault)) from fault
        if type(item) is not str and not _finite(item):
            raise Fault(f"properties[{quoted(name)}]", _beyond(item))
    return made


def fault_of(item: object) -> str | None:
    """Why *item* cannot be the value of a property or of a ``$name``, or None."""
    try:
        to_value(cast(Property, item))
    except (TypeError, ValueError) as fault:
        return _cause(item, fault)
    return None if _finite(item) else _beyond(item)


def _finite(item: object) -> bool:
    """JSON has no infinity, but 1e999 is read as one; Parquet has NaN too."""
    return all(map(math.isfinite, _floats(item)))


def _beyond(item: object) -> str:
    if any(map(math.isnan, _floats(item))):
        return "NaN, which is no number; a null says that there is none"
    return "a number beyond a double, or infinity"


def _floats(item: object) -> list[float]:
    numbers = cast(list[object], item) if isinstance(item, list) else [item]
    return [number for number in numbers if isinstance(number, float)]


def _cause(item: object, fault: Exception) -> str:
    if isinstance(fault, UnicodeEncodeError):
        return SURROGATE
    if item is None:
        return "null, which is no value"
    if isinstance(item, list) and None in item:
        return "a list with null in it; leave that out"
    if isinstance(item, dict):
        return "an object; a property is one value or a list of values"
    if type(fault) is ValueError and "out of range" in str(fault):
        return "a whole number beyond 64 bits; write it as a string"
    return str(fault)
