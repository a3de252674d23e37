"""What the rows of a Context have beside their ids and types, value by value, in the order in which these are taken."""

import re
from typing import NamedTuple

from tests.oracle.context_text import SHORT
from tests.oracle.graph import Arc, Graph, Numbers, Row
from tests.oracle.shown import cited_fields

BOOK_KEEPING = re.compile(
    r"(created|updated|modified|accessed|last_[a-z]+)(_at)?|(.+_)?(count|counter)"
)


class Value(NamedTuple):
    """A value by its name; ``property`` says that this is the name of a property."""

    name: str
    property: bool


class RowValues:
    """Of some rows, by id."""

    def __init__(self, graph: Graph, rows: dict[str, Row]) -> None:
        self._cited, self._rows = cited_fields(graph), rows

    def identity(self, row_id: str) -> list[Value]:
        """What comes with the id and the type, as one."""
        row = self._rows[row_id]
        short = [Value(name, False) for name in ("name", "status") if _is_short(getattr(row, name))]
        source = row.properties.get(self._cited[0])
        if source and not source.many and _is_short(source.values[0]):
            short.append(Value(self._cited[0], True))
        return short

    def values(self, row_id: str) -> list[Value]:
        """All others, those of one kind in their order."""
        row = self._rows[row_id]
        names = [name for name in sorted(row.properties) if not _is_vector(row, name)]
        cited = [name for name in self._cited if name in names]
        own = [
            Value(name, False)
            for name in ("content", "covered", "name", "project", "status")
            if getattr(row, name)
        ]
        own += [Value("revision", False)]
        if row.span is not None:
            own.append(Value("span", False))
        first = [
            *(Value(name, True) for name in cited),
            Value("status", False),
            Value("expires_at", True),
            Value("span", False),
        ]
        every = [*own, *(Value(name, True) for name in names)]
        rest = sorted(value for value in every if value not in first)
        ordered = [value for value in dict.fromkeys(first) if value in every] + rest
        return [value for value in ordered if value not in self.identity(row_id)]

    def is_citation(self, value: Value) -> bool:
        """Whether it says where a row comes from, or whether it still holds."""
        if value.property:
            return value.name in (*self._cited, "expires_at")
        return value.name in ("status", "span")

    def is_text(self, value: Value, name: str) -> bool:
        """Whether it is the property *name*, and no citation."""
        return value == Value(name, True) and not self.is_citation(value)

    def is_book_keeping(self, value: Value) -> bool:
        """Whether it comes last."""
        if not value.property:
            return value.name in ("project", "covered")
        return bool(BOOK_KEEPING.fullmatch(value.name)) and not self.is_citation(value)

    def first_text(self, row_id: str) -> Value | None:
        """The text that tells most of a row."""
        for value in (Value("content", False), Value("summary", True), Value("description", True)):
            if self.text(row_id, value):
                return value
        return None

    def text(self, row_id: str, value: Value) -> str:
        """A value that is one text; else nothing."""
        row = self._rows[row_id]
        if not value.property:
            return row.content
        held = row.properties.get(value.name)
        single = held is not None and not held.many and isinstance(held.values[0], str)
        return str(held.values[0]) if held is not None and single else ""


def plain_properties(arc: Arc) -> list[str]:
    """The properties of an edge that may be taken."""
    return [name for name in sorted(arc.properties) if not _is_vector(arc, name)]


def _is_vector(holder: Row | Arc, name: str) -> bool:
    return isinstance(holder.properties[name].values[0], Numbers)


def _is_short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.encode()) <= SHORT
