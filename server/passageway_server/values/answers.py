"""Answers of the read side as plain values, ready to become messages."""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from passageway_server.values.collections import Direction, Kind, Ontology
from passageway_server.values.records import Properties, PropertyValue


@dataclass(frozen=True, slots=True)
class SpanPosition:
    """Where a span stands in the memory it was cut from."""

    parent_id: str
    index: int
    total: int | None
    breadcrumb: str


class NodeRow(NamedTuple):
    """A node or span as one caller sees it; what was not asked for is empty."""

    id: str
    type: str
    name: str = ""
    content: str = ""
    project: str = ""
    readers: tuple[str, ...] = ()
    status: str = ""
    properties: Properties = {}
    links: dict[str, list[str]] = {}
    covered: bool = False
    content_truncated: bool = False
    span: SpanPosition | None = None
    revision: str = ""


class EdgeRow(NamedTuple):
    """An edge as one caller sees it; ``id`` is empty on links and span edges, ``weight`` is the effective one."""

    id: str
    source: str
    target: str
    type: str
    weight: float
    properties: Properties = {}
    readers: tuple[str, ...] = ()


class Hit(NamedTuple):
    """A node that a walk reached."""

    node: NodeRow
    score: float | None
    hop: int
    via: str
    edge: EdgeRow | None
    direction: Direction


class HitFields(NamedTuple):
    """The numbers of the fields that a packed hit is written with, in the order of writing.

    ``hits`` is the field of the answer; ``node``, and those from ``score`` on, are fields of the hit; the others are of its
    node, but for those from ``parent_id`` to ``breadcrumb``, which are of the node's span.
    """

    hits: int
    node: int
    id: int
    type: int
    name: int
    content: int
    content_truncated: int
    span: int
    parent_id: int
    span_index: int
    span_total: int
    breadcrumb: int
    score: int
    hop: int
    via: int
    direction: int


class PackedHits(Protocol):
    """Hits that show so little that they go from a version's arrays to bytes at once."""

    def __len__(self) -> int: ...

    def encode(self, fields: HitFields) -> memoryview:
        """The hits in protobuf's wire format, as the field ``fields.hits`` of an answer, once for each."""
        ...


class SubgraphEdge(NamedTuple):
    edge: EdgeRow
    hop: int


class Bucket(NamedTuple):
    """A value of a field as text, and how many rows hold it."""

    value: str
    rows: int


FacetAnswers = dict[str, list[Bucket]]
MetricAnswers = dict[str, PropertyValue]


class Excerpt(NamedTuple):
    """An exact piece of a longer text, by code points; ``sha256`` is that of the whole text."""

    id: str
    property: str
    text: str
    offset: int
    end: int
    total_chars: int
    sha256: str


class SearchHit(NamedTuple):
    """A row that a query found, and what found it."""

    node: NodeRow
    score: float
    matched: tuple[str, ...] = ()
    excerpt: Excerpt | None = None


class TypeCount(NamedTuple):
    type: str
    rows: int


class Listed(NamedTuple):
    """The first of a list that is told, and how many are left out."""

    told: list[str]
    omitted: int


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    version: str
    hits: list[SearchHit]
    total: int
    applied: dict[str, int]
    type_hits: list[TypeCount] = field(default_factory=list[TypeCount])
    type_hits_omitted: int = 0
    unknown_types: Listed = Listed([], 0)
    current: bool = True
    excluded_evidence: int = 0
    facets: FacetAnswers = field(default_factory=FacetAnswers)
    metrics: MetricAnswers = field(default_factory=MetricAnswers)
    timed_out: bool = False
    took_us: int = 0


class PageRankRun(NamedTuple):
    """How a personalized PageRank went: the passes run, and whether the last one moved little enough."""

    iterations: int
    converged: bool


@dataclass(frozen=True, slots=True)
class ExpandAnswer:
    version: str
    hits: list[Hit] | PackedHits
    total: int
    truncated: bool
    origins: list[str]
    unresolved: list[str]
    subgraph: list[SubgraphEdge]
    applied: dict[str, int]
    timed_out: bool = False
    facets: FacetAnswers = field(default_factory=FacetAnswers)
    metrics: MetricAnswers = field(default_factory=MetricAnswers)
    search: list[SearchHit] = field(default_factory=list[SearchHit])
    ppr: PageRankRun | None = None
    took_us: int = 0


class PathRow(NamedTuple):
    node_ids: list[str]
    edges: list[EdgeRow]
    length: int
    cost: float


@dataclass(frozen=True, slots=True)
class PathsAnswer:
    version: str
    paths: list[PathRow]
    nodes: dict[str, NodeRow]
    truncated: bool
    explored: int
    applied: dict[str, int]
    timed_out: bool = False
    took_us: int = 0


@dataclass(frozen=True, slots=True)
class TextPage:
    text: str
    offset: int
    next_offset: int | None
    total_chars: int
    sha256: str
    truncated: bool


@dataclass(frozen=True, slots=True)
class SliceAnswer:
    version: str
    id: str
    parent_id: str = ""
    parent_name: str = ""
    parent_type: str = ""
    passages: list[NodeRow] = field(default_factory=list[NodeRow])
    window: int = 0
    sliced: bool = False
    total: int = 0
    window_start: int | None = None
    passage_total: int | None = None
    covers_parent: bool = False
    project: str = ""
    content_chars: int = 0
    page: TextPage | None = None
    applied: dict[str, int] = field(default_factory=dict[str, int])
    took_us: int = 0


@dataclass(frozen=True, slots=True)
class LookupAnswer:
    version: str
    nodes: list[NodeRow]
    total: int
    applied: dict[str, int]
    edges: list[EdgeRow] = field(default_factory=list[EdgeRow])
    next_page_token: str = ""
    facets: FacetAnswers = field(default_factory=FacetAnswers)
    metrics: MetricAnswers = field(default_factory=MetricAnswers)
    timed_out: bool = False
    took_us: int = 0


@dataclass(frozen=True, slots=True)
class GetAnswer:
    version: str
    nodes: list[NodeRow]
    unresolved: list[str]


@dataclass(frozen=True, slots=True)
class ObservedType:
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class ObservedRoute:
    source_type: str
    edge_type: str
    target_type: str
    count: int


class FieldInfo(NamedTuple):
    name: str
    kind: Kind
    repeated: bool
    declared: bool


@dataclass(frozen=True, slots=True)
class DescribeAnswer:
    version: str = ""
    collection: str = ""
    description: str = ""
    ontology: Ontology = Ontology()
    types: list[ObservedType] = field(default_factory=list[ObservedType])
    routes: list[ObservedRoute] = field(default_factory=list[ObservedRoute])
    fields: list[FieldInfo] = field(default_factory=list[FieldInfo])
    revision: str = ""
    collections: list[str] = field(default_factory=list[str])


class AnalyzeProgress(NamedTuple):
    """How much of a measure is done, 0 to 1; in the end the version that holds it, and what it covers."""

    done: float
    version: str = ""
    nodes: int = 0
    communities: int = 0
