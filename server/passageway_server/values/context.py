"""The request and the answer of Context as plain values."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from passageway_server.values.answers import EdgeRow, Excerpt, Listed, NodeRow, TypeCount
from passageway_server.values.queries import Bounds, Query, ReadOptions

BYTES_OF_A_TOKEN: Final = 4
"""A token is taken to be so many bytes of UTF-8, rounded up over the whole."""

MOST_TOKENS: Final = 32_768
"""The largest budget."""


class Measured(IntEnum):
    """What a budget bounds: the answer as compact JSON, or its text alone."""

    ANSWER = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Either ids or a query. ``reserve_bytes`` are bytes of the budget that stay free."""

    collection: str
    read: ReadOptions = ReadOptions()
    ids: tuple[str, ...] = ()
    query: Query | None = None
    hops: int | None = None
    token_budget: int | None = None
    measure: Measured = Measured.ANSWER
    reserve_bytes: int = 0
    type_cap: int | None = None
    timeout_ms: int = 0
    bounds: Bounds = Bounds.UNSPECIFIED
    walk_as_declared: bool = False


@dataclass(frozen=True, slots=True)
class Seed:
    """A row that a context starts from, and what found it."""

    id: str
    score: float
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer tells beside its rows and how full it is."""

    version: str
    unresolved: list[str]
    expansion_limited: bool
    current: bool
    excluded_evidence: int
    timed_out: bool
    applied: dict[str, int]
    type_hits: list[TypeCount] = field(default_factory=list[TypeCount])
    type_hits_omitted: int = 0
    unknown_types: Listed = Listed([], 0)


@dataclass(frozen=True, slots=True)
class Omitted:
    """What did not fit, of all that would have come with no budget."""

    nodes: int
    edges: int
    properties: int

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges or self.properties)


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """``text`` says what the rows say; each row stands once among ``nodes``, the seeds first."""

    told: Told
    text: str
    seeds: list[Seed]
    nodes: list[NodeRow]
    edges: list[EdgeRow]
    excerpts: list[Excerpt]
    omitted: Omitted
    token_estimate: int
    response_token_estimate: int
