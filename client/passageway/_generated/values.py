"""The records, requests' parts and answers of the contract as frozen values.

Generated from proto/; never edited. A value turns into its message and back, and into a plain JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass
from dataclasses import field as _field
from datetime import datetime
from typing import Literal, Self

from passageway._expected import UNSENDABLE, wrong_member
from passageway._generated import numbers as _numbers
from passageway._json import JsonObject, Members, compact, json_links, json_properties, json_time
from passageway._properties import (
    Links,
    Properties,
    Property,
    from_links,
    from_properties,
    from_time,
    several,
    to_links,
    to_properties,
    to_time,
)
from passageway.convert import SubgraphConversions
from passageway.v1 import graph_pb2, query_pb2, read_pb2, search_pb2, store_pb2, types_pb2

Direction = Literal["out", "in", "both"]
FieldKind = Literal["keyword", "text", "int", "float", "bool", "time", "vector", "link"]
Evidence = Literal["current", "all"]
"""Unspecified is CURRENT in Search and Context and ALL elsewhere."""
Bounds = Literal["reject", "clamp"]
"""What happens to a number outside its range. Unspecified is REJECT, except in Slice."""
MetricOp = Literal["count", "min", "max", "sum", "avg", "cardinality"]
LookupKind = Literal["nodes", "edges"]
ContextMeasure = Literal["answer", "text"]
ExpandPropagate = Literal["sum", "max"]
ExpandRank = Literal["spread", "ppr"]
PathsMode = Literal["shortest", "all_simple"]
Similarity = Literal["cosine", "dot"]
"""How vectors are compared. Unspecified is COSINE."""
AnalyzeMeasure = Literal["pagerank", "communities", "degree"]


@dataclass(frozen=True, slots=True)
class SpanPosition:
    """SpanPosition of the contract.

    total: As the writer declared it, never a count of rows.
    """

    _: KW_ONLY
    parent_id: str = ""
    index: int = 0
    total: int | None = None
    breadcrumb: str = ""

    def to_message(self) -> types_pb2.SpanPosition:
        """The message of this value."""
        try:
            return types_pb2.SpanPosition(
                parent_id=self.parent_id,
                index=self.index,
                total=self.total,
                breadcrumb=self.breadcrumb,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.SpanPosition) -> Self:
        """The value of *message*."""
        return cls(
            parent_id=message.parent_id,
            index=message.index,
            total=message.total if message.HasField("total") else None,
            breadcrumb=message.breadcrumb,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "parent_id": self.parent_id,
                "index": self.index,
                "total": self.total,
                "breadcrumb": self.breadcrumb,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SPAN_POSITION)
        return cls(
            parent_id=members.text("parent_id"),
            index=members.integer("index"),
            total=members.optional_integer("total"),
            breadcrumb=members.text("breadcrumb"),
        )


_SPAN_POSITION = frozenset(["breadcrumb", "index", "parent_id", "total"])


@dataclass(frozen=True, slots=True)
class Node:
    """A row of the graph: an entity, a memory, a document, a chunk.

    content: The body. Answers carry a preview of it, bounded by the request's content_max_chars.
    project: The project that the row sits in; empty for none. It scopes a call, it authorizes
        nothing.
    readers: Who may read the row: principals such as "user:ada", "group:eng", "project:p1",
        "public", or several joined by "&", all of which must be held. Only writers send and admins
        see it; it is never part of an answer to a reader.
    status: Lifecycle: any business status, or one of superseded, retracted, expired, disputed,
        obsolete.
    links: Adjacency fields: field name -> ids of the neighbors, in order. Each is an edge whose
        type is the field's name and which has neither an id nor properties. Answers hold only ids
        of nodes that the caller may read.
    covered: Set by the writer: the row's passages account for its whole content.
    content_truncated: In answers only: the preview was cut.
    span: In answers only, on a span: the memory it was cut from, and where it stands there.
    revision: In answers only: a digest of what this caller may read of the row; a guard for edits.
    """

    id: str
    _: KW_ONLY
    type: str = ""
    name: str = ""
    content: str = ""
    project: str = ""
    readers: Sequence[str] = ()
    status: str = ""
    properties: Properties = _field(default_factory=dict[str, Property])
    links: Links = _field(default_factory=dict[str, Sequence[str]])
    covered: bool = False
    content_truncated: bool = False
    span: SpanPosition | None = None
    revision: str = ""

    def to_message(self) -> types_pb2.Node:
        """The message of this value."""
        try:
            return types_pb2.Node(
                id=self.id,
                type=self.type,
                name=self.name,
                content=self.content,
                project=self.project,
                readers=several(self.readers, "readers"),
                status=self.status,
                properties=to_properties(self.properties),
                links=to_links(self.links),
                covered=self.covered,
                content_truncated=self.content_truncated,
                span=None if self.span is None else self.span.to_message(),
                revision=self.revision,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.Node) -> Self:
        """The value of *message*."""
        return cls(
            id=message.id,
            type=message.type,
            name=message.name,
            content=message.content,
            project=message.project,
            readers=tuple(message.readers),
            status=message.status,
            properties=from_properties(message.properties),
            links=from_links(message.links),
            covered=message.covered,
            content_truncated=message.content_truncated,
            span=SpanPosition.from_message(message.span) if message.HasField("span") else None,
            revision=message.revision,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "id": self.id,
                "type": self.type,
                "name": self.name,
                "content": self.content,
                "project": self.project,
                "readers": list(self.readers),
                "status": self.status,
                "properties": json_properties(self.properties),
                "links": json_links(self.links),
                "covered": self.covered or None,
                "content_truncated": self.content_truncated or None,
                "span": None if self.span is None else self.span.to_dict(),
                "revision": self.revision,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _NODE)
        return cls(
            id=members.text("id"),
            type=members.text("type"),
            name=members.text("name"),
            content=members.text("content"),
            project=members.text("project"),
            readers=members.texts("readers"),
            status=members.text("status"),
            properties=members.properties("properties"),
            links=members.links("links"),
            covered=members.flag("covered"),
            content_truncated=members.flag("content_truncated"),
            span=members.record("span", SpanPosition.from_dict),
            revision=members.text("revision"),
        )


_NODE = frozenset(
    ["content", "content_truncated", "covered", "id", "links", "name", "project", "properties", "readers", "revision", "span", "status", "type"],
)


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge document: typed, weighted, with its own validity, provenance and readers.

    id: Required in a put. Empty, in answers, on an edge that comes from a link or a span.
    weight: Finite and >= 0. Absent: the type's default weight, else 1.
    readers: Besides both ends, who may read the edge; empty: whoever may read both ends. Admins
        alone see it.
    """

    source: str
    target: str
    _: KW_ONLY
    id: str = ""
    type: str = ""
    weight: float | None = None
    properties: Properties = _field(default_factory=dict[str, Property])
    readers: Sequence[str] = ()

    def to_message(self) -> types_pb2.Edge:
        """The message of this value."""
        try:
            return types_pb2.Edge(
                source=self.source,
                target=self.target,
                id=self.id,
                type=self.type,
                weight=self.weight,
                properties=to_properties(self.properties),
                readers=several(self.readers, "readers"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.Edge) -> Self:
        """The value of *message*."""
        return cls(
            source=message.source,
            target=message.target,
            id=message.id,
            type=message.type,
            weight=message.weight if message.HasField("weight") else None,
            properties=from_properties(message.properties),
            readers=tuple(message.readers),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "source": self.source,
                "target": self.target,
                "id": self.id,
                "type": self.type,
                "weight": self.weight,
                "properties": json_properties(self.properties),
                "readers": list(self.readers),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _EDGE)
        return cls(
            source=members.text("source"),
            target=members.text("target"),
            id=members.text("id"),
            type=members.text("type"),
            weight=members.optional_number("weight"),
            properties=members.properties("properties"),
            readers=members.texts("readers"),
        )


_EDGE = frozenset(["id", "properties", "readers", "source", "target", "type", "weight"])


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of a memory's text. Loading one makes a node, an edge PART_OF to its parent, and an
    edge MENTIONS to each mentioned node.

    type: "passage" when empty.
    readers: Narrows the parent's readers; it never widens them.
    total: How many spans the memory was cut into, as the writer counts them.
    """

    id: str
    parent_id: str
    _: KW_ONLY
    index: int = 0
    name: str = ""
    content: str = ""
    breadcrumb: str = ""
    mentions: Sequence[str] = ()
    properties: Properties = _field(default_factory=dict[str, Property])
    type: str = ""
    readers: Sequence[str] = ()
    total: int | None = None

    def to_message(self) -> types_pb2.Passage:
        """The message of this value."""
        try:
            return types_pb2.Passage(
                id=self.id,
                parent_id=self.parent_id,
                index=self.index,
                name=self.name,
                content=self.content,
                breadcrumb=self.breadcrumb,
                mentions=several(self.mentions, "mentions"),
                properties=to_properties(self.properties),
                type=self.type,
                readers=several(self.readers, "readers"),
                total=self.total,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.Passage) -> Self:
        """The value of *message*."""
        return cls(
            id=message.id,
            parent_id=message.parent_id,
            index=message.index,
            name=message.name,
            content=message.content,
            breadcrumb=message.breadcrumb,
            mentions=tuple(message.mentions),
            properties=from_properties(message.properties),
            type=message.type,
            readers=tuple(message.readers),
            total=message.total if message.HasField("total") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "id": self.id,
                "parent_id": self.parent_id,
                "index": self.index,
                "name": self.name,
                "content": self.content,
                "breadcrumb": self.breadcrumb,
                "mentions": list(self.mentions),
                "properties": json_properties(self.properties),
                "type": self.type,
                "readers": list(self.readers),
                "total": self.total,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _PASSAGE)
        return cls(
            id=members.text("id"),
            parent_id=members.text("parent_id"),
            index=members.integer("index"),
            name=members.text("name"),
            content=members.text("content"),
            breadcrumb=members.text("breadcrumb"),
            mentions=members.texts("mentions"),
            properties=members.properties("properties"),
            type=members.text("type"),
            readers=members.texts("readers"),
            total=members.optional_integer("total"),
        )


_PASSAGE = frozenset(
    ["breadcrumb", "content", "id", "index", "mentions", "name", "parent_id", "properties", "readers", "total", "type"],
)


@dataclass(frozen=True, slots=True)
class NodeType:
    """NodeType of the contract.

    prefix: of its handles, such as "DSC"
    indexed: absent is true; false: walked and read, never found by Search
    """

    name: str = ""
    _: KW_ONLY
    prefix: str = ""
    description: str = ""
    indexed: bool | None = None

    def to_message(self) -> types_pb2.Ontology.NodeType:
        """The message of this value."""
        try:
            return types_pb2.Ontology.NodeType(
                name=self.name,
                prefix=self.prefix,
                description=self.description,
                indexed=self.indexed,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.Ontology.NodeType) -> Self:
        """The value of *message*."""
        return cls(
            name=message.name,
            prefix=message.prefix,
            description=message.description,
            indexed=message.indexed if message.HasField("indexed") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "name": self.name,
                "prefix": self.prefix,
                "description": self.description,
                "indexed": self.indexed,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _NODE_TYPE)
        return cls(
            name=members.text("name"),
            prefix=members.text("prefix"),
            description=members.text("description"),
            indexed=members.optional_flag("indexed"),
        )


_NODE_TYPE = frozenset(["description", "indexed", "name", "prefix"])


@dataclass(frozen=True, slots=True)
class EdgeType:
    """EdgeType of the contract.

    default_weight: of an edge that has none; absent is 1
    agents_walk: the way that agent verbs walk it; unspecified: both
    """

    name: str = ""
    _: KW_ONLY
    description: str = ""
    default_weight: float | None = None
    agents_walk: Direction | None = None

    def to_message(self) -> types_pb2.Ontology.EdgeType:
        """The message of this value."""
        try:
            return types_pb2.Ontology.EdgeType(
                name=self.name,
                description=self.description,
                default_weight=self.default_weight,
                agents_walk=_numbers.number(_numbers.DIRECTION, self.agents_walk, "agents_walk"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.Ontology.EdgeType) -> Self:
        """The value of *message*."""
        return cls(
            name=message.name,
            description=message.description,
            default_weight=message.default_weight if message.HasField("default_weight") else None,
            agents_walk=_numbers.word(_numbers.DIRECTION, message.agents_walk),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "name": self.name,
                "description": self.description,
                "default_weight": self.default_weight,
                "agents_walk": self.agents_walk,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _EDGE_TYPE)
        return cls(
            name=members.text("name"),
            description=members.text("description"),
            default_weight=members.optional_number("default_weight"),
            agents_walk=members.choice("agents_walk", _numbers.DIRECTION, "direction_"),
        )


_EDGE_TYPE = frozenset(["agents_walk", "default_weight", "description", "name"])


@dataclass(frozen=True, slots=True)
class Route:
    """Route of the contract.

    edge_types: empty: any
    """

    source_type: str = ""
    target_types: Sequence[str] = ()
    _: KW_ONLY
    edge_types: Sequence[str] = ()

    def to_message(self) -> types_pb2.Ontology.Route:
        """The message of this value."""
        try:
            return types_pb2.Ontology.Route(
                source_type=self.source_type,
                target_types=several(self.target_types, "target_types"),
                edge_types=several(self.edge_types, "edge_types"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.Ontology.Route) -> Self:
        """The value of *message*."""
        return cls(
            source_type=message.source_type,
            target_types=tuple(message.target_types),
            edge_types=tuple(message.edge_types),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "source_type": self.source_type,
                "target_types": list(self.target_types),
                "edge_types": list(self.edge_types),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _ROUTE)
        return cls(
            source_type=members.text("source_type"),
            target_types=members.texts("target_types"),
            edge_types=members.texts("edge_types"),
        )


_ROUTE = frozenset(["edge_types", "source_type", "target_types"])


@dataclass(frozen=True, slots=True)
class Ontology:
    """The map of a collection: which types there are and which may connect. Holds no live rows."""

    _: KW_ONLY
    node_types: Sequence[NodeType] = ()
    edge_types: Sequence[EdgeType] = ()
    routes: Sequence[Route] = ()

    def to_message(self) -> types_pb2.Ontology:
        """The message of this value."""
        try:
            return types_pb2.Ontology(
                node_types=[item.to_message() for item in self.node_types],
                edge_types=[item.to_message() for item in self.edge_types],
                routes=[item.to_message() for item in self.routes],
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: types_pb2.Ontology) -> Self:
        """The value of *message*."""
        return cls(
            node_types=tuple([NodeType.from_message(item) for item in message.node_types]),
            edge_types=tuple([EdgeType.from_message(item) for item in message.edge_types]),
            routes=tuple([Route.from_message(item) for item in message.routes]),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "node_types": [item.to_dict() for item in self.node_types],
                "edge_types": [item.to_dict() for item in self.edge_types],
                "routes": [item.to_dict() for item in self.routes],
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _ONTOLOGY)
        return cls(
            node_types=members.records("node_types", NodeType.from_dict),
            edge_types=members.records("edge_types", EdgeType.from_dict),
            routes=members.records("routes", Route.from_dict),
        )


_ONTOLOGY = frozenset(["edge_types", "node_types", "routes"])


@dataclass(frozen=True, slots=True)
class Query:
    """What to search for. At least one of text, vector and filter.

    vars: win over the request's own
    limit: absent: 10, in Context 8; at most 10000, in Context 64; 0 in Search: totals only,
        elsewhere refused
    vector_field: empty: the collection's only one
    sort: field names, "-" before one for descending; not with weight in a seed group
    rescore: gives the score, such as "score * log1p(pagerank)"
    text_fields: empty: name, content and every text field
    max_edits: 0-2: a word also meets words within that many edits, first letter kept
    also: up to 4 more lists for the same fusion: text, text_fields, max_edits, vector, vector_field
    """

    text: str = ""
    _: KW_ONLY
    vector: Sequence[float] = ()
    filter: str = ""
    vars: Properties = _field(default_factory=dict[str, Property])
    types: Sequence[str] = ()
    limit: int | None = None
    vector_field: str = ""
    sort: Sequence[str] = ()
    rescore: str = ""
    text_fields: Sequence[str] = ()
    max_edits: int = 0
    also: Sequence[Query] = ()

    def to_message(self) -> query_pb2.Query:
        """The message of this value."""
        try:
            return query_pb2.Query(
                text=self.text,
                vector=self.vector,
                filter=self.filter,
                vars=to_properties(self.vars),
                types=several(self.types, "types"),
                limit=self.limit,
                vector_field=self.vector_field,
                sort=several(self.sort, "sort"),
                rescore=self.rescore,
                text_fields=several(self.text_fields, "text_fields"),
                max_edits=self.max_edits,
                also=[item.to_message() for item in self.also],
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: query_pb2.Query) -> Self:
        """The value of *message*."""
        return cls(
            text=message.text,
            vector=tuple(message.vector),
            filter=message.filter,
            vars=from_properties(message.vars),
            types=tuple(message.types),
            limit=message.limit if message.HasField("limit") else None,
            vector_field=message.vector_field,
            sort=tuple(message.sort),
            rescore=message.rescore,
            text_fields=tuple(message.text_fields),
            max_edits=message.max_edits,
            also=tuple([Query.from_message(item) for item in message.also]),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "text": self.text,
                "vector": list(self.vector),
                "filter": self.filter,
                "vars": json_properties(self.vars),
                "types": list(self.types),
                "limit": self.limit,
                "vector_field": self.vector_field,
                "sort": list(self.sort),
                "rescore": self.rescore,
                "text_fields": list(self.text_fields),
                "max_edits": self.max_edits,
                "also": [item.to_dict() for item in self.also],
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _QUERY)
        return cls(
            text=members.text("text"),
            vector=members.numbers("vector"),
            filter=members.text("filter"),
            vars=members.properties("vars"),
            types=members.texts("types"),
            limit=members.optional_integer("limit"),
            vector_field=members.text("vector_field"),
            sort=members.texts("sort"),
            rescore=members.text("rescore"),
            text_fields=members.texts("text_fields"),
            max_edits=members.integer("max_edits"),
            also=members.records("also", Query.from_dict),
        )


_QUERY = frozenset(
    ["also", "filter", "limit", "max_edits", "rescore", "sort", "text", "text_fields", "types", "vars", "vector", "vector_field"],
)


@dataclass(frozen=True, slots=True)
class EdgeSpec:
    """Which edges a step may use.

    types: edge types and adjacency fields; empty: every one
    direction: unspecified: OUT in Expand and Analyze, BOTH in Paths
    filter: over the edge's type, weight, id, source, target and properties
    weight_property: a numeric property instead of the edge's weight
    max_frontier: Paths: new nodes that this spec may add to one level; 0: no cap
    """

    types: Sequence[str] = ()
    _: KW_ONLY
    direction: Direction | None = None
    filter: str = ""
    weight_property: str = ""
    max_frontier: int = 0

    def to_message(self) -> query_pb2.EdgeSpec:
        """The message of this value."""
        try:
            return query_pb2.EdgeSpec(
                types=several(self.types, "types"),
                direction=_numbers.number(_numbers.DIRECTION, self.direction, "direction"),
                filter=self.filter,
                weight_property=self.weight_property,
                max_frontier=self.max_frontier,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: query_pb2.EdgeSpec) -> Self:
        """The value of *message*."""
        return cls(
            types=tuple(message.types),
            direction=_numbers.word(_numbers.DIRECTION, message.direction),
            filter=message.filter,
            weight_property=message.weight_property,
            max_frontier=message.max_frontier,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "types": list(self.types),
                "direction": self.direction,
                "filter": self.filter,
                "weight_property": self.weight_property,
                "max_frontier": self.max_frontier,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _EDGE_SPEC)
        return cls(
            types=members.texts("types"),
            direction=members.choice("direction", _numbers.DIRECTION, "direction_"),
            filter=members.text("filter"),
            weight_property=members.text("weight_property"),
            max_frontier=members.integer("max_frontier"),
        )


_EDGE_SPEC = frozenset(["direction", "filter", "max_frontier", "types", "weight_property"])


@dataclass(frozen=True, slots=True)
class Facet:
    """Counts of values over every matched row, not only over the page returned.

    limit: absent: 10; -1: all
    """

    field: str = ""
    _: KW_ONLY
    limit: int | None = None

    def to_message(self) -> query_pb2.Facet:
        """The message of this value."""
        try:
            return query_pb2.Facet(field=self.field, limit=self.limit)
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: query_pb2.Facet) -> Self:
        """The value of *message*."""
        return cls(field=message.field, limit=message.limit if message.HasField("limit") else None)

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "field": self.field,
                "limit": self.limit,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _FACET)
        return cls(field=members.text("field"), limit=members.optional_integer("limit"))


_FACET = frozenset(["field", "limit"])


@dataclass(frozen=True, slots=True)
class Bucket:
    """Bucket of the contract."""

    _: KW_ONLY
    value: str = ""
    count: int = 0

    def to_message(self) -> query_pb2.FacetResult.Bucket:
        """The message of this value."""
        try:
            return query_pb2.FacetResult.Bucket(value=self.value, count=self.count)
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: query_pb2.FacetResult.Bucket) -> Self:
        """The value of *message*."""
        return cls(value=message.value, count=message.count)

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "value": self.value,
                "count": self.count,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _BUCKET)
        return cls(value=members.text("value"), count=members.integer("count"))


_BUCKET = frozenset(["count", "value"])


@dataclass(frozen=True, slots=True)
class FacetResult:
    """FacetResult of the contract.

    buckets: by count, then by value
    """

    _: KW_ONLY
    buckets: Sequence[Bucket] = ()

    def to_message(self) -> query_pb2.FacetResult:
        """The message of this value."""
        try:
            return query_pb2.FacetResult(buckets=[item.to_message() for item in self.buckets])
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: query_pb2.FacetResult) -> Self:
        """The value of *message*."""
        return cls(buckets=tuple([Bucket.from_message(item) for item in message.buckets]))

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "buckets": [item.to_dict() for item in self.buckets],
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _FACET_RESULT)
        return cls(buckets=members.records("buckets", Bucket.from_dict))


_FACET_RESULT = frozenset(["buckets"])


@dataclass(frozen=True, slots=True)
class Metric:
    """One number over every matched row; in the answer a Value, no key when there is nothing to
    measure.
    """

    field: str = ""
    op: MetricOp | None = None

    def to_message(self) -> query_pb2.Metric:
        """The message of this value."""
        try:
            return query_pb2.Metric(
                field=self.field,
                op=_numbers.number(_numbers.METRIC_OP, self.op, "op"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: query_pb2.Metric) -> Self:
        """The value of *message*."""
        return cls(field=message.field, op=_numbers.word(_numbers.METRIC_OP, message.op))

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "field": self.field,
                "op": self.op,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _METRIC)
        return cls(field=members.text("field"), op=members.choice("op", _numbers.METRIC_OP, "op_"))


_METRIC = frozenset(["field", "op"])


@dataclass(frozen=True, slots=True)
class TextPageRequest:
    """TextPageRequest of the contract.

    property: "content", or a string property
    offset: in characters (Unicode code points)
    sha256: of the whole text, from the page before; empty at offset 0
    max_chars: 1-50000; absent is 18000
    token_budget: 256-32768, instead of max_chars
    """

    property: str = ""
    _: KW_ONLY
    offset: int = 0
    sha256: str = ""
    max_chars: int | None = None
    token_budget: int | None = None

    def to_message(self) -> read_pb2.TextPageRequest:
        """The message of this value."""
        try:
            return read_pb2.TextPageRequest(
                property=self.property,
                offset=self.offset,
                sha256=self.sha256,
                max_chars=self.max_chars,
                token_budget=self.token_budget,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.TextPageRequest) -> Self:
        """The value of *message*."""
        return cls(
            property=message.property,
            offset=message.offset,
            sha256=message.sha256,
            max_chars=message.max_chars if message.HasField("max_chars") else None,
            token_budget=message.token_budget if message.HasField("token_budget") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "property": self.property,
                "offset": self.offset,
                "sha256": self.sha256,
                "max_chars": self.max_chars,
                "token_budget": self.token_budget,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _TEXT_PAGE_REQUEST)
        return cls(
            property=members.text("property"),
            offset=members.integer("offset"),
            sha256=members.text("sha256"),
            max_chars=members.optional_integer("max_chars"),
            token_budget=members.optional_integer("token_budget"),
        )


_TEXT_PAGE_REQUEST = frozenset(["max_chars", "offset", "property", "sha256", "token_budget"])


@dataclass(frozen=True, slots=True)
class TextPage:
    """TextPage of the contract.

    next_offset: absent at the end of the text
    sha256: lower-case hex, of the text as UTF-8
    truncated: this page is not the whole text
    """

    _: KW_ONLY
    text: str = ""
    offset: int = 0
    next_offset: int | None = None
    total_chars: int = 0
    sha256: str = ""
    truncated: bool = False

    def to_message(self) -> read_pb2.TextPage:
        """The message of this value."""
        try:
            return read_pb2.TextPage(
                text=self.text,
                offset=self.offset,
                next_offset=self.next_offset,
                total_chars=self.total_chars,
                sha256=self.sha256,
                truncated=self.truncated,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.TextPage) -> Self:
        """The value of *message*."""
        return cls(
            text=message.text,
            offset=message.offset,
            next_offset=message.next_offset if message.HasField("next_offset") else None,
            total_chars=message.total_chars,
            sha256=message.sha256,
            truncated=message.truncated,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "text": self.text,
                "offset": self.offset,
                "next_offset": self.next_offset,
                "total_chars": self.total_chars,
                "sha256": self.sha256,
                "truncated": self.truncated or None,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _TEXT_PAGE)
        return cls(
            text=members.text("text"),
            offset=members.integer("offset"),
            next_offset=members.optional_integer("next_offset"),
            total_chars=members.integer("total_chars"),
            sha256=members.text("sha256"),
            truncated=members.flag("truncated"),
        )


_TEXT_PAGE = frozenset(["next_offset", "offset", "sha256", "text", "total_chars", "truncated"])


@dataclass(frozen=True, slots=True)
class SliceResponse:
    """SliceResponse of the contract."""

    _: KW_ONLY
    version: str = ""
    id: str = ""
    parent_id: str = ""
    parent_name: str = ""
    parent_type: str = ""
    passages: Sequence[Node] = ()
    window: int = 0
    sliced: bool = False
    total: int = 0
    window_start: int | None = None
    passage_total: int | None = None
    covers_parent: bool = False
    project: str = ""
    content_chars: int = 0
    page: TextPage | None = None
    applied: Mapping[str, int] = _field(default_factory=dict[str, int])
    took_us: int = 0

    def to_message(self) -> read_pb2.SliceResponse:
        """The message of this value."""
        try:
            return read_pb2.SliceResponse(
                version=self.version,
                id=self.id,
                parent_id=self.parent_id,
                parent_name=self.parent_name,
                parent_type=self.parent_type,
                passages=[item.to_message() for item in self.passages],
                window=self.window,
                sliced=self.sliced,
                total=self.total,
                window_start=self.window_start,
                passage_total=self.passage_total,
                covers_parent=self.covers_parent,
                project=self.project,
                content_chars=self.content_chars,
                page=None if self.page is None else self.page.to_message(),
                applied=self.applied,
                took_us=self.took_us,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.SliceResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            id=message.id,
            parent_id=message.parent_id,
            parent_name=message.parent_name,
            parent_type=message.parent_type,
            passages=tuple([Node.from_message(item) for item in message.passages]),
            window=message.window,
            sliced=message.sliced,
            total=message.total,
            window_start=message.window_start if message.HasField("window_start") else None,
            passage_total=message.passage_total if message.HasField("passage_total") else None,
            covers_parent=message.covers_parent,
            project=message.project,
            content_chars=message.content_chars,
            page=TextPage.from_message(message.page) if message.HasField("page") else None,
            applied=dict(sorted(message.applied.items())),
            took_us=message.took_us,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "id": self.id,
                "parent_id": self.parent_id,
                "parent_name": self.parent_name,
                "parent_type": self.parent_type,
                "passages": [item.to_dict() for item in self.passages],
                "window": self.window,
                "sliced": self.sliced or None,
                "total": self.total,
                "window_start": self.window_start,
                "passage_total": self.passage_total,
                "covers_parent": self.covers_parent or None,
                "project": self.project,
                "content_chars": self.content_chars,
                "page": None if self.page is None else self.page.to_dict(),
                "applied": dict(self.applied),
                "took_us": self.took_us,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SLICE_RESPONSE)
        return cls(
            version=members.text("version"),
            id=members.text("id"),
            parent_id=members.text("parent_id"),
            parent_name=members.text("parent_name"),
            parent_type=members.text("parent_type"),
            passages=members.records("passages", Node.from_dict),
            window=members.integer("window"),
            sliced=members.flag("sliced"),
            total=members.integer("total"),
            window_start=members.optional_integer("window_start"),
            passage_total=members.optional_integer("passage_total"),
            covers_parent=members.flag("covers_parent"),
            project=members.text("project"),
            content_chars=members.integer("content_chars"),
            page=members.record("page", TextPage.from_dict),
            applied=members.plain_map("applied", int),
            took_us=members.integer("took_us"),
        )


_SLICE_RESPONSE = frozenset(
    ["applied", "content_chars", "covers_parent", "id", "page", "parent_id", "parent_name", "parent_type", "passage_total", "passages", "project", "sliced", "took_us", "total", "version", "window", "window_start"],
)


@dataclass(frozen=True, slots=True)
class LookupResponse:
    """LookupResponse of the contract."""

    _: KW_ONLY
    version: str = ""
    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    total: int = 0
    next_page_token: str = ""
    facets: Mapping[str, FacetResult] = _field(default_factory=dict[str, FacetResult])
    metrics: Properties = _field(default_factory=dict[str, Property])
    timed_out: bool = False
    applied: Mapping[str, int] = _field(default_factory=dict[str, int])
    took_us: int = 0

    def to_message(self) -> read_pb2.LookupResponse:
        """The message of this value."""
        try:
            return read_pb2.LookupResponse(
                version=self.version,
                nodes=[item.to_message() for item in self.nodes],
                edges=[item.to_message() for item in self.edges],
                total=self.total,
                next_page_token=self.next_page_token,
                facets={key: item.to_message() for key, item in self.facets.items()},
                metrics=to_properties(self.metrics),
                timed_out=self.timed_out,
                applied=self.applied,
                took_us=self.took_us,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.LookupResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            nodes=tuple([Node.from_message(item) for item in message.nodes]),
            edges=tuple([Edge.from_message(item) for item in message.edges]),
            total=message.total,
            next_page_token=message.next_page_token,
            facets={key: FacetResult.from_message(item) for key, item in sorted(message.facets.items())},
            metrics=from_properties(message.metrics),
            timed_out=message.timed_out,
            applied=dict(sorted(message.applied.items())),
            took_us=message.took_us,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "nodes": [item.to_dict() for item in self.nodes],
                "edges": [item.to_dict() for item in self.edges],
                "total": self.total,
                "next_page_token": self.next_page_token,
                "facets": {key: item.to_dict() for key, item in self.facets.items()},
                "metrics": json_properties(self.metrics),
                "timed_out": self.timed_out or None,
                "applied": dict(self.applied),
                "took_us": self.took_us,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _LOOKUP_RESPONSE)
        return cls(
            version=members.text("version"),
            nodes=members.records("nodes", Node.from_dict),
            edges=members.records("edges", Edge.from_dict),
            total=members.integer("total"),
            next_page_token=members.text("next_page_token"),
            facets=members.record_map("facets", FacetResult.from_dict),
            metrics=members.properties("metrics"),
            timed_out=members.flag("timed_out"),
            applied=members.plain_map("applied", int),
            took_us=members.integer("took_us"),
        )


_LOOKUP_RESPONSE = frozenset(
    ["applied", "edges", "facets", "metrics", "next_page_token", "nodes", "timed_out", "took_us", "total", "version"],
)


@dataclass(frozen=True, slots=True)
class GetResponse:
    """GetResponse of the contract.

    nodes: each once, in the order asked
    unresolved: each once; absent or not readable: the answer does not say which
    """

    _: KW_ONLY
    version: str = ""
    nodes: Sequence[Node] = ()
    unresolved: Sequence[str] = ()

    def to_message(self) -> read_pb2.GetResponse:
        """The message of this value."""
        try:
            return read_pb2.GetResponse(
                version=self.version,
                nodes=[item.to_message() for item in self.nodes],
                unresolved=several(self.unresolved, "unresolved"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.GetResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            nodes=tuple([Node.from_message(item) for item in message.nodes]),
            unresolved=tuple(message.unresolved),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "nodes": [item.to_dict() for item in self.nodes],
                "unresolved": list(self.unresolved),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _GET_RESPONSE)
        return cls(
            version=members.text("version"),
            nodes=members.records("nodes", Node.from_dict),
            unresolved=members.texts("unresolved"),
        )


_GET_RESPONSE = frozenset(["nodes", "unresolved", "version"])


@dataclass(frozen=True, slots=True)
class ObservedType:
    """ObservedType of the contract."""

    _: KW_ONLY
    name: str = ""
    count: int = 0

    def to_message(self) -> read_pb2.ObservedType:
        """The message of this value."""
        try:
            return read_pb2.ObservedType(name=self.name, count=self.count)
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.ObservedType) -> Self:
        """The value of *message*."""
        return cls(name=message.name, count=message.count)

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "name": self.name,
                "count": self.count,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _OBSERVED_TYPE)
        return cls(name=members.text("name"), count=members.integer("count"))


_OBSERVED_TYPE = frozenset(["count", "name"])


@dataclass(frozen=True, slots=True)
class ObservedRoute:
    """ObservedRoute of the contract."""

    _: KW_ONLY
    source_type: str = ""
    edge_type: str = ""
    target_type: str = ""
    count: int = 0

    def to_message(self) -> read_pb2.ObservedRoute:
        """The message of this value."""
        try:
            return read_pb2.ObservedRoute(
                source_type=self.source_type,
                edge_type=self.edge_type,
                target_type=self.target_type,
                count=self.count,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.ObservedRoute) -> Self:
        """The value of *message*."""
        return cls(
            source_type=message.source_type,
            edge_type=message.edge_type,
            target_type=message.target_type,
            count=message.count,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "source_type": self.source_type,
                "edge_type": self.edge_type,
                "target_type": self.target_type,
                "count": self.count,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _OBSERVED_ROUTE)
        return cls(
            source_type=members.text("source_type"),
            edge_type=members.text("edge_type"),
            target_type=members.text("target_type"),
            count=members.integer("count"),
        )


_OBSERVED_ROUTE = frozenset(["count", "edge_type", "source_type", "target_type"])


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """FieldInfo of the contract."""

    _: KW_ONLY
    name: str = ""
    kind: FieldKind | None = None
    repeated: bool = False
    declared: bool = False

    def to_message(self) -> read_pb2.FieldInfo:
        """The message of this value."""
        try:
            return read_pb2.FieldInfo(
                name=self.name,
                kind=_numbers.number(_numbers.FIELD_KIND, self.kind, "kind"),
                repeated=self.repeated,
                declared=self.declared,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.FieldInfo) -> Self:
        """The value of *message*."""
        return cls(
            name=message.name,
            kind=_numbers.word(_numbers.FIELD_KIND, message.kind),
            repeated=message.repeated,
            declared=message.declared,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "name": self.name,
                "kind": self.kind,
                "repeated": self.repeated or None,
                "declared": self.declared or None,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _FIELD_INFO)
        return cls(
            name=members.text("name"),
            kind=members.choice("kind", _numbers.FIELD_KIND, "field_kind_"),
            repeated=members.flag("repeated"),
            declared=members.flag("declared"),
        )


_FIELD_INFO = frozenset(["declared", "kind", "name", "repeated"])


@dataclass(frozen=True, slots=True)
class DescribeResponse:
    """DescribeResponse of the contract.

    ontology: as declared: the same for every caller
    types: What follows is over the rows that this caller may read.
    revision: of the ontology; changes when it does
    """

    _: KW_ONLY
    version: str = ""
    collection: str = ""
    description: str = ""
    ontology: Ontology | None = None
    types: Sequence[ObservedType] = ()
    routes: Sequence[ObservedRoute] = ()
    fields: Sequence[FieldInfo] = ()
    revision: str = ""
    collections: Sequence[str] = ()

    def to_message(self) -> read_pb2.DescribeResponse:
        """The message of this value."""
        try:
            return read_pb2.DescribeResponse(
                version=self.version,
                collection=self.collection,
                description=self.description,
                ontology=None if self.ontology is None else self.ontology.to_message(),
                types=[item.to_message() for item in self.types],
                routes=[item.to_message() for item in self.routes],
                fields=[item.to_message() for item in self.fields],
                revision=self.revision,
                collections=several(self.collections, "collections"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: read_pb2.DescribeResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            collection=message.collection,
            description=message.description,
            ontology=Ontology.from_message(message.ontology) if message.HasField("ontology") else None,
            types=tuple([ObservedType.from_message(item) for item in message.types]),
            routes=tuple([ObservedRoute.from_message(item) for item in message.routes]),
            fields=tuple([FieldInfo.from_message(item) for item in message.fields]),
            revision=message.revision,
            collections=tuple(message.collections),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "collection": self.collection,
                "description": self.description,
                "ontology": None if self.ontology is None else self.ontology.to_dict(),
                "types": [item.to_dict() for item in self.types],
                "routes": [item.to_dict() for item in self.routes],
                "fields": [item.to_dict() for item in self.fields],
                "revision": self.revision,
                "collections": list(self.collections),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _DESCRIBE_RESPONSE)
        return cls(
            version=members.text("version"),
            collection=members.text("collection"),
            description=members.text("description"),
            ontology=members.record("ontology", Ontology.from_dict),
            types=members.records("types", ObservedType.from_dict),
            routes=members.records("routes", ObservedRoute.from_dict),
            fields=members.records("fields", FieldInfo.from_dict),
            revision=members.text("revision"),
            collections=members.texts("collections"),
        )


_DESCRIBE_RESPONSE = frozenset(
    ["collection", "collections", "description", "fields", "ontology", "revision", "routes", "types", "version"],
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An exact piece of a longer text.

    id: of the row
    sha256: of the whole text, as paging takes it
    """

    _: KW_ONLY
    id: str = ""
    property: str = ""
    text: str = ""
    offset: int = 0
    end: int = 0
    total_chars: int = 0
    sha256: str = ""

    def to_message(self) -> search_pb2.Excerpt:
        """The message of this value."""
        try:
            return search_pb2.Excerpt(
                id=self.id,
                property=self.property,
                text=self.text,
                offset=self.offset,
                end=self.end,
                total_chars=self.total_chars,
                sha256=self.sha256,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: search_pb2.Excerpt) -> Self:
        """The value of *message*."""
        return cls(
            id=message.id,
            property=message.property,
            text=message.text,
            offset=message.offset,
            end=message.end,
            total_chars=message.total_chars,
            sha256=message.sha256,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "id": self.id,
                "property": self.property,
                "text": self.text,
                "offset": self.offset,
                "end": self.end,
                "total_chars": self.total_chars,
                "sha256": self.sha256,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _EXCERPT)
        return cls(
            id=members.text("id"),
            property=members.text("property"),
            text=members.text("text"),
            offset=members.integer("offset"),
            end=members.integer("end"),
            total_chars=members.integer("total_chars"),
            sha256=members.text("sha256"),
        )


_EXCERPT = frozenset(["end", "id", "offset", "property", "sha256", "text", "total_chars"])


@dataclass(frozen=True, slots=True)
class SearchHit:
    """SearchHit of the contract.

    matched: "lexical", "vector", "identifier"
    """

    _: KW_ONLY
    node: Node | None = None
    score: float = 0.0
    matched: Sequence[str] = ()
    excerpt: Excerpt | None = None

    def to_message(self) -> search_pb2.SearchHit:
        """The message of this value."""
        try:
            return search_pb2.SearchHit(
                node=None if self.node is None else self.node.to_message(),
                score=self.score,
                matched=several(self.matched, "matched"),
                excerpt=None if self.excerpt is None else self.excerpt.to_message(),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: search_pb2.SearchHit) -> Self:
        """The value of *message*."""
        return cls(
            node=Node.from_message(message.node) if message.HasField("node") else None,
            score=message.score,
            matched=tuple(message.matched),
            excerpt=Excerpt.from_message(message.excerpt) if message.HasField("excerpt") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "node": None if self.node is None else self.node.to_dict(),
                "score": self.score,
                "matched": list(self.matched),
                "excerpt": None if self.excerpt is None else self.excerpt.to_dict(),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SEARCH_HIT)
        return cls(
            node=members.record("node", Node.from_dict),
            score=members.number("score"),
            matched=members.texts("matched"),
            excerpt=members.record("excerpt", Excerpt.from_dict),
        )


_SEARCH_HIT = frozenset(["excerpt", "matched", "node", "score"])


@dataclass(frozen=True, slots=True)
class TypeCount:
    """TypeCount of the contract."""

    _: KW_ONLY
    type: str = ""
    count: int = 0

    def to_message(self) -> search_pb2.TypeCount:
        """The message of this value."""
        try:
            return search_pb2.TypeCount(type=self.type, count=self.count)
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: search_pb2.TypeCount) -> Self:
        """The value of *message*."""
        return cls(type=message.type, count=message.count)

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "type": self.type,
                "count": self.count,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _TYPE_COUNT)
        return cls(type=members.text("type"), count=members.integer("count"))


