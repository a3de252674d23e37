"""A world as rows and edges: what is not dangling, with what each inherits.

Spans have their parent's project; every edge bears its effective weight; links name only rows that exist.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from passageway.v1 import query_pb2, types_pb2
from tests.oracle.model import DOCUMENT, LINK, SPAN_EDGE, Stored, World


class Moment(NamedTuple):
    """A time, as microseconds since 1970 in UTC."""

    micros: int


class Numbers(NamedTuple):
    """A vector."""

    numbers: tuple[float, ...]


Scalar = str | int | float | bool | Moment | Numbers


class Held(NamedTuple):
    """The values that a row holds in one property; ``many`` when they were put as a list."""

    values: tuple[Scalar, ...]
    many: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A node or span that exists, with its links to rows that exist."""

    id: str
    type: str
    name: str
    content: str
    project: str
    status: str
    properties: dict[str, Held]
    stored_properties: Mapping[str, types_pb2.Value]
    links: dict[str, list[str]]
    covered: bool
    readers: tuple[str, ...]
    span: types_pb2.SpanPosition | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """An edge whose ends both exist, equal to itself alone; ``id`` is empty on links and span edges."""

    source: str
    target: str
    type: str
    weight: float
    stored: Stored
    id: str = ""
    properties: dict[str, Held] = field(default_factory=dict[str, Held])
    stored_properties: Mapping[str, types_pb2.Value] = field(
        default_factory=dict[str, types_pb2.Value]
    )
    readers: tuple[str, ...] = ()

    def other(self, end: str) -> str:
        """The end that is not *end*; a self-loop's is itself."""
        return self.target if end == self.source else self.source


class Graph:
    """All rows and edges of a world, with the answers that only admins get when ``admin``."""

    def __init__(self, world: World, *, admin: bool) -> None:
        self.settings = world.settings
        self.admin = admin
        self._weights: dict[str, float] = {
            kind.name: kind.default_weight
            for kind in reversed(world.settings.ontology.edge_types)
            if kind.HasField("default_weight")
        }
        present = set(world.nodes) | {
            span.id for span in world.passages.values() if span.parent_id in world.nodes
        }
        self.rows: dict[str, Row] = {}
        for node in world.nodes.values():
            self.rows[node.id] = _node_row(node, present)
        for span in world.passages.values():
            if span.id in present:
                self.rows[span.id] = _span_row(span, world.nodes[span.parent_id], present)
        self.arcs = sorted(self._arcs(world), key=lambda arc: arc.stored)
        self.at: dict[str, list[Arc]] = {row_id: [] for row_id in self.rows}
        for arc in self.arcs:
            self.at[arc.source].append(arc)
            if arc.target != arc.source:
                self.at[arc.target].append(arc)

    @property
    def documents(self) -> list[Arc]:
        """The edges that are documents, self-loops too."""
        return [arc for arc in self.arcs if arc.stored[0] == DOCUMENT]

    def spans_of(self, parent_id: str) -> list[Row]:
        """The spans of a memory, by index, then id."""
        spans = [
            row
            for row in self.rows.values()
            if row.span is not None and row.span.parent_id == parent_id
        ]
        return sorted(spans, key=lambda row: (row.span.index if row.span else 0, row.id))

    def _arcs(self, world: World) -> list[Arc]:
        arcs: list[Arc] = []
        for row in self.rows.values():
            kind = LINK if row.span is None else SPAN_EDGE
            fields = sorted(row.links) if row.span is None else ["PART_OF", "MENTIONS"]
            ends = [(name, target) for name in fields for target in row.links.get(name, [])]
            for place, (name, target) in enumerate(ends):
                stored = (kind, world.row_numbers[row.id], place)
                arcs.append(Arc(row.id, target, name, self._weights.get(name, 1.0), stored))
        for edge in world.edges.values():
            if edge.source in self.rows and edge.target in self.rows:
                weight = (
                    edge.weight if edge.HasField("weight") else self._weights.get(edge.type, 1.0)
                )
                arcs.append(
                    Arc(
                        edge.source,
                        edge.target,
                        edge.type,
                        weight,
                        (DOCUMENT, world.edge_numbers[edge.id], 0),
                        id=edge.id,
                        properties=held_in(edge.properties),
                        stored_properties=edge.properties,
                        readers=tuple(edge.readers),
                    )
                )
        return arcs


