"""Requests of the read side as plain values.

None stands for an unset ``optional`` field. Numbers are as they came: the planner checks ranges. Enums that
were unset are already resolved to what the contract says they mean, except ``Bounds``.
"""

import dataclasses
from dataclasses import dataclass
from enum import IntEnum

from passageway_server.values.queries import (
    Bounds,
    EdgeSpec,
    Facets,
    Metrics,
    Query,
    ReadOptions,
    Vars,
)


@dataclass(frozen=True, slots=True)
class SeedGroup:
    """Either ids or a query."""

    ids: tuple[str, ...] = ()
    query: Query | None = None
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class Shared:
    """Edges made of two: both ends point by ``edge_type`` at one node of ``through_type``."""

    name: str
    edge_type: str
    through_type: str
    weight: float | None = None
    max_members: int = 0


@dataclass(frozen=True, slots=True)
class Hop:
    edges: EdgeSpec = EdgeSpec()
    decay: float | None = None
    filter: str = ""
    max_per_node: int = 0
    max_frontier: int = 0
    max_degree: int = 0
    shared: tuple[Shared, ...] = ()


class Propagate(IntEnum):
    SUM = 1
    MAX = 2


class Rank(IntEnum):
    SPREAD = 1
    PPR = 2


@dataclass(frozen=True, slots=True)
class PageRank:
    """How a personalized PageRank runs."""

    alpha: float | None = None
    iterations: int | None = None
    tolerance: float | None = None
    undirected: bool | None = None
    reset_field: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """The size of the connected part to keep; at least one is set."""

    nodes: int | None = None
    edges: int | None = None
    edge_cost: float | None = None


@dataclass(frozen=True, slots=True)
class ExpandRequest:
    collection: str
    read: ReadOptions = ReadOptions()
    seeds: tuple[SeedGroup, ...] = ()
    hops: tuple[Hop, ...] = ()
    propagate: Propagate = Propagate.SUM
    rank: Rank = Rank.SPREAD
    ppr: PageRank = PageRank()
    limit: int | None = None
    include_seeds: bool | None = None
    min_hop: int = 0
    filter: str = ""
    return_filter: str = ""
    vars: Vars = dataclasses.field(default_factory=Vars)
    fields: tuple[str, ...] = ()
    content_max_chars: int | None = None
    with_edges: bool = False
    with_subgraph: bool = False
    edge_fields: tuple[str, ...] = ()
    max_edges: int | None = None
    budget: Budget | None = None
    max_nodes: int | None = None
    timeout_ms: int = 0
    facets: Facets = dataclasses.field(default_factory=Facets)
    metrics: Metrics = dataclasses.field(default_factory=Metrics)
    search: Query | None = None
    search_fields: tuple[str, ...] = ()
    bounds: Bounds = Bounds.UNSPECIFIED
    walk_as_declared: bool = False
    with_scores: bool | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    collection: str
    query: Query
    read: ReadOptions = ReadOptions()
    fields: tuple[str, ...] = ()
    content_max_chars: int | None = None
    facets: Facets = dataclasses.field(default_factory=Facets)
    metrics: Metrics = dataclasses.field(default_factory=Metrics)
    type_cap: int | None = None
    timeout_ms: int = 0
    bounds: Bounds = Bounds.UNSPECIFIED


class PathMode(IntEnum):
    SHORTEST = 1
    ALL_SIMPLE = 2


@dataclass(frozen=True, slots=True)
class PathsRequest:
    collection: str
    read: ReadOptions = ReadOptions()
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    edges: tuple[EdgeSpec, ...] = ()
    max_depth: int | None = None
    k: int | None = None
    weighted: bool = False
    mode: PathMode = PathMode.SHORTEST
    min_depth: int | None = None
    max_paths: int | None = None
    max_frontier: int | None = None
    max_degree: int = 0
    timeout_ms: int = 0
    filter: str = ""
    vars: Vars = dataclasses.field(default_factory=Vars)
    fields: tuple[str, ...] = ()
    edge_fields: tuple[str, ...] = ()
    content_max_chars: int | None = None
    bounds: Bounds = Bounds.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class TextPageRequest:
    property: str
    offset: int = 0
    sha256: str = ""
    max_chars: int | None = None
    token_budget: int | None = None


@dataclass(frozen=True, slots=True)
class SliceRequest:
    collection: str
    id: str
    read: ReadOptions = ReadOptions()
    window: int | None = None
    content_max_chars: int | None = None
    page: TextPageRequest | None = None
    bounds: Bounds = Bounds.UNSPECIFIED


class LookupKind(IntEnum):
    NODES = 1
    EDGES = 2


@dataclass(frozen=True, slots=True)
class LookupRequest:
    """``field``, ``from_filter`` and ``from_field`` are the semi-join in fields of its own."""

    collection: str
    read: ReadOptions = ReadOptions()
    kind: LookupKind = LookupKind.NODES
    filter: str = ""
    field: str = ""
    from_filter: str = ""
    from_field: str = ""
    from_kind: LookupKind | None = None
    max_values: int | None = None
    vars: Vars = dataclasses.field(default_factory=Vars)
    sort: tuple[str, ...] = ()
    page_size: int | None = None
    page_token: str = ""
    fields: tuple[str, ...] = ()
    content_max_chars: int | None = None
    facets: Facets = dataclasses.field(default_factory=Facets)
    metrics: Metrics = dataclasses.field(default_factory=Metrics)
    timeout_ms: int = 0
    bounds: Bounds = Bounds.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class GetRequest:
    collection: str
    ids: tuple[str, ...] = ()
    read: ReadOptions = ReadOptions()
    fields: tuple[str, ...] = ()
    content_max_chars: int | None = None


@dataclass(frozen=True, slots=True)
class DescribeRequest:
    collection: str = ""
    read: ReadOptions = ReadOptions()
    if_revision: str = ""


class Measure(IntEnum):
    """A measure of the whole graph."""

    UNSPECIFIED = 0
    PAGERANK = 1
    COMMUNITIES = 2
    DEGREE = 3


@dataclass(frozen=True, slots=True)
class AnalyzeRequest:
    """A measure of the rows that ``as_principals`` read; ``property`` empty is the measure's own name."""

    collection: str
    measure: Measure = Measure.UNSPECIFIED
    property: str = ""
    as_principals: tuple[str, ...] = ()
    edges: tuple[EdgeSpec, ...] = ()
    seed: int = 0
    alpha: float | None = None
    resolution: float | None = None