_TYPE_COUNT = frozenset(["count", "type"])


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """SearchResponse of the contract.

    total: rows that matched
    type_hits: the requested types first, then by count, then by name; at most 8
    """

    _: KW_ONLY
    version: str = ""
    hits: Sequence[SearchHit] = ()
    total: int = 0
    truncated: bool = False
    type_hits: Sequence[TypeCount] = ()
    type_hits_omitted: int = 0
    unknown_types: Sequence[str] = ()
    unknown_types_omitted: int = 0
    evidence: Evidence | None = None
    excluded_evidence: int = 0
    facets: Mapping[str, FacetResult] = _field(default_factory=dict[str, FacetResult])
    metrics: Properties = _field(default_factory=dict[str, Property])
    timed_out: bool = False
    applied: Mapping[str, int] = _field(default_factory=dict[str, int])
    took_us: int = 0

    def to_message(self) -> search_pb2.SearchResponse:
        """The message of this value."""
        try:
            return search_pb2.SearchResponse(
                version=self.version,
                hits=[item.to_message() for item in self.hits],
                total=self.total,
                truncated=self.truncated,
                type_hits=[item.to_message() for item in self.type_hits],
                type_hits_omitted=self.type_hits_omitted,
                unknown_types=several(self.unknown_types, "unknown_types"),
                unknown_types_omitted=self.unknown_types_omitted,
                evidence=_numbers.number(_numbers.EVIDENCE, self.evidence, "evidence"),
                excluded_evidence=self.excluded_evidence,
                facets={key: item.to_message() for key, item in self.facets.items()},
                metrics=to_properties(self.metrics),
                timed_out=self.timed_out,
                applied=self.applied,
                took_us=self.took_us,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: search_pb2.SearchResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            hits=tuple([SearchHit.from_message(item) for item in message.hits]),
            total=message.total,
            truncated=message.truncated,
            type_hits=tuple([TypeCount.from_message(item) for item in message.type_hits]),
            type_hits_omitted=message.type_hits_omitted,
            unknown_types=tuple(message.unknown_types),
            unknown_types_omitted=message.unknown_types_omitted,
            evidence=_numbers.word(_numbers.EVIDENCE, message.evidence),
            excluded_evidence=message.excluded_evidence,
            facets={key: FacetResult.from_message(item) for key, item in sorted(message.facets.items())},
            metrics=from_properties(message.metrics),
            timed_out=message.timed_out,
            applied=dict(sorted(message.applied.items())),
            took_us=message.took_us,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "hits": [item.to_dict() for item in self.hits],
                "total": self.total,
                "truncated": self.truncated or None,
                "type_hits": [item.to_dict() for item in self.type_hits],
                "type_hits_omitted": self.type_hits_omitted,
                "unknown_types": list(self.unknown_types),
                "unknown_types_omitted": self.unknown_types_omitted,
                "evidence": self.evidence,
                "excluded_evidence": self.excluded_evidence,
                "facets": {key: item.to_dict() for key, item in self.facets.items()},
                "metrics": json_properties(self.metrics),
                "timed_out": self.timed_out or None,
                "applied": dict(self.applied),
                "took_us": self.took_us,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SEARCH_RESPONSE)
        return cls(
            version=members.text("version"),
            hits=members.records("hits", SearchHit.from_dict),
            total=members.integer("total"),
            truncated=members.flag("truncated"),
            type_hits=members.records("type_hits", TypeCount.from_dict),
            type_hits_omitted=members.integer("type_hits_omitted"),
            unknown_types=members.texts("unknown_types"),
            unknown_types_omitted=members.integer("unknown_types_omitted"),
            evidence=members.choice("evidence", _numbers.EVIDENCE, "evidence_"),
            excluded_evidence=members.integer("excluded_evidence"),
            facets=members.record_map("facets", FacetResult.from_dict),
            metrics=members.properties("metrics"),
            timed_out=members.flag("timed_out"),
            applied=members.plain_map("applied", int),
            took_us=members.integer("took_us"),
        )


