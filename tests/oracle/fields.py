"""The fields that a caller knows, and their kinds: declared, or held by a row or edge that is there.

Nodes with spans are one set of fields, edge documents another; declared fields belong to both.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from passageway.v1 import types_pb2
from tests.oracle.graph import Arc, Graph, Held, Moment, Numbers, Row

KEYWORD = types_pb2.FIELD_KIND_KEYWORD
TEXT = types_pb2.FIELD_KIND_TEXT
INT = types_pb2.FIELD_KIND_INT
FLOAT = types_pb2.FIELD_KIND_FLOAT
BOOL = types_pb2.FIELD_KIND_BOOL
TIME = types_pb2.FIELD_KIND_TIME
VECTOR = types_pb2.FIELD_KIND_VECTOR
LINK_FIELD = types_pb2.FIELD_KIND_LINK

STRINGS = frozenset({int(KEYWORD), int(TEXT), int(LINK_FIELD)})
NUMBERS = frozenset({int(INT), int(FLOAT)})

NODE_BUILT_INS = ("id", "type", "name", "content", "project", "status")
NODE_ANSWER_BUILT_INS = (*NODE_BUILT_INS, "covered", "span")
NODE_NAMEABLE = (*NODE_ANSWER_BUILT_INS, "revision")
EDGE_BUILT_INS = ("id", "type", "weight", "source", "target")


class Known(NamedTuple):
    """What is known of a field."""

    kind: int
    repeated: bool
    declared: bool


Fields = Mapping[str, Known]

_GRAPHS = (
    8  # of which the fields are remembered: nobody changes a graph, and each is asked by every call
)


@lru_cache(maxsize=_GRAPHS)
def node_fields(graph: Graph) -> Fields:
    """The fields of nodes and spans: declared, or held by one of them."""
    return MappingProxyType(fields_of_rows(graph, graph.rows.values()))


@lru_cache(maxsize=_GRAPHS)
def edge_fields(graph: Graph) -> Fields:
    """The fields of edge documents: declared, or held by one of them."""
    return MappingProxyType(fields_of_arcs(graph, graph.arcs))


def fields_of_rows(graph: Graph, rows: Iterable[Row]) -> dict[str, Known]:
    """The fields that are declared, or held by *rows*."""
    rows = list(rows)
    fields = _fields(graph, [row.properties for row in rows])
    return fields | {name: Known(LINK_FIELD, True, False) for row in rows for name in row.links}


def fields_of_arcs(graph: Graph, arcs: Iterable[Arc]) -> dict[str, Known]:
    """The fields that are declared, or held by *arcs*."""
    return _fields(graph, [arc.properties for arc in arcs])


def _fields(graph: Graph, holders: list[dict[str, Held]]) -> dict[str, Known]:
    fields: dict[str, Known] = {}
    for properties in holders:
        for name, held in properties.items():
            before = fields.get(name, Known(0, False, False))
            kind = max(before.kind, _kind(held))
            fields[name] = Known(kind, before.repeated or held.many, False)
    for field in graph.settings.fields:
        fields[field.name] = Known(field.kind, field.repeated, True)
    return fields


def _kind(held: Held) -> int:
    """The kind that a value shows; a float outranks an int, as FLOAT does INT."""
    match held.values[0]:
        case str():
            return KEYWORD
        case bool():
            return BOOL
        case int():
            return INT
        case float():
            return FLOAT
        case Moment():
            return TIME
        case Numbers():
            return VECTOR


def property_named(name: str) -> str:
    """The property that a name such as ``properties.weight`` or ``weight`` stands for."""
    return name.removeprefix("properties.")


def is_nameable(name: str, fields: Fields, built_ins: Iterable[str]) -> bool:
    """Whether a caller who knows *fields* may name this one."""
    if name in built_ins:
        return True
    if name == "readers":
        return False
    if name.startswith("properties."):
        known = fields.get(property_named(name))
        return known is not None and known.kind != LINK_FIELD
    return name in fields
