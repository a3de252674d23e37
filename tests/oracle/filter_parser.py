"""The filter language, read by recursive descent into a small tree.

Only the form is judged here: names, kinds and ``$vars`` are bound in filters.py.
"""

import re
from dataclasses import dataclass

from tests.oracle.refusals import Refused

MOST_BYTES, MOST_TERMS, MOST_DEPTH = 64 * 1024, 512, 32

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.\-]))
  | (?P<var>\$[\w.\-]+)
  | (?P<word>[\w.][\w.\-]*)
  | (?P<quoted>"(?:[^"\\]|\\["\\])*")
  | (?P<sign>!=|<=|>=|[=<>:(),*])
    """,
    re.VERBOSE,
)
_RESERVED = frozenset({"AND", "OR", "NOT", "IN"})
_AFFIXES = frozenset({"starts_with", "ends_with", "contains"})


class Unreadable(Exception):
    """The text is no filter."""


@dataclass(frozen=True, slots=True)
class Var:
    """A ``$name``, to be found in the vars of the request."""

    name: str


Operand = str | int | float | bool | Var


@dataclass(frozen=True, slots=True)
class Compare:
    field: str
    sign: str  # = != < <= > >= or : or IN
    operands: tuple[Operand, ...]
    listed: bool = False  # :(a OR b), IN (a, b)


@dataclass(frozen=True, slots=True)
class Has:
    field: str


@dataclass(frozen=True, slots=True)
class Affix:
    function: str
    field: str
    operand: Operand


@dataclass(frozen=True, slots=True)
class Join:
    field: str
    inner: "Tree"
    from_field: str
    max_values: int
    from_edges: bool


@dataclass(frozen=True, slots=True)
class Not:
    inner: "Tree"


@dataclass(frozen=True, slots=True)
class Every:
    parts: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Some:
    parts: tuple["Tree", ...]


Tree = Compare | Has | Affix | Join | Not | Every | Some


def parse(text: str) -> Tree:
    """The tree of a filter, or `Unreadable`."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise Unreadable("too long")
    reading = _Reading(_tokens(text))
    tree = reading.alternatives(0)
    reading.end()
    return tree


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise Unreadable(f"nothing begins with {text[at]!r}")
        if match.lastgroup != "space":
            tokens.append((match.lastgroup, match.group()))
        at = match.end()
    return [*tokens, ("end", "")]


class _Reading:
    """A place in the tokens, and what has been counted up to there."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._terms = 0

    def end(self) -> None:
        if self._tokens[self._at][0] != "end":
            raise Unreadable("more than a filter")

    def alternatives(self, depth: int) -> Tree:
        """Terms joined by AND alone, or by OR alone."""
        if depth > MOST_DEPTH:
            raise Unreadable("too deep")
        parts = [self._term(depth)]
        joined_by = {"AND": False, "OR": False}
        while self._next_is("AND", "OR"):
            joined_by[self._take()] = True
            parts.append(self._term(depth))
        if all(joined_by.values()):
            raise Unreadable("AND and OR want parentheses")
        if len(parts) == 1:
            return parts[0]
        return Some(tuple(parts)) if joined_by["OR"] else Every(tuple(parts))

    def _term(self, depth: int) -> Tree:
        if depth > MOST_DEPTH:
            raise Unreadable("too deep")
        if self._next_is("NOT"):
            self._take()
            return Not(self._term(depth + 1))
        if self._next_is("("):
            self._take()
            inner = self.alternatives(depth + 1)
            self._expect(")")
            return inner
        self._terms += 1
        if self._terms > MOST_TERMS:
            raise Unreadable("too many terms")
        called = self._tokens[self._at + 1 : self._at + 2] == [("sign", "(")]
        if called and self._next_is("lookup"):
            return self._join(depth)
        if called and self._next_is(*_AFFIXES):
            return self._affix()
        return self._comparison()

    def _comparison(self) -> Tree:
        field = self._name()
        sign = self._take()
        if sign == "IN":
            if self._tokens[self._at][0] == "var":
                return Compare(field, sign, (self._operand(),), listed=True)
            return Compare(field, sign, self._list(","), listed=True)
        if sign == ":":
            if self._next_is("*"):
                self._take()
                return Has(field)
            if self._next_is("("):
                return Compare(field, sign, self._list("OR"), listed=True)
        if sign not in {"=", "!=", "<", "<=", ">", ">=", ":"}:
            raise Unreadable(f"{sign!r} compares nothing")
        return Compare(field, sign, (self._operand(),))

    def _list(self, between: str) -> tuple[Operand, ...]:
        self._expect("(")
        operands = [self._operand()]
        while self._next_is(between):
            self._take()
            operands.append(self._operand())
        self._expect(")")
        return tuple(operands)

    def _affix(self) -> Tree:
        function = self._take()
        self._expect("(")
        field = self._name()
        self._expect(",")
        operand = self._operand()
        self._expect(")")
        return Affix(function, field, operand)

    def _join(self, depth: int) -> Tree:
        self._take()
        self._expect("(")
        field = self._name()
        self._expect(",")
        from_edges = self._next_is("from_edges")
        for expected in ("from_edges" if from_edges else "from", "=", "("):
            self._expect(expected)
        inner = self.alternatives(depth + 1)
        for expected in (")", ",", "from_field", "="):
            self._expect(expected)
        from_field = self._name()
        max_values = 65_536
        if self._next_is(","):
            for expected in (",", "max_values", "="):
                self._expect(expected)
            given = self._operand()
            if (
                isinstance(given, bool)
                or not isinstance(given, int)
                or not 1 <= given <= max_values
            ):
                raise Unreadable("max_values has a range")
            max_values = given
        self._expect(")")
        return Join(field, inner, from_field, max_values, from_edges)

    def _name(self) -> str:
        group, text = self._tokens[self._at]
        if group == "quoted":
            self._at += 1
            return _unquoted(text)
        if group in ("word", "number") and text not in _RESERVED and not text.startswith("-"):
            self._at += 1
            return text
        raise Unreadable(f"{text!r} is no field")

    def _operand(self) -> Operand:
        group, text = self._tokens[self._at]
        self._at += 1
        if group == "quoted":
            return _unquoted(text)
        if group == "var":
            return Var(text[1:])
        if group == "number":
            return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        if group == "word" and text not in _RESERVED:
            return {"true": True, "false": False}.get(text, text)
        raise Unreadable(f"{text!r} is no value")

    def _next_is(self, *texts: str) -> bool:
        group, text = self._tokens[self._at]
        return group in ("word", "sign") and text in texts

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _expect(self, text: str) -> None:
        if not self._next_is(text):
            raise Unreadable(f"expected {text!r}")
        self._at += 1


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def refuse_unreadable(text: str, path: str) -> Tree:
    """The tree of *text*; what cannot be read is a fault at *path*."""
    try:
        return parse(text)
    except Unreadable as why:
        raise Refused("INVALID_ARGUMENT", [path]) from why