_SEARCH_RESPONSE = frozenset(
    ["applied", "evidence", "excluded_evidence", "facets", "hits", "metrics", "timed_out", "took_us", "total", "truncated", "type_hits", "type_hits_omitted", "unknown_types", "unknown_types_omitted", "version"],
)


@dataclass(frozen=True, slots=True)
class ContextResponse:
    """ContextResponse of the contract.

    seeds: id, score and matched; the rows stand in nodes
    token_estimate: of context alone
    response_token_estimate: of the whole answer
    """

    _: KW_ONLY
    version: str = ""
    context: str = ""
    seeds: Sequence[SearchHit] = ()
    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    excerpts: Sequence[Excerpt] = ()
    unresolved: Sequence[str] = ()
    truncated: bool = False
    omitted_nodes: int = 0
    omitted_edges: int = 0
    omitted_properties: int = 0
    expansion_limited: bool = False
    token_estimate: int = 0
    response_token_estimate: int = 0
    type_hits: Sequence[TypeCount] = ()
    type_hits_omitted: int = 0
    unknown_types: Sequence[str] = ()
    unknown_types_omitted: int = 0
    evidence: Evidence | None = None
    excluded_evidence: int = 0
    timed_out: bool = False
    applied: Mapping[str, int] = _field(default_factory=dict[str, int])
    took_us: int = 0

    def to_message(self) -> search_pb2.ContextResponse:
        """The message of this value."""
        try:
            return search_pb2.ContextResponse(
                version=self.version,
                context=self.context,
                seeds=[item.to_message() for item in self.seeds],
                nodes=[item.to_message() for item in self.nodes],
                edges=[item.to_message() for item in self.edges],
                excerpts=[item.to_message() for item in self.excerpts],
                unresolved=several(self.unresolved, "unresolved"),
                truncated=self.truncated,
                omitted_nodes=self.omitted_nodes,
                omitted_edges=self.omitted_edges,
                omitted_properties=self.omitted_properties,
                expansion_limited=self.expansion_limited,
                token_estimate=self.token_estimate,
                response_token_estimate=self.response_token_estimate,
                type_hits=[item.to_message() for item in self.type_hits],
                type_hits_omitted=self.type_hits_omitted,
                unknown_types=several(self.unknown_types, "unknown_types"),
                unknown_types_omitted=self.unknown_types_omitted,
                evidence=_numbers.number(_numbers.EVIDENCE, self.evidence, "evidence"),
                excluded_evidence=self.excluded_evidence,
                timed_out=self.timed_out,
                applied=self.applied,
                took_us=self.took_us,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: search_pb2.ContextResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            context=message.context,
            seeds=tuple([SearchHit.from_message(item) for item in message.seeds]),
            nodes=tuple([Node.from_message(item) for item in message.nodes]),
            edges=tuple([Edge.from_message(item) for item in message.edges]),
            excerpts=tuple([Excerpt.from_message(item) for item in message.excerpts]),
            unresolved=tuple(message.unresolved),
            truncated=message.truncated,
            omitted_nodes=message.omitted_nodes,
            omitted_edges=message.omitted_edges,
            omitted_properties=message.omitted_properties,
            expansion_limited=message.expansion_limited,
            token_estimate=message.token_estimate,
            response_token_estimate=message.response_token_estimate,
            type_hits=tuple([TypeCount.from_message(item) for item in message.type_hits]),
            type_hits_omitted=message.type_hits_omitted,
            unknown_types=tuple(message.unknown_types),
            unknown_types_omitted=message.unknown_types_omitted,
            evidence=_numbers.word(_numbers.EVIDENCE, message.evidence),
            excluded_evidence=message.excluded_evidence,
            timed_out=message.timed_out,
            applied=dict(sorted(message.applied.items())),
            took_us=message.took_us,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "context": self.context,
                "seeds": [item.to_dict() for item in self.seeds],
                "nodes": [item.to_dict() for item in self.nodes],
                "edges": [item.to_dict() for item in self.edges],
                "excerpts": [item.to_dict() for item in self.excerpts],
                "unresolved": list(self.unresolved),
                "truncated": self.truncated or None,
                "omitted_nodes": self.omitted_nodes,
                "omitted_edges": self.omitted_edges,
                "omitted_properties": self.omitted_properties,
                "expansion_limited": self.expansion_limited or None,
                "token_estimate": self.token_estimate,
                "response_token_estimate": self.response_token_estimate,
                "type_hits": [item.to_dict() for item in self.type_hits],
                "type_hits_omitted": self.type_hits_omitted,
                "unknown_types": list(self.unknown_types),
                "unknown_types_omitted": self.unknown_types_omitted,
                "evidence": self.evidence,
                "excluded_evidence": self.excluded_evidence,
                "timed_out": self.timed_out or None,
                "applied": dict(self.applied),
                "took_us": self.took_us,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _CONTEXT_RESPONSE)
        return cls(
            version=members.text("version"),
            context=members.text("context"),
            seeds=members.records("seeds", SearchHit.from_dict),
            nodes=members.records("nodes", Node.from_dict),
            edges=members.records("edges", Edge.from_dict),
            excerpts=members.records("excerpts", Excerpt.from_dict),
            unresolved=members.texts("unresolved"),
            truncated=members.flag("truncated"),
            omitted_nodes=members.integer("omitted_nodes"),
            omitted_edges=members.integer("omitted_edges"),
            omitted_properties=members.integer("omitted_properties"),
            expansion_limited=members.flag("expansion_limited"),
            token_estimate=members.integer("token_estimate"),
            response_token_estimate=members.integer("response_token_estimate"),
            type_hits=members.records("type_hits", TypeCount.from_dict),
            type_hits_omitted=members.integer("type_hits_omitted"),
            unknown_types=members.texts("unknown_types"),
            unknown_types_omitted=members.integer("unknown_types_omitted"),
            evidence=members.choice("evidence", _numbers.EVIDENCE, "evidence_"),
            excluded_evidence=members.integer("excluded_evidence"),
            timed_out=members.flag("timed_out"),
            applied=members.plain_map("applied", int),
            took_us=members.integer("took_us"),
        )


