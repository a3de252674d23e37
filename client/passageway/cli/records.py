"""Lines of JSONL made into the contract's records.

A line is one JSON object with the fields of its record; properties are plain JSON values. A null and an
empty list are absent. Unknown keys, keys given twice, NaN and infinities are refused.
"""

from collections.abc import Callable
from itertools import starmap
from typing import Any, Final, TypeVar, cast

from passageway.cli.parsing import SURROGATE, BadLine, Fault, Json, decode, encodes, parse, quoted
from passageway.cli.places import column
from passageway.cli.properties import properties
from passageway.v1 import store_pb2, types_pb2

Record = types_pb2.Node | types_pb2.Edge | types_pb2.Passage
_R = TypeVar("_R", bound=Record)

_Shape = dict[str, Any]
_PROPERTIES: Final = "properties"
_LINKS: Final = "links"

NODE: Final[_Shape] = {
    "id": str,
    "type": str,
    "name": str,
    "content": str,
    "project": str,
    "readers": list,
    "status": str,
    "properties": _PROPERTIES,
    "links": _LINKS,
    "covered": bool,
}
EDGE: Final[_Shape] = {
    "id": str,
    "source": str,
    "target": str,
    "type": str,
    "weight": float,
    "properties": _PROPERTIES,
    "readers": list,
}
PASSAGE: Final[_Shape] = {
    "id": str,
    "parent_id": str,
    "index": int,
    "total": int,
    "name": str,
    "content": str,
    "breadcrumb": str,
    "mentions": list,
    "properties": _PROPERTIES,
    "type": str,
    "readers": list,
}
"""The keys of each kind of line with the type of their values; the names stand for what has its own maker."""

_WORDS: Final[dict[Any, str]] = {
    str: "a string",
    list: "a list of strings",
    bool: "true or false",
    float: "a number",
    int: "a whole number from 0 to 4294967295",
    _PROPERTIES: "an object of values",
    _LINKS: "an object of lists of ids",
}


_NAMES: Final[dict[Any, str]] = {
    str: "a string",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def add_node(batch: store_pb2.Batch, line: bytes) -> types_pb2.Node:
    """Put the node that *line* holds into *batch*; after BadLine the batch is of no use."""
    return _record(line, NODE, batch.put_nodes.add)


def add_edge(batch: store_pb2.Batch, line: bytes) -> types_pb2.Edge:
    """Put the edge document that *line* holds into *batch*; after BadLine the batch is of no use."""
    return _record(line, EDGE, batch.put_edges.add)


def add_passage(batch: store_pb2.Batch, line: bytes) -> types_pb2.Passage:
    """Put the span that *line* holds into *batch*; after BadLine the batch is of no use."""
    return _record(line, PASSAGE, batch.put_passages.add)


SHAPES: Final = {"nodes": NODE, "edges": EDGE, "passages": PASSAGE}
"""The same by kind."""


def put_node(batch: store_pb2.Batch, members: Json) -> types_pb2.Node:
    """Put the node of plain *members* into *batch*; as `add_node`, BadLine without a column."""
    return _unplaced(members, NODE, batch.put_nodes.add)


def put_edge(batch: store_pb2.Batch, members: Json) -> types_pb2.Edge:
    """Put the edge document of plain *members* into *batch*; as `put_node`."""
    return _unplaced(members, EDGE, batch.put_edges.add)


def put_passage(batch: store_pb2.Batch, members: Json) -> types_pb2.Passage:
    """Put the span of plain *members* into *batch*; as `put_node`."""
    return _unplaced(members, PASSAGE, batch.put_passages.add)


def _record(line: bytes, shape: _Shape, make: Callable[..., _R]) -> _R:
    text = decode(line)
    try:
        return _made(parse(text), shape, make)
    except Fault as fault:
        at = column(text, fault.path, of_key=fault.of_key)
        raise BadLine(at, f"{fault.path}: {fault.cause}") from fault


def _unplaced(members: Json, shape: _Shape, make: Callable[..., _R]) -> _R:
    try:
        return _made(members, shape, make)
    except Fault as fault:
        raise BadLine(0, f"{fault.path}: {fault.cause}") from fault


def _made(members: Json, shape: _Shape, make: Callable[..., _R]) -> _R:
    """The record of *members*; raises Fault."""
    for key, value in members.items():
        expected = shape.get(key)
        if type(value) is not expected:
            members[key] = _converted(key, value, expected, shape)
    try:
        return make(**members)
    except (TypeError, ValueError) as fault:
        raise _refused(members, fault) from fault


def _converted(key: str, value: object, expected: object, shape: _Shape) -> object:
    """*value* as its message takes it, where it has not the very type expected."""
    if expected is None:
        known = ", ".join(shape)
        raise Fault(f"[{quoted(key)}]", f"unknown key; known are {known}", of_key=True)
    if value is None:
        return None
    if expected is _PROPERTIES and isinstance(value, dict):
        return properties(cast(Json, value))
    if expected is _LINKS and isinstance(value, dict):
        return _links(cast(dict[str, object], value))
    if expected is float and type(value) is int:
        try:
            return float(value)
        except OverflowError as fault:
            raise Fault(key, "a number beyond a double") from fault
    raise Fault(key, f"{_NAMES[type(value)]}; expected is {_WORDS[expected]}")


def _links(given: dict[str, object]) -> dict[str, types_pb2.StringList]:
    made: dict[str, types_pb2.StringList] = {}
    for name, ids in given.items():
        path = f"links[{quoted(name)}]"
        if ids is None:
            continue
        if not isinstance(ids, list):
            raise Fault(path, f"{_NAMES[type(ids)]}; expected is a list of ids")
        try:
            made[name] = types_pb2.StringList(values=cast(list[str], ids))
        except (TypeError, ValueError) as fault:
            cause = _bad_element(path, cast(list[object], ids))
            raise cause or Fault(path, str(fault)) from fault
    return made


def _refused(members: Json, fault: Exception) -> Fault:
    """Why the message did not take *members*: looked for only once it is known that it did not."""
    return next(filter(None, starmap(_fault, members.items())), None) or Fault("", str(fault))


def _fault(key: str, value: object) -> Fault | None:
    if isinstance(value, list):
        return _bad_element(key, cast(list[object], value))
    if isinstance(value, dict):
        names = [name for name in cast(Json, value) if not encodes(name)]
        return Fault(f"{key}[{quoted(names[0])}]", SURROGATE) if names else None
    if isinstance(value, str) and not encodes(value):
        return Fault(key, SURROGATE)
    if type(value) is int and not 0 <= value < 1 << 32:
        return Fault(key, f"{value}; expected is {_WORDS[int]}")
    return None


def _bad_element(path: str, items: list[object]) -> Fault | None:
    for number, item in enumerate(items):
        if not isinstance(item, str):
            return Fault(f"{path}[{number}]", f"{_NAMES[type(item)]}; expected is a string")
        if not encodes(item):
            return Fault(f"{path}[{number}]", SURROGATE)
    return None