def _node_row(node: types_pb2.Node, present: set[str]) -> Row:
    links = {name: _existing(list(ids.values), present) for name, ids in node.links.items()}
    return Row(
        id=node.id,
        type=node.type,
        name=node.name,
        content=node.content,
        project=node.project,
        status=node.status,
        properties=held_in(node.properties),
        stored_properties=node.properties,
        links={name: ids for name, ids in links.items() if ids},
        covered=node.covered,
        readers=tuple(node.readers),
    )


def _span_row(span: types_pb2.Passage, parent: types_pb2.Node, present: set[str]) -> Row:
    links = {"PART_OF": [span.parent_id], "MENTIONS": _existing(list(span.mentions), present)}
    position = types_pb2.SpanPosition(
        parent_id=span.parent_id, index=span.index, breadcrumb=span.breadcrumb
    )
    if span.HasField("total"):
        position.total = span.total
    return Row(
        id=span.id,
        type=span.type or "passage",
        name=span.name,
        content=span.content,
        project=parent.project,
        status="",
        properties=held_in(span.properties),
        stored_properties=span.properties,
        links={name: ids for name, ids in links.items() if ids},
        covered=False,
        readers=tuple(span.readers),
        span=position,
    )


def _existing(ids: list[str], present: set[str]) -> list[str]:
    """The ids that exist, each once, in the order given."""
    return [row_id for row_id in dict.fromkeys(ids) if row_id in present]


def held_in(properties: Mapping[str, types_pb2.Value]) -> dict[str, Held]:
    """What a record holds, by property; what is absent, or an empty list, it does not hold."""
    held = {name: values_of(value) for name, value in properties.items()}
    return {name: values for name, values in held.items() if values.values}


def values_of(value: types_pb2.Value) -> Held:
    """The plain values in a message; none where the property is absent or its list empty."""
    match value.WhichOneof("kind"):
        case "string_value":
            return Held((value.string_value,), False)
        case "int_value":
            return Held((value.int_value,), False)
        case "double_value":
            return Held((value.double_value,), False)
        case "bool_value":
            return Held((value.bool_value,), False)
        case "time_value":
            return Held((_moment(value.time_value.seconds, value.time_value.nanos),), False)
        case "vector":
            return Held((Numbers(tuple(value.vector.values)),), False)
        case "strings":
            return Held(tuple(value.strings.values), True)
        case "ints":
            return Held(tuple(value.ints.values), True)
        case "doubles":
            return Held(tuple(value.doubles.values), True)
        case "bools":
            return Held(tuple(value.bools.values), True)
        case "times":
            return Held(
                tuple(_moment(time.seconds, time.nanos) for time in value.times.values), True
            )
        case _:
            return Held((), False)


def _moment(seconds: int, nanos: int) -> Moment:
    return Moment(seconds * 1_000_000 + nanos // 1_000)


RETIRED = frozenset({"superseded", "retracted", "expired", "disputed", "obsolete"})


class Scope:
    """Which rows a call looks at, besides those that it may read: its project, its evidence, its clock."""

    def __init__(
        self, graph: Graph, read: query_pb2.ReadOptions, *, now_us: int, current: bool = False
    ) -> None:
        """Where no evidence is asked for it is CURRENT if *current* says so, else all."""
        self._graph = graph
        self._project = read.project
        unset = query_pb2.EVIDENCE_CURRENT if current else query_pb2.EVIDENCE_ALL
        self._current = (read.evidence or unset) == query_pb2.EVIDENCE_CURRENT
        self._now = Moment(now_us)
        self._keywords = {
            field.name
            for field in graph.settings.fields
            if field.kind not in (types_pb2.FIELD_KIND_UNSPECIFIED, types_pb2.FIELD_KIND_KEYWORD)
        }

    @property
    def rows(self) -> list[Row]:
        """Every row that the call looks at."""
        return [row for row_id, row in self._graph.rows.items() if row_id in self]

    def __contains__(self, row_id: str) -> bool:
        row = self._graph.rows.get(row_id)
        if row is None or (self._project and row.project != self._project):
            return False
        return not (self._current and self._retired(row))

    def _retired(self, row: Row) -> bool:
        words = [row.status]
        for name in ("lifecycle", "review"):
            if name in row.properties and name not in self._keywords:
                words += [word for word in row.properties[name].values if isinstance(word, str)]
        if any(word.strip().casefold() in RETIRED for word in words):
            return True
        expiry = row.properties.get("expires_at")
        if expiry and any(isinstance(at, Moment) and at <= self._now for at in expiry.values):
            return True
        return row.span is not None and self._retired(self._graph.rows[row.span.parent_id])