_CONTEXT_RESPONSE = frozenset(
    ["applied", "context", "edges", "evidence", "excerpts", "excluded_evidence", "expansion_limited", "nodes", "omitted_edges", "omitted_nodes", "omitted_properties", "response_token_estimate", "seeds", "timed_out", "token_estimate", "took_us", "truncated", "type_hits", "type_hits_omitted", "unknown_types", "unknown_types_omitted", "unresolved", "version"],
)


@dataclass(frozen=True, slots=True)
class SeedGroup:
    """SeedGroup of the contract.

    ids: Either ids or a query, not both.
    weight: Multiplies the group's starting scores. Absent is 1; > 0.
    """

    ids: Sequence[str] = ()
    _: KW_ONLY
    query: Query | None = None
    weight: float | None = None

    def to_message(self) -> graph_pb2.SeedGroup:
        """The message of this value."""
        try:
            return graph_pb2.SeedGroup(
                ids=several(self.ids, "ids"),
                query=None if self.query is None else self.query.to_message(),
                weight=self.weight,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.SeedGroup) -> Self:
        """The value of *message*."""
        return cls(
            ids=tuple(message.ids),
            query=Query.from_message(message.query) if message.HasField("query") else None,
            weight=message.weight if message.HasField("weight") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "ids": list(self.ids),
                "query": None if self.query is None else self.query.to_dict(),
                "weight": self.weight,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SEED_GROUP)
        return cls(
            ids=members.texts("ids"),
            query=members.record("query", Query.from_dict),
            weight=members.optional_number("weight"),
        )


