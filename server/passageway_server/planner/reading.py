"""Builds the tree of a filter from the leaves up, as the grammar's rules are met: no recursion."""

import re
from collections.abc import Iterable
from typing import Any, cast

from lark import Token, Transformer

from passageway_server.planner.syntax import (
    AffixCall,
    Chain,
    Choice,
    Comparison,
    Literal,
    LookupCall,
    Name,
    Negation,
    Presence,
    Tree,
    Unreadable,
    Value,
    Var,
)

_AFFIXES = frozenset({"starts_with", "ends_with", "contains"})
_LOOKUP_FORM = "lookup is written lookup(field, from=(FILTER), from_field=NAME), or with from_edges"


class Reading(Transformer[Token, Tree]):
    """A method for each rule of the grammar; raises `Unreadable` for what the rules let through."""

    def start(self, parts: list[Any]) -> Tree:
        return cast(Tree, parts[0])

    def chain(self, parts: list[Any]) -> Tree:
        if len(parts) == 1:
            return cast(Tree, parts[0])
        return Chain(str(parts[1]), tuple(parts[::2]))

    def negation(self, parts: list[Any]) -> Tree:
        return Negation(parts[1])

    def group(self, parts: list[Any]) -> Tree:
        return cast(Tree, parts[1])

    def presence(self, parts: list[Any]) -> Tree:
        return Presence(parts[0])

    def comparison(self, parts: list[Any]) -> Tree:
        field, sign, value = parts
        return Comparison(field, str(sign), value)

    def choice(self, parts: list[Any]) -> Tree:
        values = tuple(part for part in parts[2:] if not isinstance(part, Token))
        if parts[1].type == "IN" and len(parts) == 3 and not isinstance(values[0], Var):
            raise Unreadable("IN takes (a, b, …) or a $name", values[0].at)
        return Choice(parts[0], str(parts[1]), values)

    def call(self, parts: list[Any]) -> Tree:
        function: Token = parts[0]
        field: Name = parts[2]
        arguments = [part for part in parts[3:] if not isinstance(part, Token)]
        if function == "lookup":
            return _lookup(function, field, arguments)
        if function not in _AFFIXES:
            known = "lookup, starts_with, ends_with, contains"
            raise Unreadable(
                f"no function {str(function)[:40]!r}; there are {known}", _at(function)
            )
        if len(arguments) != 1 or not isinstance(arguments[0], Literal | Var):
            raise Unreadable(f"{function} takes a field and a text", _at(function))
        return AffixCall(str(function), field, arguments[0])

    def keyword(self, parts: list[Any]) -> tuple[Token, Any]:
        name, sign, argument = parts
        if sign != "=":
            raise Unreadable("expected '='", _at(sign))
        return name, argument

    def name(self, parts: list[Token]) -> Name:
        (token,) = parts
        if token.type == "STRING":
            return Name(unquoted(token), _at(token))
        if token.startswith("-"):
            raise Unreadable("a name does not begin with -; put it in double quotes", _at(token))
        return Name(str(token), _at(token))

    def value(self, parts: list[Token]) -> Value:
        (token,) = parts
        match token.type:
            case "STRING":
                return Literal(unquoted(token), _at(token))
            case "VAR":
                return Var(token[1:], _at(token))
            case "NUMBER":
                return Literal(_number(token), _at(token))
            case _:
                words: dict[str, str | bool] = {"true": True, "false": False}
                return Literal(words.get(token, str(token)), _at(token))


def _lookup(function: Token, field: Name, arguments: Iterable[Any]) -> LookupCall:
    named: dict[str, Any] = {}
    for argument in arguments:
        if not isinstance(argument, tuple) or argument[0] in named:
            raise Unreadable(_LOOKUP_FORM, _at(function))
        name, value = cast(tuple[Token, Any], argument)
        if name not in ("from", "from_edges", "from_field", "max_values"):
            raise Unreadable(f"lookup takes no {str(name)[:40]!r}; {_LOOKUP_FORM}", _at(name))
        named[str(name)] = value
    inner, from_field = named.get("from", named.get("from_edges")), named.get("from_field")
    if ("from" in named) == ("from_edges" in named) or isinstance(inner, Literal | Var):
        raise Unreadable(_LOOKUP_FORM, _at(function))
    if not isinstance(from_field, Literal) or isinstance(from_field.value, int | float):
        raise Unreadable(_LOOKUP_FORM, _at(function))
    most = named.get("max_values")
    if most is not None and (not isinstance(most, Literal) or type(most.value) is not int):
        raise Unreadable("max_values is a whole number", _at(function))
    return LookupCall(
        field,
        "nodes" if "from" in named else "edges",
        cast(Tree, inner),
        Name(str(from_field.value), from_field.at),
        None if most is None else cast(int, most.value),
        _at(function),
    )


def _at(token: Token) -> int:
    return token.start_pos or 0


def _number(token: Token) -> int | float:
    if re.fullmatch("-?[0-9]+", token):
        if len(token) > 400:
            raise Unreadable("a number with too many digits", _at(token))
        return int(token)
    number = float(token)
    if number in (float("inf"), float("-inf")):
        raise Unreadable("no double is as large as this number", _at(token))
    return number


def unquoted(token: Token) -> str:
    """What stands in the quotes of *token*; raises `Unreadable`."""
    wrong = re.search(r'\\[^"\\]', token.replace(r"\\", "  "), flags=re.DOTALL)
    if wrong is not None:
        raise Unreadable(
            r"in quotes \ stands only before \ and a quote", _at(token) + wrong.start()
        )
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL)
