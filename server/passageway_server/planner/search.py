"""What a Search asks for, bound and bounded."""

import re
from dataclasses import dataclass
from typing import Final

from passageway_server.columns.gates import Gate
from passageway_server.engine.facets import FacetPlan
from passageway_server.engine.metrics import MetricPlan
from passageway_server.engine.query import QueryPlan
from passageway_server.engine.selection import Selection
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.facets import plan_facets, plan_metrics
from passageway_server.planner.limits import Limit
from passageway_server.planner.query import plan_query
from passageway_server.values.queries import Query
from passageway_server.values.requests import SearchRequest
from passageway_server.version.version import Version

_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
_HUMP: Final = re.compile(r"(?<![A-Z])[A-Z]+[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """A query, and what its best are: no more than ``type_cap`` of a type in front of other types, 0 for any number.

    Rows that bear one of ``names`` stand in front; ``types`` are those that were asked for, each once.
    """

    query: QueryPlan
    names: frozenset[str]
    types: tuple[str, ...]
    type_cap: int


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A query, and what is shown and told of all that it finds."""

    finding: Finding
    selection: Selection
    max_chars: int
    facets: dict[str, FacetPlan]
    metrics: dict[str, MetricPlan]
    applied: dict[str, int]


def plan_search(request: SearchRequest, *, version: Version, gate: Gate) -> SearchPlan:
    """Bind *request* to *version* and to what the holder of *gate*, a read gate, knows.

    Raises InvalidRequest with every fault.
    """
    binding = Binding(version, gate, bounds=request.bounds, vars={})
    plan = SearchPlan(
        finding=plan_finding(request.query, request.type_cap, binding, limit=limits.FOUND),
        selection=binding.node_fields(request.fields),
        max_chars=binding.number(
            "content_max_chars", request.content_max_chars, limits.CONTENT_CHARS
        ),
        facets=plan_facets(request.facets, binding, over="nodes"),
        metrics=plan_metrics(request.metrics, binding, over="nodes"),
        applied=binding.applied,
    )
    binding.check()
    return plan


def plan_finding(query: Query, type_cap: int | None, binding: Binding, *, limit: Limit) -> Finding:
    """The plan of a *query* that is the parameter ``query`` of its request."""
    planned = plan_query(query, binding, path="query", limit=limit)
    cap = binding.number("type_cap", type_cap, limits.TYPE_CAP)
    return Finding(
        query=planned,
        names=_names(query),
        types=tuple(dict.fromkeys(query.types)),
        type_cap=0 if query.sort or not planned.lists else cap,
    )


def _names(query: Query) -> frozenset[str]:
    """The names out of code among the words of *query*, of texts that are not too long to be looked for."""
    texts = [one.text for one in (query, *query.also) if len(one.text) <= limits.TEXT_BYTES]
    words = (word for text in texts for word in _IDENTIFIER.findall(text))
    return frozenset(filter(is_identifier, words))


def is_identifier(word: str) -> bool:
    """Whether *word* is a name out of code: with ``_`` in it, or of two or more humps, as in ``HashMap``."""
    return "_" in word.strip("_") or len(_HUMP.findall(word)) > 1