_SEED_GROUP = frozenset(["ids", "query", "weight"])


@dataclass(frozen=True, slots=True)
class Shared:
    """Edges made of two: both ends point by edge_type at one readable node of type through_type.

    name: the type that the made edge bears, such as SHARES_COMMUNITY
    edge_type: such as BELONGS_TO
    through_type: such as community
    weight: absent is 1
    max_members: one with more readable members makes no edges; 0: 1000
    """

    _: KW_ONLY
    name: str = ""
    edge_type: str = ""
    through_type: str = ""
    weight: float | None = None
    max_members: int = 0

    def to_message(self) -> graph_pb2.Hop.Shared:
        """The message of this value."""
        try:
            return graph_pb2.Hop.Shared(
                name=self.name,
                edge_type=self.edge_type,
                through_type=self.through_type,
                weight=self.weight,
                max_members=self.max_members,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.Hop.Shared) -> Self:
        """The value of *message*."""
        return cls(
            name=message.name,
            edge_type=message.edge_type,
            through_type=message.through_type,
            weight=message.weight if message.HasField("weight") else None,
            max_members=message.max_members,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "name": self.name,
                "edge_type": self.edge_type,
                "through_type": self.through_type,
                "weight": self.weight,
                "max_members": self.max_members,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SHARED)
        return cls(
            name=members.text("name"),
            edge_type=members.text("edge_type"),
            through_type=members.text("through_type"),
            weight=members.optional_number("weight"),
            max_members=members.integer("max_members"),
        )


_SHARED = frozenset(["edge_type", "max_members", "name", "through_type", "weight"])


@dataclass(frozen=True, slots=True)
class Hop:
    """Hop of the contract.

    types: edge types and adjacency fields; empty: every one
    direction: unspecified: OUT in Expand and Analyze, BOTH in Paths
    edge_filter: over the edge's type, weight, id, source, target and properties
    weight_property: a numeric property instead of the edge's weight
    edge_max_frontier: Paths: new nodes that this spec may add to one level; 0: no cap
    decay: > 0; absent is 1
    filter: which reached nodes to keep
    max_per_node: heaviest edges first, then stored order; 0: no cap
    max_frontier: best-scored new nodes kept; 0: no cap
    max_degree: a node with more visible edges than this is not expanded; 0: no cap
    """

    types: Sequence[str] = ()
    _: KW_ONLY
    direction: Direction | None = None
    edge_filter: str = ""
    weight_property: str = ""
    edge_max_frontier: int = 0
    decay: float | None = None
    filter: str = ""
    max_per_node: int = 0
    max_frontier: int = 0
    max_degree: int = 0
    shared: Sequence[Shared] = ()
    edges: InitVar[EdgeSpec | None] = None

    def __post_init__(self, edges: EdgeSpec | None) -> None:
        if edges is not None:
            object.__setattr__(self, "types", edges.types)
            object.__setattr__(self, "direction", edges.direction)
            object.__setattr__(self, "edge_filter", edges.filter)
            object.__setattr__(self, "weight_property", edges.weight_property)
            object.__setattr__(self, "edge_max_frontier", edges.max_frontier)

    def to_message(self) -> graph_pb2.Hop:
        """The message of this value."""
        try:
            return graph_pb2.Hop(
                decay=self.decay,
                filter=self.filter,
                max_per_node=self.max_per_node,
                max_frontier=self.max_frontier,
                max_degree=self.max_degree,
                shared=[item.to_message() for item in self.shared],
                edges=query_pb2.EdgeSpec(types=several(self.types, "types"), direction=_numbers.number(_numbers.DIRECTION, self.direction, "direction"), filter=self.edge_filter, weight_property=self.weight_property, max_frontier=self.edge_max_frontier),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.Hop) -> Self:
        """The value of *message*."""
        return cls(
            types=tuple(message.edges.types),
            direction=_numbers.word(_numbers.DIRECTION, message.edges.direction),
            edge_filter=message.edges.filter,
            weight_property=message.edges.weight_property,
            edge_max_frontier=message.edges.max_frontier,
            decay=message.decay if message.HasField("decay") else None,
            filter=message.filter,
            max_per_node=message.max_per_node,
            max_frontier=message.max_frontier,
            max_degree=message.max_degree,
            shared=tuple([Shared.from_message(item) for item in message.shared]),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "types": list(self.types),
                "direction": self.direction,
                "edge_filter": self.edge_filter,
                "weight_property": self.weight_property,
                "edge_max_frontier": self.edge_max_frontier,
                "decay": self.decay,
                "filter": self.filter,
                "max_per_node": self.max_per_node,
                "max_frontier": self.max_frontier,
                "max_degree": self.max_degree,
                "shared": [item.to_dict() for item in self.shared],
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _HOP)
        return cls(
            types=members.texts("types"),
            direction=members.choice("direction", _numbers.DIRECTION, "direction_"),
            edge_filter=members.text("edge_filter"),
            weight_property=members.text("weight_property"),
            edge_max_frontier=members.integer("edge_max_frontier"),
            decay=members.optional_number("decay"),
            filter=members.text("filter"),
            max_per_node=members.integer("max_per_node"),
            max_frontier=members.integer("max_frontier"),
            max_degree=members.integer("max_degree"),
            shared=members.records("shared", Shared.from_dict),
            edges=members.record("edges", EdgeSpec.from_dict),
        )


