"""The lookups of one request, worked out last: one that is refused costs no look at the rows."""

from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.columns.kinds import kind_name
from passageway_server.engine.predicate import InnerQuery, KnownField, queries_in
from passageway_server.engine.semijoin import join_kind, joined_values
from passageway_server.planner.faults import Faults
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class _Asked:
    """An inner query, how many values it may have, and the fault if they are more."""

    query: InnerQuery
    most: int
    path: str
    message: str


class Lookups:
    """What was asked so far; a query inside another comes before it."""

    def __init__(self) -> None:
        self._asked: list[_Asked] = []

    def add(self, query: InnerQuery, most: int, *, path: str, message: str) -> None:
        """Ask for the values of *query*, at most *most*; more are a fault at *path*."""
        self._asked.append(_Asked(query, most, path, message))

    def work_out(self, version: Version, gate: Gate, *, faults: Faults) -> None:
        """Give every query its values, over what the holder of *gate*, a read gate, may read.

        A query around one that has too many values has none, and no fault of its own.
        """
        for asked in self._asked:
            query = asked.query
            if any(inside.values is None for inside in queries_in(query.inner)):
                continue
            query.values = joined_values(query, version, gate, most=asked.most)
            if query.values is None:
                faults.add(asked.path, asked.message)


def join_fault(field: KnownField, from_field: KnownField) -> str | None:
    """Why the two do not join, or None: both are strings, or ints, or times."""
    outer, inner = join_kind(field.kind), join_kind(from_field.kind)
    if outer is not None and outer == inner:
        return None
    kinds = f"{kind_name(field.kind)} ({field.name}) with {kind_name(from_field.kind)}"
    rule = "strings join with strings, ints with ints, times with times"
    return f"{rule}; found {kinds} ({from_field.name})"


def too_many_values(most: int) -> str:
    """What is said of a lookup whose inner query gives too many distinct values."""
    return f"the lookup has more than {most} distinct values; narrow its inner filter"
