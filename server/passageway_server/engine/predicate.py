"""What a filter is made of once it is bound to a version and to what its caller knows.

A predicate is judged by row (over nodes and spans) or by key (over edges). A row without
the field fails every test of it; `Not` turns that round.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from passageway_server.engine.joined import JoinedValues
from passageway_server.values.collections import Kind

Over = Literal["nodes", "edges"]
"""What a filter, an order or a measure is over: nodes and spans by row, edges by key."""


class Source(IntEnum):
    """Where a field's values stand."""

    BUILT_IN = 0
    PROPERTY = 1
    LINK = 2


@dataclass(frozen=True, slots=True)
class KnownField:
    """A field that a caller may name.

    ``kind`` is as the caller sees it: an inferred number is INT, or FLOAT where a row that it reads
    holds a float. Built-ins are KEYWORD, and FLOAT for an edge's weight.
    """

    name: str
    source: Source
    kind: Kind
    declared: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """Microseconds from ``start`` up to, not with, ``end``: an instant, or the day of a date."""

    start: int
    end: int


Operand = str | int | float | bool | Interval
Order = Literal["<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class All:
    """True where every part is."""

    parts: "tuple[Predicate, ...]"


@dataclass(frozen=True, slots=True)
class Some:
    """True where some part is."""

    parts: "tuple[Predicate, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """True where the part is not."""

    part: "Predicate"


@dataclass(frozen=True, slots=True)
class Has:
    """True where the field has a value."""

    field: KnownField


@dataclass(frozen=True, slots=True)
class Equals:
    """True where some value of the field is one of the operands."""

    field: KnownField
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Differs:
    """True where the field has values, none of which is the operand."""

    field: KnownField
    operand: Operand


@dataclass(frozen=True, slots=True)
class Ordered:
    """True where some value of the field stands in ``sign`` to the operand."""

    field: KnownField
    sign: Order
    operand: Operand


@dataclass(frozen=True, slots=True)
class Affix:
    """True where some value of the field begins with, ends with or contains the text."""

    field: KnownField
    test: Literal["starts_with", "ends_with", "contains"]
    text: str


@dataclass(frozen=True, slots=True)
class Worded:
    """True where some value of the field, a text in ``language``, has all the words of one of the choices."""

    field: KnownField
    language: str
    choices: tuple[tuple[str, ...], ...]


@dataclass(slots=True, eq=False)
class InnerQuery:
    """What ``from_field`` holds over the readable rows, or the visible edge documents, that meet ``inner``.

    It may take long, so ``values`` are set last, when a request has no other fault, and before the
    query's predicate is judged. Two queries that are written alike have the same ``repr``.
    """

    inner: "Predicate | None"
    from_field: KnownField
    over: Over = "nodes"
    values: JoinedValues | None = field(default=None, init=False, repr=False)


@dataclass(frozen=True, slots=True)
class Joined:
    """True where some value of the field is among those that an inner query gave."""

    field: KnownField
    query: InnerQuery

    @property
    def values(self) -> JoinedValues:
        """The values of the query, which were set."""
        assert self.query.values is not None
        return self.query.values


Predicate = All | Some | Not | Has | Equals | Differs | Ordered | Affix | Worded | Joined


def queries_in(predicate: Predicate | None) -> Iterator[InnerQuery]:
    """The inner queries of *predicate*, each before those inside it."""
    match predicate:
        case All(parts) | Some(parts):
            for part in parts:
                yield from queries_in(part)
        case Not(part):
            yield from queries_in(part)
        case Joined(_, query):
            yield query
            yield from queries_in(query.inner)
        case _:
            return
