"""Parameters of the calls as the command line gives them: hops, edges and values of filters, over a request file."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from passageway import Budget, EdgeSpec, Hop, PageRank, Query, SeedGroup
from passageway.cli import files
from passageway.cli.failures import Usage
from passageway.cli.parsing import encodes
from passageway.cli.properties import fault_of
from passageway.cli.rehearsal import Parameters, rehearse

_T = TypeVar("_T")
_QUERIES: Final = {"query", "search"}
_NOT_GIVEN: Final[Sequence[object]] = (None, [], (), {})
_NOTHING: Final[Sequence[object]] = ([], "", Query())
_EVERY_TYPE = "*"
_WHOLE = {"max_per_node", "max_frontier", "max_degree", "iterations", "nodes", "edges"}
_REAL = {"decay", "alpha", "tolerance", "edge_cost"}
_FILTERS = {"filter", "edge_filter"}
_OPTIONS_OF_HOP = {
    "max_per_node",
    "max_frontier",
    "max_degree",
    "direction",
    "decay",
    "filter",
    "edge_filter",
    "weight_property",
}
_OPTIONS_OF_PAGE_RANK = {"alpha", "iterations", "tolerance", "undirected", "reset_field"}
_OPTIONS_OF_BUDGET = {"nodes", "edges", "edge_cost"}
_OPTIONS_OF_EDGES = {"direction", "filter", "weight_property", "max_frontier"}


def hop(text: str) -> Hop:
    """A hop such as ``Depends,Recommends decay=0.5 max_per_node=10``; ``*`` is every type; or JSON."""
    return _part("--hop", text, Hop.from_dict, _OPTIONS_OF_HOP)


def edges(text: str) -> EdgeSpec:
    """The edges that a path may use, such as ``Depends direction=out``; ``*`` is every type; or JSON."""
    return _part("--edges", text, EdgeSpec.from_dict, _OPTIONS_OF_EDGES)


def page_rank(text: str | None) -> PageRank | None:
    """How PageRank runs, such as ``alpha=0.85 iterations=100``; or JSON."""
    return None if text is None else _part("--ppr", text, PageRank.from_dict, _OPTIONS_OF_PAGE_RANK)


def budget(text: str | None) -> Budget | None:
    """The size of what to keep, such as ``nodes=30 edges=40``; or JSON."""
    return None if text is None else _part("--budget", text, Budget.from_dict, _OPTIONS_OF_BUDGET)


def seeds(ids: Sequence[str] | None, wheres: Sequence[str] | None) -> list[SeedGroup | str]:
    """Ids to start from, and filters whose matches do."""
    return [*(ids or ()), *(SeedGroup(query=Query(filter=where)) for where in wheres or ())]


def variables(given: Sequence[str] | None) -> Parameters | None:
    """Values of ``$names``: each is NAME=VALUE, the value JSON or else a plain string."""
    if not given:
        return None
    found: Parameters = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise Usage(f"--var {text!r}: expected is NAME=VALUE, such as seed=0ad")
        item = _json_or_text(value)
        fault = fault_of(item)
        if fault is not None:
            raise Usage(f"--var {text!r}: {fault}")
        found[name.removeprefix("$")] = item
    return found


def parameters(
    method: Callable[..., object],
    file: str | None,
    flags: Parameters,
    *,
    needed: Mapping[str, str] | None = None,
    **defaults: object,
) -> Parameters:
    """What *method*, of CollectionClient, is to be called with: *flags* that were given, over *file*, over *defaults*.

    A flag of members, as of a query and of variables, wins over those that it names alone; the others of the file stay.
    Usage for a parameter of *needed*, which has beside it what gives it on the command line, that nothing gives.
    """
    given = {} if file is None else files.request(file, method)
    for name, flag in flags.items():
        if flag not in _NOT_GIVEN:
            there = given.get(name, Query() if name in _QUERIES else None)
            given[name] = _over(there, flag)
    asked = {**defaults, **given}
    rehearse(method, asked, defaults=defaults)
    missing = [place for name, place in (needed or {}).items() if asked.get(name) in _NOTHING]
    if missing:
        raise Usage(f"give {' and '.join(missing)}, or the same in a file by --request")
    return asked


def _over(there: Any, flag: Any) -> Any:
    """*flag* in the place of what is *there*; a flag of members in the place of these alone."""
    if not isinstance(flag, dict):
        return flag
    members = cast(Parameters, flag)
    if isinstance(there, Query):
        return replace(
            there, **{name: _over(getattr(there, name), value) for name, value in members.items()}
        )
    return {**cast(Parameters, there or {}), **members}


def text(value: str | None) -> str | None:
    """A name as it was given, which is to be text: the bytes of an argument need not be."""
    if value is not None and not encodes(value):
        raise Usage(f"{value!r} is not UTF-8; write it in the encoding of the terminal")
    return value


def _part(option: str, text: str, make: Callable[[object], _T], known: set[str]) -> _T:
    members: Parameters = {}
    try:
        if text.lstrip().startswith("{"):
            return make(json.loads(text))
        words, before, typed = shlex.split(text), "", "direction" in known
        if typed and not words:
            raise ValueError(f"names no edge type; {_EVERY_TYPE} is every type")
        for word in words:
            name, equals, value = word.partition("=")
            if name in known and (equals or not typed):
                members[name] = _number_or_text(name, value)
            elif before in _FILTERS or (equals and not name):
                raise ValueError(_unquoted(before, members.get(before)))
            elif typed and not equals:
                members.setdefault("types", []).extend(_types(word))
            else:
                raise Usage(
                    f"{option} {text!r}: unknown {name}; known are {', '.join(sorted(known))}"
                )
            before = name
        return make(members)
    except (ValueError, RecursionError) as fault:
        raise Usage(f"{option} {text!r}: {fault}") from fault


def _unquoted(before: str, value: object) -> str:
    """What is said of a word that is a part of the value of the option *before* it, or of none."""
    if before in _FILTERS:
        return f"a value with spaces stands in quotes: {before}='{value} …'"
    return "= stands between a name and its value, without spaces"


def _types(word: str) -> list[str]:
    if word == _EVERY_TYPE:
        return []
    names = [name for name in word.split(",") if name]
    if not names:
        raise ValueError(f"{word!r} names no edge type; {_EVERY_TYPE} is every type")
    return names


def _number_or_text(name: str, value: str) -> object:
    kind = "whole number" if name in _WHOLE else "number"
    if name == "undirected":
        if value not in ("true", "false"):
            raise ValueError(f"{name}: {value!r} is neither true nor false")
        return value == "true"
    try:
        if name in _WHOLE:
            return int(value)
        return float(value) if name in _REAL else value
    except ValueError:
        raise ValueError(f"{name}: {value!r} is no {kind}") from None


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
