"""What several requests have in common: options, specs of edges, queries, facets and metrics.

None stands for an unset ``optional`` field, and numbers are as they came, as in requests.
"""

import dataclasses
from dataclasses import dataclass
from enum import IntEnum

from passageway_server.values.collections import Direction
from passageway_server.values.records import PlainValue, Vector

Vars = dict[str, PlainValue]
"""Values of ``$names`` in filters."""


class Bounds(IntEnum):
    """What happens to a number outside its range; UNSPECIFIED means CLAMP in Slice, else REJECT."""

    UNSPECIFIED = 0
    REJECT = 1
    CLAMP = 2


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which version, and which of its rows. ``current`` leaves retired rows out."""

    at_version: str = ""
    at_least_version: str = ""
    project: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class EdgeSpec:
    """Which edges a step may use. ``max_frontier`` is of Paths alone."""

    types: tuple[str, ...] = ()
    direction: Direction = Direction.OUT
    filter: str = ""
    weight_property: str = ""
    max_frontier: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """Which nodes, and in which order; ``vars`` win over the request's own.

    Words of ``text`` are looked for in ``text_fields``; in all that are searched where none is named. They meet words
    within ``max_edits``. ``vector`` is compared with ``vector_field``, with the only one of the collection where it is empty.
    ``also`` are more lists for the same fusion.
    """

    text: str = ""
    text_fields: tuple[str, ...] = ()
    max_edits: int = 0
    filter: str = ""
    vars: Vars = dataclasses.field(default_factory=Vars)
    types: tuple[str, ...] = ()
    limit: int | None = None
    sort: tuple[str, ...] = ()
    rescore: str = ""
    vector: Vector | None = None
    vector_field: str = ""
    also: "tuple[Query, ...]" = ()


@dataclass(frozen=True, slots=True)
class Facet:
    """Counts of the values of a field."""

    field: str
    limit: int | None = None


class MetricOp(IntEnum):
    UNSPECIFIED = 0
    COUNT = 1
    MIN = 2
    MAX = 3
    SUM = 4
    AVG = 5
    CARDINALITY = 6


@dataclass(frozen=True, slots=True)
class Metric:
    """One number over the values of a field."""

    field: str
    op: MetricOp = MetricOp.UNSPECIFIED


Facets = dict[str, Facet]
Metrics = dict[str, Metric]
