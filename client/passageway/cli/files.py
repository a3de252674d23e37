"""Files that options name: JSON documents, and requests whose members are the parameters of the client's method."""

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import passageway
from passageway import BadRecord, EdgeSpec, Hop, Query
from passageway.cli.failures import Usage
from passageway.cli.lines import STDIN
from passageway.cli.properties import fault_of


def json_file(option: str, file: str) -> object:
    """The JSON document in *file* (``-`` is stdin), which *option* named."""
    try:
        held = sys.stdin.read() if file == STDIN else Path(file).read_text(encoding="utf-8")
        return cast(object, json.loads(held))
    except OSError as fault:
        raise Usage(f"{option} {file}: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:
        raise Usage(f"{option} {file}: no JSON: {fault}") from fault


def request(file: str, method: Callable[..., object]) -> dict[str, Any]:
    """The parameters of *method*, of CollectionClient, that *file* gives; those of ``read`` may stand inside that."""
    document = json_file("--request", file)
    if not isinstance(document, dict):
        raise Usage(f"--request {file}: expected is one object, whose members are parameters")
    members = cast(dict[str, Any], document)
    inner: object = members.pop("read", None) or {}
    if not isinstance(inner, dict):
        raise Usage(f"--request {file}: read: expected is an object")
    members.update(cast(dict[str, Any], inner))
    known = [
        name for name in inspect.signature(method).parameters if name not in ("self", "timeout")
    ]
    made: dict[str, Any] = {}
    for name, value in members.items():
        if name not in known:
            raise Usage(f"--request {file}: unknown {name}; known are {', '.join(known)}")
        try:
            made[name] = _PARTS.get(name, _same)(value)
        except BadRecord as fault:
            raise Usage(f"--request {file}: {name}: {fault}") from fault
    return made


def _same(value: object) -> object:
    return value


def _seeds(value: object) -> object:
    groups = cast(list[object], value) if isinstance(value, list) else [value]
    return [
        group if isinstance(group, str) else passageway.SeedGroup.from_dict(group)
        for group in groups
    ]


def _each(make: Callable[[object], object]) -> Callable[[object], object]:
    def made(value: object) -> object:
        if not isinstance(value, list):
            raise BadRecord("", "expected is a list")
        return [make(item) for item in cast(list[object], value)]

    return made


def _by_name(make: Callable[[object], object]) -> Callable[[object], object]:
    def made(value: object) -> object:
        if not isinstance(value, dict):
            raise BadRecord("", "expected is an object")
        return {name: make(item) for name, item in cast(dict[str, object], value).items()}

    return made


def _variable(value: object) -> object:
    fault = fault_of(value)
    if fault is not None:
        raise BadRecord("", fault)
    return value


def _query(value: object) -> Query:
    return Query(value) if isinstance(value, str) else Query.from_dict(value)


_PARTS: dict[str, Callable[[object], object]] = {
    "seeds": _seeds,
    "hops": _each(Hop.from_dict),
    "edges": _each(EdgeSpec.from_dict),
    "vars": _by_name(_variable),
    "query": _query,
    "page": passageway.TextPageRequest.from_dict,
    "search": passageway.Query.from_dict,
    "ppr": passageway.PageRank.from_dict,
    "budget": passageway.Budget.from_dict,
    "facets": _by_name(passageway.Facet.from_dict),
    "metrics": _by_name(passageway.Metric.from_dict),
}