_HOP = frozenset(
    ["decay", "direction", "edge_filter", "edge_max_frontier", "edges", "filter", "max_degree", "max_frontier", "max_per_node", "shared", "types", "weight_property"],
)


@dataclass(frozen=True, slots=True)
class PageRank:
    """PageRank of the contract.

    alpha: chance of walking on, 0 to 1; absent is 0.5
    iterations: at most 1000; absent is 50
    tolerance: the change of all ranks together at which it has converged; absent is 1e-6
    undirected: absent is true
    reset_field: numeric; scales each seed's restart weight
    """

    _: KW_ONLY
    alpha: float | None = None
    iterations: int | None = None
    tolerance: float | None = None
    undirected: bool | None = None
    reset_field: str = ""

    def to_message(self) -> graph_pb2.ExpandRequest.PageRank:
        """The message of this value."""
        try:
            return graph_pb2.ExpandRequest.PageRank(
                alpha=self.alpha,
                iterations=self.iterations,
                tolerance=self.tolerance,
                undirected=self.undirected,
                reset_field=self.reset_field,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.ExpandRequest.PageRank) -> Self:
        """The value of *message*."""
        return cls(
            alpha=message.alpha if message.HasField("alpha") else None,
            iterations=message.iterations if message.HasField("iterations") else None,
            tolerance=message.tolerance if message.HasField("tolerance") else None,
            undirected=message.undirected if message.HasField("undirected") else None,
            reset_field=message.reset_field,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "alpha": self.alpha,
                "iterations": self.iterations,
                "tolerance": self.tolerance,
                "undirected": self.undirected,
                "reset_field": self.reset_field,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _PAGE_RANK)
        return cls(
            alpha=members.optional_number("alpha"),
            iterations=members.optional_integer("iterations"),
            tolerance=members.optional_number("tolerance"),
            undirected=members.optional_flag("undirected"),
            reset_field=members.text("reset_field"),
        )


_PAGE_RANK = frozenset(["alpha", "iterations", "reset_field", "tolerance", "undirected"])


@dataclass(frozen=True, slots=True)
class Budget:
    """A connected part of bounded size around the seeds is kept, before ranking; at least one is
    set.

    edge_cost: a node is added while its score is above; absent is 0
    """

    _: KW_ONLY
    nodes: int | None = None
    edges: int | None = None
    edge_cost: float | None = None

    def to_message(self) -> graph_pb2.ExpandRequest.Budget:
        """The message of this value."""
        try:
            return graph_pb2.ExpandRequest.Budget(
                nodes=self.nodes,
                edges=self.edges,
                edge_cost=self.edge_cost,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.ExpandRequest.Budget) -> Self:
        """The value of *message*."""
        return cls(
            nodes=message.nodes if message.HasField("nodes") else None,
            edges=message.edges if message.HasField("edges") else None,
            edge_cost=message.edge_cost if message.HasField("edge_cost") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "nodes": self.nodes,
                "edges": self.edges,
                "edge_cost": self.edge_cost,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _BUDGET)
        return cls(
            nodes=members.optional_integer("nodes"),
            edges=members.optional_integer("edges"),
            edge_cost=members.optional_number("edge_cost"),
        )


_BUDGET = frozenset(["edge_cost", "edges", "nodes"])


@dataclass(frozen=True, slots=True)
class Hit:
    """Hit of the contract.

    via: The predecessor whose single edge gave most. Empty on a seed.
    edge: With `with_edges`: that edge.
    direction: How it runs, seen from via: OUT when it starts there.
    """

    _: KW_ONLY
    node: Node | None = None
    score: float | None = None
    hop: int = 0
    via: str = ""
    edge: Edge | None = None
    direction: Direction | None = None

    def to_message(self) -> graph_pb2.Hit:
        """The message of this value."""
        try:
            return graph_pb2.Hit(
                node=None if self.node is None else self.node.to_message(),
                score=self.score,
                hop=self.hop,
                via=self.via,
                edge=None if self.edge is None else self.edge.to_message(),
                direction=_numbers.number(_numbers.DIRECTION, self.direction, "direction"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.Hit) -> Self:
        """The value of *message*."""
        return cls(
            node=Node.from_message(message.node) if message.HasField("node") else None,
            score=message.score if message.HasField("score") else None,
            hop=message.hop,
            via=message.via,
            edge=Edge.from_message(message.edge) if message.HasField("edge") else None,
            direction=_numbers.word(_numbers.DIRECTION, message.direction),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "node": None if self.node is None else self.node.to_dict(),
                "score": self.score,
                "hop": self.hop,
                "via": self.via,
                "edge": None if self.edge is None else self.edge.to_dict(),
                "direction": self.direction,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _HIT)
        return cls(
            node=members.record("node", Node.from_dict),
            score=members.optional_number("score"),
            hop=members.integer("hop"),
            via=members.text("via"),
            edge=members.record("edge", Edge.from_dict),
            direction=members.choice("direction", _numbers.DIRECTION, "direction_"),
        )


_HIT = frozenset(["direction", "edge", "hop", "node", "score", "via"])


@dataclass(frozen=True, slots=True)
class SubgraphEdge:
    """SubgraphEdge of the contract.

    edge: in the stored direction
    hop: the first hop that followed it
    """

    _: KW_ONLY
    edge: Edge | None = None
    hop: int = 0

    def to_message(self) -> graph_pb2.SubgraphEdge:
        """The message of this value."""
        try:
            return graph_pb2.SubgraphEdge(
                edge=None if self.edge is None else self.edge.to_message(),
                hop=self.hop,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.SubgraphEdge) -> Self:
        """The value of *message*."""
        return cls(
            edge=Edge.from_message(message.edge) if message.HasField("edge") else None,
            hop=message.hop,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "edge": None if self.edge is None else self.edge.to_dict(),
                "hop": self.hop,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SUBGRAPH_EDGE)
        return cls(edge=members.record("edge", Edge.from_dict), hop=members.integer("hop"))


_SUBGRAPH_EDGE = frozenset(["edge", "hop"])


@dataclass(frozen=True, slots=True)
class PageRankRun:
    """PageRankRun of the contract.

    iterations: that ran
    converged: False: ranks still moved by more than the tolerance; raise iterations, or the
        tolerance.
    """

    _: KW_ONLY
    iterations: int = 0
    converged: bool = False

    def to_message(self) -> graph_pb2.ExpandResponse.PageRankRun:
        """The message of this value."""
        try:
            return graph_pb2.ExpandResponse.PageRankRun(
                iterations=self.iterations,
                converged=self.converged,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.ExpandResponse.PageRankRun) -> Self:
        """The value of *message*."""
        return cls(iterations=message.iterations, converged=message.converged)

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "iterations": self.iterations,
                "converged": self.converged or None,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _PAGE_RANK_RUN)
        return cls(iterations=members.integer("iterations"), converged=members.flag("converged"))


_PAGE_RANK_RUN = frozenset(["converged", "iterations"])


@dataclass(frozen=True, slots=True)
class ExpandResponse(SubgraphConversions):
    """ExpandResponse of the contract.

    total: nodes reached that are not hidden by min_hop, include_seeds or return_filter
    truncated: total is more than the hits
    origins: seed ids that resolved, each once, in the order asked
    unresolved: seed ids that did not, without saying why
    applied: Path of each bounded parameter, such as "hops[0].max_frontier", and the value that was
        applied.
    """

    _: KW_ONLY
    version: str = ""
    hits: Sequence[Hit] = ()
    total: int = 0
    truncated: bool = False
    timed_out: bool = False
    origins: Sequence[str] = ()
    unresolved: Sequence[str] = ()
    subgraph: Sequence[SubgraphEdge] = ()
    facets: Mapping[str, FacetResult] = _field(default_factory=dict[str, FacetResult])
    metrics: Properties = _field(default_factory=dict[str, Property])
    search: Sequence[SearchHit] = ()
    ppr: PageRankRun | None = None
    applied: Mapping[str, int] = _field(default_factory=dict[str, int])
    took_us: int = 0

    def to_message(self) -> graph_pb2.ExpandResponse:
        """The message of this value."""
        try:
            return graph_pb2.ExpandResponse(
                version=self.version,
                hits=[item.to_message() for item in self.hits],
                total=self.total,
                truncated=self.truncated,
                timed_out=self.timed_out,
                origins=several(self.origins, "origins"),
                unresolved=several(self.unresolved, "unresolved"),
                subgraph=[item.to_message() for item in self.subgraph],
                facets={key: item.to_message() for key, item in self.facets.items()},
                metrics=to_properties(self.metrics),
                search=[item.to_message() for item in self.search],
                ppr=None if self.ppr is None else self.ppr.to_message(),
                applied=self.applied,
                took_us=self.took_us,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.ExpandResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            hits=tuple([Hit.from_message(item) for item in message.hits]),
            total=message.total,
            truncated=message.truncated,
            timed_out=message.timed_out,
            origins=tuple(message.origins),
            unresolved=tuple(message.unresolved),
            subgraph=tuple([SubgraphEdge.from_message(item) for item in message.subgraph]),
            facets={key: FacetResult.from_message(item) for key, item in sorted(message.facets.items())},
            metrics=from_properties(message.metrics),
            search=tuple([SearchHit.from_message(item) for item in message.search]),
            ppr=PageRankRun.from_message(message.ppr) if message.HasField("ppr") else None,
            applied=dict(sorted(message.applied.items())),
            took_us=message.took_us,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "hits": [item.to_dict() for item in self.hits],
                "total": self.total,
                "truncated": self.truncated or None,
                "timed_out": self.timed_out or None,
                "origins": list(self.origins),
                "unresolved": list(self.unresolved),
                "subgraph": [item.to_dict() for item in self.subgraph],
                "facets": {key: item.to_dict() for key, item in self.facets.items()},
                "metrics": json_properties(self.metrics),
                "search": [item.to_dict() for item in self.search],
                "ppr": None if self.ppr is None else self.ppr.to_dict(),
                "applied": dict(self.applied),
                "took_us": self.took_us,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _EXPAND_RESPONSE)
        return cls(
            version=members.text("version"),
            hits=members.records("hits", Hit.from_dict),
            total=members.integer("total"),
            truncated=members.flag("truncated"),
            timed_out=members.flag("timed_out"),
            origins=members.texts("origins"),
            unresolved=members.texts("unresolved"),
            subgraph=members.records("subgraph", SubgraphEdge.from_dict),
            facets=members.record_map("facets", FacetResult.from_dict),
            metrics=members.properties("metrics"),
            search=members.records("search", SearchHit.from_dict),
            ppr=members.record("ppr", PageRankRun.from_dict),
            applied=members.plain_map("applied", int),
            took_us=members.integer("took_us"),
        )


