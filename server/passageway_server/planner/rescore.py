"""The expression that gives the scores of a query: from its text to what the engine works out.

It is read within limits: 4 KiB, 128 terms, depth 32. A fault shows its place with a caret.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token, UnexpectedCharacters, UnexpectedToken
from lark.exceptions import VisitError
from lark.visitors import Transformer_NonRecursive

from passageway_server.columns.kinds import kind_name, said
from passageway_server.engine.expression import (
    FUNCTIONS,
    Call,
    Chain,
    Expression,
    Held,
    Negated,
    Number,
    Score,
)
from passageway_server.engine.known import KnownFields
from passageway_server.planner.faults import Faults
from passageway_server.planner.filters import unknown_field
from passageway_server.planner.limits import RESCORE_BYTES, RESCORE_DEPTH, RESCORE_TERMS
from passageway_server.planner.reading import unquoted
from passageway_server.planner.syntax import Name, Unreadable, shown
from passageway_server.values.collections import Kind
from passageway_server.values.records import PlainValue

_NUMBERS = (Kind.INT, Kind.FLOAT)
_NOTHING = Number(0.0)
_COALESCE = "coalesce"


def plan_rescore(
    text: str, *, path: str, known: KnownFields, vars: Mapping[str, PlainValue], faults: Faults
) -> Expression | None:
    """The expression that *text* is; None where it is blank, or faulty: then there is a fault at *path*."""
    if not text.strip():
        return None
    try:
        return _read(text, _Binding(known, vars))
    except Unreadable as unreadable:
        faults.add(path, shown(text, unreadable.at, unreadable.message))
        return None


def _read(text: str, binding: "_Binding") -> Expression:
    if len(text.encode("utf-8", "surrogatepass")) > RESCORE_BYTES:
        raise Unreadable(f"an expression has at most {RESCORE_BYTES} bytes", 0)
    lark = _lark()
    try:
        tokens: list[Token] = list(lark.lex(text))
    except UnexpectedCharacters as unexpected:
        at = cast(Any, unexpected).pos_in_stream
        raise Unreadable(f"{text[at]!r} has no meaning here", at) from None
    _hold(tokens)
    reading = lark.parse_interactive()
    try:
        for token in tokens:
            reading.feed_token(token)
        tree = reading.feed_token(Token.new_borrow_pos("$END", "", tokens[-1]))
    except UnexpectedToken as unexpected:
        token = cast(Any, unexpected).token
        if token.type == "$END":
            raise Unreadable("the expression ends early", len(text.rstrip())) from None
        raise Unreadable(f"unexpected {str(token)[:40]!r}", token.start_pos or 0) from None
    try:
        return cast(Expression, binding.transform(tree))
    except VisitError as error:
        raise error.orig_exc from None


@cache
def _lark() -> Any:  # lark leaves the types of its texts and tokens open
    grammar = Path(__file__).with_name("expression.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic")


def _hold(tokens: Sequence[Token]) -> None:
    """Refuse what has too many terms, or is nested too deep."""
    depth, terms = 0, 0
    for token in tokens:
        depth += (token.type == "LPAR") - (token.type == "RPAR")
        terms += token.type in ("NUMBER", "VAR", "NAME", "STRING")
        if depth > RESCORE_DEPTH:
            raise Unreadable(f"an expression is at most {RESCORE_DEPTH} deep", _at(token))
        if terms > RESCORE_TERMS:
            raise Unreadable(f"an expression has at most {RESCORE_TERMS} terms", _at(token))


class _Binding(Transformer_NonRecursive[Token, Any]):
    """A method for each rule of the grammar, met from the leaves up; raises `Unreadable`."""

    def __init__(self, known: KnownFields, vars: Mapping[str, PlainValue]) -> None:
        super().__init__()
        self._known, self._vars = known, vars

    def start(self, parts: list[Any]) -> Expression:
        return self._number_of(parts[0])

    def sum(self, parts: list[Any]) -> Any:
        if len(parts) == 1:  # a name by itself may be what coalesce asks for
            return parts[0]
        signs = map(str, parts[1::2])
        first, *others = map(self._number_of, parts[::2])
        return Chain(first, tuple(zip(signs, others, strict=True)))

    product = sum

    def signed(self, parts: list[Any]) -> Any:
        *signs, part = parts
        if not signs:
            return part
        number = self._number_of(part)
        return Negated(number) if len(signs) % 2 else number

    def group(self, parts: list[Any]) -> Expression:
        return self._number_of(parts[1])

    def number(self, parts: list[Token]) -> Expression:
        (token,) = parts
        value = float(token)
        if value == float("inf"):
            raise Unreadable("no double is as large as this number", _at(token))
        return Number(value)

    def var(self, parts: list[Token]) -> Expression:
        (token,) = parts
        if token[1:] not in self._vars:
            raise Unreadable(f"no {token} in vars", _at(token))
        value = self._vars[token[1:]]
        if isinstance(value, bool) or not isinstance(value, int | float):
            found = "a list" if isinstance(value, list) else said(value)
            raise Unreadable(f"{token} is to be a number, found {found}", _at(token))
        return Number(float(value))

    def name(self, parts: list[Token]) -> Name:
        (token,) = parts
        return Name(unquoted(token) if token.type == "STRING" else str(token), _at(token))

    def call(self, parts: list[Any]) -> Expression:
        function: Token = parts[0]
        arguments = [part for part in parts[1:] if not isinstance(part, Token)]
        if function == _COALESCE:
            if len(arguments) != 2 or not isinstance(arguments[0], Name):
                raise Unreadable("coalesce takes a field and a number", _at(function))
            return self._held(arguments[0], self._number_of(arguments[1]))
        if function not in FUNCTIONS:
            listed = ", ".join(sorted([*FUNCTIONS, _COALESCE]))
            raise Unreadable(
                f"no function {str(function)[:40]!r}; there are {listed}", _at(function)
            )
        known = FUNCTIONS[str(function)]
        if not known.least <= len(arguments) <= known.most:
            wanted = {1: "one number", 2: "two numbers"}.get(known.most, "two numbers or more")
            raise Unreadable(f"{function} takes {wanted}", _at(function))
        return Call(str(function), tuple(map(self._number_of, arguments)))

    def _number_of(self, part: Any) -> Expression:
        if isinstance(part, Name):
            return Score() if part.text == "score" else self._held(part, _NOTHING)
        return cast(Expression, part)

    def _held(self, name: Name, missing: Expression) -> Expression:
        field = self._known.get(name.text)
        if field is None:
            raise Unreadable(unknown_field(name.text, self._known), name.at)
        if field.kind not in _NUMBERS:
            raise Unreadable(f"{name.text} is a {kind_name(field.kind)}, not a number", name.at)
        return Held(field, missing)


def _at(token: Token) -> int:
    return token.start_pos or 0
