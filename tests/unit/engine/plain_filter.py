"""Filters over plain dicts, one row at a time: what the columns must agree with.

A row is the values of each of its fields, as a list; a field that it lacks has no key.
"""

import operator
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from passageway_server.planner.syntax import (
    AffixCall,
    Chain,
    Choice,
    Comparison,
    Literal,
    LookupCall,
    Negation,
    Presence,
    Tree,
)

Row = Mapping[str, list[Any]]
Rows = Mapping[str, Row]

_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    ":": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_AFFIXES: dict[str, Callable[[str, str], bool]] = {
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": operator.contains,
}


def meets(tree: Tree, row: Row, rows: Rows, edges: Rows) -> bool:
    """Whether *row* meets *tree*; *rows* are all those that the caller may read, *edges* the documents."""
    match tree:
        case Chain(joined_by, parts):
            each = [meets(part, row, rows, edges) for part in parts]
            return all(each) if joined_by == "AND" else any(each)
        case Negation(part):
            return not meets(part, row, rows, edges)
        case Presence(field):
            return field.text in row
        case Choice(field, _, values):
            return any(
                _compare("=", held, _value(value))
                for held in row.get(field.text, [])
                for value in values
            )
        case Comparison(field, "!=", value):
            held = row.get(field.text, [])
            return bool(held) and not any(_compare("=", one, _value(value)) for one in held)
        case Comparison(field, sign, value):
            return any(_compare(sign, one, _value(value)) for one in row.get(field.text, []))
        case AffixCall(function, field, value):
            return any(_AFFIXES[function](one, _value(value)) for one in row.get(field.text, []))
        case LookupCall(field, over, inner, from_field, _):
            found = [
                value
                for other in (rows if over == "nodes" else edges).values()
                if meets(inner, other, rows, edges)
                for value in other.get(from_field.text, [])
            ]
            return any(one in found for one in row.get(field.text, []))


def _value(value: object) -> Any:
    assert isinstance(value, Literal)
    return value.value


def _compare(sign: str, held: Any, value: Any) -> bool:
    if isinstance(held, datetime):
        return _compare_time(sign, held, value)
    return _SIGNS[sign](held, value)


def _compare_time(sign: str, held: datetime, text: str) -> bool:
    start = datetime.fromisoformat(text)
    end = start
    if len(text) == 10:
        start = start.replace(tzinfo=UTC)
        end = start + timedelta(days=1) - timedelta(microseconds=1)
    if sign in ("=", ":"):
        return start <= held <= end
    return _SIGNS[sign](held, start if sign in ("<", ">=") else end)