_EXPAND_RESPONSE = frozenset(
    ["applied", "facets", "hits", "metrics", "origins", "ppr", "search", "subgraph", "timed_out", "took_us", "total", "truncated", "unresolved", "version"],
)


@dataclass(frozen=True, slots=True)
class Path:
    """Path of the contract."""

    _: KW_ONLY
    node_ids: Sequence[str] = ()
    edges: Sequence[Edge] = ()
    length: int = 0
    cost: float = 0.0

    def to_message(self) -> graph_pb2.Path:
        """The message of this value."""
        try:
            return graph_pb2.Path(
                node_ids=several(self.node_ids, "node_ids"),
                edges=[item.to_message() for item in self.edges],
                length=self.length,
                cost=self.cost,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.Path) -> Self:
        """The value of *message*."""
        return cls(
            node_ids=tuple(message.node_ids),
            edges=tuple([Edge.from_message(item) for item in message.edges]),
            length=message.length,
            cost=message.cost,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "node_ids": list(self.node_ids),
                "edges": [item.to_dict() for item in self.edges],
                "length": self.length,
                "cost": self.cost,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _PATH)
        return cls(
            node_ids=members.texts("node_ids"),
            edges=members.records("edges", Edge.from_dict),
            length=members.integer("length"),
            cost=members.number("cost"),
        )


_PATH = frozenset(["cost", "edges", "length", "node_ids"])


@dataclass(frozen=True, slots=True)
class PathsResponse:
    """PathsResponse of the contract.

    nodes: every node on a returned path, by id
    explored: distinct nodes that either side reached
    """

    _: KW_ONLY
    version: str = ""
    paths: Sequence[Path] = ()
    nodes: Mapping[str, Node] = _field(default_factory=dict[str, Node])
    truncated: bool = False
    timed_out: bool = False
    explored: int = 0
    applied: Mapping[str, int] = _field(default_factory=dict[str, int])
    took_us: int = 0

    def to_message(self) -> graph_pb2.PathsResponse:
        """The message of this value."""
        try:
            return graph_pb2.PathsResponse(
                version=self.version,
                paths=[item.to_message() for item in self.paths],
                nodes={key: item.to_message() for key, item in self.nodes.items()},
                truncated=self.truncated,
                timed_out=self.timed_out,
                explored=self.explored,
                applied=self.applied,
                took_us=self.took_us,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: graph_pb2.PathsResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            paths=tuple([Path.from_message(item) for item in message.paths]),
            nodes={key: Node.from_message(item) for key, item in sorted(message.nodes.items())},
            truncated=message.truncated,
            timed_out=message.timed_out,
            explored=message.explored,
            applied=dict(sorted(message.applied.items())),
            took_us=message.took_us,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "paths": [item.to_dict() for item in self.paths],
                "nodes": {key: item.to_dict() for key, item in self.nodes.items()},
                "truncated": self.truncated or None,
                "timed_out": self.timed_out or None,
                "explored": self.explored,
                "applied": dict(self.applied),
                "took_us": self.took_us,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _PATHS_RESPONSE)
        return cls(
            version=members.text("version"),
            paths=members.records("paths", Path.from_dict),
            nodes=members.record_map("nodes", Node.from_dict),
            truncated=members.flag("truncated"),
            timed_out=members.flag("timed_out"),
            explored=members.integer("explored"),
            applied=members.plain_map("applied", int),
            took_us=members.integer("took_us"),
        )


