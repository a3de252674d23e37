"""A filter as it was written: its tree, and how a fault in it is shown.

Nothing is bound here. Each part keeps its place in the text, an offset in characters, for the caret
of a fault.
"""

from dataclasses import dataclass

from passageway_server.engine.predicate import Over

_SHOWN = 60  # characters on either side of the caret


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a field."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that stands in the text."""

    value: str | int | float | bool
    at: int


@dataclass(frozen=True, slots=True)
class Var:
    """A ``$name``: its value is in the vars of the request."""

    name: str
    at: int


Value = Literal | Var


@dataclass(frozen=True, slots=True)
class Chain:
    """Parts joined by AND, or by OR."""

    operator: str
    parts: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Negation:
    part: "Tree"


@dataclass(frozen=True, slots=True)
class Presence:
    """``field:*``"""

    field: Name


@dataclass(frozen=True, slots=True)
class Comparison:
    """A field, a sign (``:`` among them) and one value."""

    field: Name
    sign: str
    value: Value


@dataclass(frozen=True, slots=True)
class Choice:
    """``field:(a OR b)`` and ``field IN (a, b)``."""

    field: Name
    sign: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class AffixCall:
    """``starts_with``, ``ends_with`` or ``contains``."""

    function: str
    field: Name
    value: Value


@dataclass(frozen=True, slots=True)
class LookupCall:
    """``lookup(field, from=…, from_field=…)``, or with ``from_edges``: ``inner`` is over edges."""

    field: Name
    over: Over
    inner: "Tree"
    from_field: Name
    max_values: int | None
    at: int


Tree = Chain | Negation | Presence | Comparison | Choice | AffixCall | LookupCall


class Unreadable(Exception):
    """The text is no filter: ``message`` at the offset ``at``."""

    def __init__(self, message: str, at: int) -> None:
        self.message, self.at = message, at
        super().__init__(message)


def shown(text: str, at: int, message: str) -> str:
    """*message* with line and column, and a caret below the character of *text* at offset *at*."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : len(text) if end < 0 else end]
    number, column = text.count("\n", 0, at) + 1, at - start + 1
    left = max(0, column - 1 - _SHOWN)
    excerpt = line[left : column - 1 + _SHOWN]
    caret = " " * (column - 1 - left) + "^"
    return f"line {number}, column {column}: {message}\n  {excerpt}\n  {caret}"