_PATHS_RESPONSE = frozenset(
    ["applied", "explored", "nodes", "paths", "timed_out", "took_us", "truncated", "version"],
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Acts in this order: delete_edges, delete_nodes, recut_parents, put_nodes, node_columns,
    put_edges, edge_columns, put_passages. Within a list in order; the last of one id wins.

    put_nodes: whole-row upserts
    recut_parents: delete all spans of these memories first
    """

    _: KW_ONLY
    put_nodes: Sequence[Node] = ()
    put_edges: Sequence[Edge] = ()
    put_passages: Sequence[Passage] = ()
    delete_nodes: Sequence[str] = ()
    delete_edges: Sequence[str] = ()
    recut_parents: Sequence[str] = ()

    def to_message(self) -> store_pb2.Batch:
        """The message of this value."""
        try:
            return store_pb2.Batch(
                put_nodes=[item.to_message() for item in self.put_nodes],
                put_edges=[item.to_message() for item in self.put_edges],
                put_passages=[item.to_message() for item in self.put_passages],
                delete_nodes=several(self.delete_nodes, "delete_nodes"),
                delete_edges=several(self.delete_edges, "delete_edges"),
                recut_parents=several(self.recut_parents, "recut_parents"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.Batch) -> Self:
        """The value of *message*."""
        return cls(
            put_nodes=tuple([Node.from_message(item) for item in message.put_nodes]),
            put_edges=tuple([Edge.from_message(item) for item in message.put_edges]),
            put_passages=tuple([Passage.from_message(item) for item in message.put_passages]),
            delete_nodes=tuple(message.delete_nodes),
            delete_edges=tuple(message.delete_edges),
            recut_parents=tuple(message.recut_parents),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "put_nodes": [item.to_dict() for item in self.put_nodes],
                "put_edges": [item.to_dict() for item in self.put_edges],
                "put_passages": [item.to_dict() for item in self.put_passages],
                "delete_nodes": list(self.delete_nodes),
                "delete_edges": list(self.delete_edges),
                "recut_parents": list(self.recut_parents),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _BATCH)
        return cls(
            put_nodes=members.records("put_nodes", Node.from_dict),
            put_edges=members.records("put_edges", Edge.from_dict),
            put_passages=members.records("put_passages", Passage.from_dict),
            delete_nodes=members.texts("delete_nodes"),
            delete_edges=members.texts("delete_edges"),
            recut_parents=members.texts("recut_parents"),
        )


_BATCH = frozenset(
    ["delete_edges", "delete_nodes", "put_edges", "put_nodes", "put_passages", "recut_parents"],
)


@dataclass(frozen=True, slots=True)
class LoadResponse:
    """LoadResponse of the contract.

    batch: its place in this stream, from 1; answering resume: the place of the last batch in its
        load
    nodes: what follows counts the stream so far
    dangling_edges: Edges of the collection, links and mentions included, that lack an end; they
        wait for it.
    """

    _: KW_ONLY
    version: str = ""
    batch: int = 0
    nodes: int = 0
    edges: int = 0
    passages: int = 0
    dangling_edges: int = 0

    def to_message(self) -> store_pb2.LoadResponse:
        """The message of this value."""
        try:
            return store_pb2.LoadResponse(
                version=self.version,
                batch=self.batch,
                nodes=self.nodes,
                edges=self.edges,
                passages=self.passages,
                dangling_edges=self.dangling_edges,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.LoadResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            batch=message.batch,
            nodes=message.nodes,
            edges=message.edges,
            passages=message.passages,
            dangling_edges=message.dangling_edges,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "batch": self.batch,
                "nodes": self.nodes,
                "edges": self.edges,
                "passages": self.passages,
                "dangling_edges": self.dangling_edges,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _LOAD_RESPONSE)
        return cls(
            version=members.text("version"),
            batch=members.integer("batch"),
            nodes=members.integer("nodes"),
            edges=members.integer("edges"),
            passages=members.integer("passages"),
            dangling_edges=members.integer("dangling_edges"),
        )


_LOAD_RESPONSE = frozenset(["batch", "dangling_edges", "edges", "nodes", "passages", "version"])


@dataclass(frozen=True, slots=True)
class ApplyResponse:
    """ApplyResponse of the contract.

    dangling_edges: Edges of the collection, links and mentions included, that lack an end; they
        wait for it.
    """

    _: KW_ONLY
    version: str = ""
    dangling_edges: int = 0

    def to_message(self) -> store_pb2.ApplyResponse:
        """The message of this value."""
        try:
            return store_pb2.ApplyResponse(version=self.version, dangling_edges=self.dangling_edges)
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.ApplyResponse) -> Self:
        """The value of *message*."""
        return cls(version=message.version, dangling_edges=message.dangling_edges)

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "dangling_edges": self.dangling_edges,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _APPLY_RESPONSE)
        return cls(
            version=members.text("version"),
            dangling_edges=members.integer("dangling_edges"),
        )


_APPLY_RESPONSE = frozenset(["dangling_edges", "version"])


@dataclass(frozen=True, slots=True)
class Field:
    """Field of the contract.

    dimensions: vectors
    weight: in search; absent is 1, of name 2
    language: of a text field, such as "english"; empty: the collection's
    readers: Who may read the field; empty: whoever may read the row. To others it does not exist.
    similarity: of vectors, in search
    """

    name: str
    kind: FieldKind | None = None
    _: KW_ONLY
    repeated: bool = False
    dimensions: int = 0
    weight: float | None = None
    language: str = ""
    readers: Sequence[str] = ()
    similarity: Similarity | None = None

    def to_message(self) -> store_pb2.Field:
        """The message of this value."""
        try:
            return store_pb2.Field(
                name=self.name,
                kind=_numbers.number(_numbers.FIELD_KIND, self.kind, "kind"),
                repeated=self.repeated,
                dimensions=self.dimensions,
                weight=self.weight,
                language=self.language,
                readers=several(self.readers, "readers"),
                similarity=_numbers.number(_numbers.SIMILARITY, self.similarity, "similarity"),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.Field) -> Self:
        """The value of *message*."""
        return cls(
            name=message.name,
            kind=_numbers.word(_numbers.FIELD_KIND, message.kind),
            repeated=message.repeated,
            dimensions=message.dimensions,
            weight=message.weight if message.HasField("weight") else None,
            language=message.language,
            readers=tuple(message.readers),
            similarity=_numbers.word(_numbers.SIMILARITY, message.similarity),
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "name": self.name,
                "kind": self.kind,
                "repeated": self.repeated or None,
                "dimensions": self.dimensions or None,
                "weight": self.weight,
                "language": self.language,
                "readers": list(self.readers),
                "similarity": self.similarity,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _FIELD)
        return cls(
            name=members.text("name"),
            kind=members.choice("kind", _numbers.FIELD_KIND, "field_kind_"),
            repeated=members.flag("repeated"),
            dimensions=members.integer("dimensions"),
            weight=members.optional_number("weight"),
            language=members.text("language"),
            readers=members.texts("readers"),
            similarity=members.choice("similarity", _numbers.SIMILARITY, "similarity_"),
        )


_FIELD = frozenset(
    ["dimensions", "kind", "language", "name", "readers", "repeated", "similarity", "weight"],
)


@dataclass(frozen=True, slots=True)
class Membership:
    """Principals that come from the graph itself: the caller's own node, and what these edges
    lead to.

    node_id_template: such as "user:{sub}"
    edge_types: such as "MEMBER_OF"
    max_depth: absent is 3
    """

    _: KW_ONLY
    node_id_template: str = ""
    edge_types: Sequence[str] = ()
    max_depth: int | None = None

    def to_message(self) -> store_pb2.Collection.Membership:
        """The message of this value."""
        try:
            return store_pb2.Collection.Membership(
                node_id_template=self.node_id_template,
                edge_types=several(self.edge_types, "edge_types"),
                max_depth=self.max_depth,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.Collection.Membership) -> Self:
        """The value of *message*."""
        return cls(
            node_id_template=message.node_id_template,
            edge_types=tuple(message.edge_types),
            max_depth=message.max_depth if message.HasField("max_depth") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "node_id_template": self.node_id_template,
                "edge_types": list(self.edge_types),
                "max_depth": self.max_depth,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _MEMBERSHIP)
        return cls(
            node_id_template=members.text("node_id_template"),
            edge_types=members.texts("edge_types"),
            max_depth=members.optional_integer("max_depth"),
        )


_MEMBERSHIP = frozenset(["edge_types", "max_depth", "node_id_template"])


@dataclass(frozen=True, slots=True)
class Collection:
    """Collection of the contract.

    default_readers: Readers of a node that names none. Empty: nobody but admins.
    users: Principals that may call it; empty: every caller; admins always. To others it does not
        exist.
    citation_fields: Fields that say where a row comes from, in the order of citing.
    retain_versions: how many of the latest versions can be read; 1-1024, absent is 8
    damage: in answers only: what keeps it from being served; then all but the name is unknown
    """

    name: str
    _: KW_ONLY
    description: str = ""
    fields: Sequence[Field] = ()
    ontology: Ontology | None = None
    default_readers: Sequence[str] = ()
    users: Sequence[str] = ()
    membership: Membership | None = None
    citation_fields: Sequence[str] = ()
    language: str = ""
    retain_versions: int | None = None
    version: str = ""
    nodes: int = 0
    edges: int = 0
    passages: int = 0
    memory_bytes: int = 0
    created_at: datetime | None = None
    damage: str = ""

    def to_message(self) -> store_pb2.Collection:
        """The message of this value."""
        try:
            return store_pb2.Collection(
                name=self.name,
                description=self.description,
                fields=[item.to_message() for item in self.fields],
                ontology=None if self.ontology is None else self.ontology.to_message(),
                default_readers=several(self.default_readers, "default_readers"),
                users=several(self.users, "users"),
                membership=None if self.membership is None else self.membership.to_message(),
                citation_fields=several(self.citation_fields, "citation_fields"),
                language=self.language,
                retain_versions=self.retain_versions,
                version=self.version,
                nodes=self.nodes,
                edges=self.edges,
                passages=self.passages,
                memory_bytes=self.memory_bytes,
                created_at=None if self.created_at is None else to_time(self.created_at),
                damage=self.damage,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.Collection) -> Self:
        """The value of *message*."""
        return cls(
            name=message.name,
            description=message.description,
            fields=tuple([Field.from_message(item) for item in message.fields]),
            ontology=Ontology.from_message(message.ontology) if message.HasField("ontology") else None,
            default_readers=tuple(message.default_readers),
            users=tuple(message.users),
            membership=Membership.from_message(message.membership) if message.HasField("membership") else None,
            citation_fields=tuple(message.citation_fields),
            language=message.language,
            retain_versions=message.retain_versions if message.HasField("retain_versions") else None,
            version=message.version,
            nodes=message.nodes,
            edges=message.edges,
            passages=message.passages,
            memory_bytes=message.memory_bytes,
            created_at=from_time(message.created_at) if message.HasField("created_at") else None,
            damage=message.damage,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "name": self.name,
                "description": self.description,
                "fields": [item.to_dict() for item in self.fields],
                "ontology": None if self.ontology is None else self.ontology.to_dict(),
                "default_readers": list(self.default_readers),
                "users": list(self.users),
                "membership": None if self.membership is None else self.membership.to_dict(),
                "citation_fields": list(self.citation_fields),
                "language": self.language,
                "retain_versions": self.retain_versions,
                "version": self.version,
                "nodes": self.nodes,
                "edges": self.edges,
                "passages": self.passages,
                "memory_bytes": self.memory_bytes,
                "created_at": json_time(self.created_at),
                "damage": self.damage,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _COLLECTION)
        return cls(
            name=members.text("name"),
            description=members.text("description"),
            fields=members.records("fields", Field.from_dict),
            ontology=members.record("ontology", Ontology.from_dict),
            default_readers=members.texts("default_readers"),
            users=members.texts("users"),
            membership=members.record("membership", Membership.from_dict),
            citation_fields=members.texts("citation_fields"),
            language=members.text("language"),
            retain_versions=members.optional_integer("retain_versions"),
            version=members.text("version"),
            nodes=members.integer("nodes"),
            edges=members.integer("edges"),
            passages=members.integer("passages"),
            memory_bytes=members.integer("memory_bytes"),
            created_at=members.time("created_at"),
            damage=members.text("damage"),
        )


_COLLECTION = frozenset(
    ["citation_fields", "created_at", "damage", "default_readers", "description", "edges", "fields", "language", "membership", "memory_bytes", "name", "nodes", "ontology", "passages", "retain_versions", "users", "version"],
)


@dataclass(frozen=True, slots=True)
class ListCollectionsResponse:
    """ListCollectionsResponse of the contract."""

    _: KW_ONLY
    collections: Sequence[Collection] = ()
    next_page_token: str = ""

    def to_message(self) -> store_pb2.ListCollectionsResponse:
        """The message of this value."""
        try:
            return store_pb2.ListCollectionsResponse(
                collections=[item.to_message() for item in self.collections],
                next_page_token=self.next_page_token,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.ListCollectionsResponse) -> Self:
        """The value of *message*."""
        return cls(
            collections=tuple([Collection.from_message(item) for item in message.collections]),
            next_page_token=message.next_page_token,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "collections": [item.to_dict() for item in self.collections],
                "next_page_token": self.next_page_token,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _LIST_COLLECTIONS_RESPONSE)
        return cls(
            collections=members.records("collections", Collection.from_dict),
            next_page_token=members.text("next_page_token"),
        )


_LIST_COLLECTIONS_RESPONSE = frozenset(["collections", "next_page_token"])


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Snapshot of the contract."""

    _: KW_ONLY
    collection: str = ""
    name: str = ""
    version: str = ""
    bytes: int = 0
    created_at: datetime | None = None

    def to_message(self) -> store_pb2.Snapshot:
        """The message of this value."""
        try:
            return store_pb2.Snapshot(
                collection=self.collection,
                name=self.name,
                version=self.version,
                bytes=self.bytes,
                created_at=None if self.created_at is None else to_time(self.created_at),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.Snapshot) -> Self:
        """The value of *message*."""
        return cls(
            collection=message.collection,
            name=message.name,
            version=message.version,
            bytes=message.bytes,
            created_at=from_time(message.created_at) if message.HasField("created_at") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "collection": self.collection,
                "name": self.name,
                "version": self.version,
                "bytes": self.bytes,
                "created_at": json_time(self.created_at),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _SNAPSHOT)
        return cls(
            collection=members.text("collection"),
            name=members.text("name"),
            version=members.text("version"),
            bytes=members.integer("bytes"),
            created_at=members.time("created_at"),
        )


_SNAPSHOT = frozenset(["bytes", "collection", "created_at", "name", "version"])


@dataclass(frozen=True, slots=True)
class ListSnapshotsResponse:
    """ListSnapshotsResponse of the contract."""

    _: KW_ONLY
    snapshots: Sequence[Snapshot] = ()
    next_page_token: str = ""

    def to_message(self) -> store_pb2.ListSnapshotsResponse:
        """The message of this value."""
        try:
            return store_pb2.ListSnapshotsResponse(
                snapshots=[item.to_message() for item in self.snapshots],
                next_page_token=self.next_page_token,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.ListSnapshotsResponse) -> Self:
        """The value of *message*."""
        return cls(
            snapshots=tuple([Snapshot.from_message(item) for item in message.snapshots]),
            next_page_token=message.next_page_token,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "snapshots": [item.to_dict() for item in self.snapshots],
                "next_page_token": self.next_page_token,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _LIST_SNAPSHOTS_RESPONSE)
        return cls(
            snapshots=members.records("snapshots", Snapshot.from_dict),
            next_page_token=members.text("next_page_token"),
        )


_LIST_SNAPSHOTS_RESPONSE = frozenset(["next_page_token", "snapshots"])


@dataclass(frozen=True, slots=True)
class ExportResponse:
    """ExportResponse of the contract.

    version: the one that is exported, the same in each message
    batch: puts alone: nodes first, then passages, then edges
    """

    _: KW_ONLY
    version: str = ""
    batch: Batch | None = None

    def to_message(self) -> store_pb2.ExportResponse:
        """The message of this value."""
        try:
            return store_pb2.ExportResponse(
                version=self.version,
                batch=None if self.batch is None else self.batch.to_message(),
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.ExportResponse) -> Self:
        """The value of *message*."""
        return cls(
            version=message.version,
            batch=Batch.from_message(message.batch) if message.HasField("batch") else None,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "version": self.version,
                "batch": None if self.batch is None else self.batch.to_dict(),
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _EXPORT_RESPONSE)
        return cls(version=members.text("version"), batch=members.record("batch", Batch.from_dict))


_EXPORT_RESPONSE = frozenset(["batch", "version"])


@dataclass(frozen=True, slots=True)
class AnalyzeResponse:
    """AnalyzeResponse of the contract.

    done: 0 to 1
    version: in the last message
    """

    _: KW_ONLY
    done: float = 0.0
    version: str = ""
    nodes: int = 0
    communities: int = 0

    def to_message(self) -> store_pb2.AnalyzeResponse:
        """The message of this value."""
        try:
            return store_pb2.AnalyzeResponse(
                done=self.done,
                version=self.version,
                nodes=self.nodes,
                communities=self.communities,
            )
        except UNSENDABLE as fault:
            raise wrong_member(self, fault) from None

    @classmethod
    def from_message(cls, message: store_pb2.AnalyzeResponse) -> Self:
        """The value of *message*."""
        return cls(
            done=message.done,
            version=message.version,
            nodes=message.nodes,
            communities=message.communities,
        )

    def to_dict(self) -> JsonObject:
        """A plain JSON object, without what is absent, empty or by default false."""
        return compact(
            {
                "done": self.done,
                "version": self.version,
                "nodes": self.nodes,
                "communities": self.communities,
            }
        )

    @classmethod
    def from_dict(cls, source: object) -> Self:
        """The value of a plain JSON object; BadRecord names the member that is wrong."""
        members = Members(source, _ANALYZE_RESPONSE)
        return cls(
            done=members.number("done"),
            version=members.text("version"),
            nodes=members.integer("nodes"),
            communities=members.integer("communities"),
        )


_ANALYZE_RESPONSE = frozenset(["communities", "done", "nodes", "version"])
