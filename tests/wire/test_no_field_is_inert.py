"""No field of a read is inert: for each there are two calls that differ in it alone, and in their answers."""

import copy
from collections.abc import Callable, Iterator
from typing import cast

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2, search_pb2
from tests.peers import LocalPeer
from tests.wire.small_world import REQUESTS, Json, asked, small_peer

LATER = {
    "vector",
    "vector_field",
    "rescore",
    "also",
}
"""What comes with Search, and is refused by name until then."""

EXPAND: Json = {"collection": "c", "seeds": [{"ids": ["a"]}], "hops": [{}]}
_BY_QUERY = {
    **EXPAND,
    "seeds": [{"query": {"filter": "type = $t", "vars": {"t": {"string_value": "service"}}}}],
}
_SHARED: Json = {
    **EXPAND,
    "with_edges": True,
    "hops": [
        {
            "edges": {"types": ["NONE"]},
            "shared": [{"name": "S", "edge_type": "BELONGS_TO", "through_type": "community"}],
        }
    ],
}
_PPR: Json = {
    **EXPAND,
    "seeds": [{"ids": ["a", "c"]}],
    "hops": [{}, {}],
    "rank": "RANK_PPR",
    "ppr": {},
}
_BUDGET: Json = {**EXPAND, "hops": [{}, {}], "budget": {"nodes": 4}, "with_subgraph": True}
_SEARCH: Json = {
    **EXPAND,
    "search": {"filter": "type = $t", "vars": {"t": {"string_value": "service"}}},
}
_WORDED: Json = {"text": "alpho", "max_edits": 1}
_SEEDS_BY_WORDS: Json = {**EXPAND, "seeds": [{"query": _WORDED}]}
_SEARCH_BY_WORDS: Json = {**EXPAND, "search": _WORDED}
_FILTERED: Json = {**EXPAND, "filter": "type = $t", "vars": {"t": {"string_value": "service"}}}
_FACETS: Json = {"facets": {"x": {"field": "type"}}}
_METRICS: Json = {"metrics": {"x": {"field": "size", "op": "OP_MIN"}}}
_TEAM: Json = {"t": {"string_value": "team"}}

PATHS: Json = {"collection": "c", "sources": ["a"], "targets": ["d"]}
_ALL: Json = {**PATHS, "mode": "MODE_ALL_SIMPLE"}

LOOKUP: Json = {"collection": "c", "filter": "type = service"}
_JOIN: Json = {
    "collection": "c", "kind": "KIND_EDGES", "field": "source", "from_filter": "size > 2",
    "from_field": "id", "from_kind": "KIND_NODES",
}  # fmt: skip

SLICE: Json = {"collection": "c", "id": "a3"}
_PAGE: Json = {"collection": "c", "id": "a", "page": {"property": "content"}}

CONTEXT: Json = {"collection": "c", "ids": ["a"]}
_FOUND_BY_WORDS: Json = {"collection": "c", "query": _WORDED}
_FOUND: Json = {
    "collection": "c",
    "query": {"filter": "type = $t", "vars": {"t": {"string_value": "service"}}},
}


def _next_page(peer: LocalPeer) -> str:
    reply = asked(peer, "Lookup", {**LOOKUP, "page_size": 1})
    return reply.read(read_pb2.LookupResponse).next_page_token


def _first(peer: LocalPeer) -> str:
    """The version in which the collection was made, with nothing in it."""
    newest = asked(peer, "Lookup", LOOKUP).read(read_pb2.LookupResponse).version
    return f"{newest[:20]}{1:012x}"


Value = object | Callable[[LocalPeer], str]

CASES: dict[str, dict[str, tuple[Json, Value]]] = {
    "Expand": {
        "collection": (EXPAND, "other"),
        "read.at_version": (EXPAND, _first),
        "read.at_least_version": (EXPAND, "no version"),
        "read.project": (EXPAND, "p"),
        "read.evidence": (EXPAND, "EVIDENCE_CURRENT"),
        "seeds.ids": (EXPAND, ["c"]),
        "seeds.weight": (EXPAND, 2.0),
        "seeds.query.filter": (_BY_QUERY, "type = team"),
        "seeds.query.vars": (_BY_QUERY, _TEAM),
        "seeds.query.text": (_SEEDS_BY_WORDS, "gamma"),
        "seeds.query.text_fields": (_SEEDS_BY_WORDS, ["name"]),
        "seeds.query.max_edits": (_SEEDS_BY_WORDS, 0),
        "seeds.query.types": (_BY_QUERY, ["team"]),
        "seeds.query.limit": (_BY_QUERY, 1),
        "seeds.query.sort": (
            {**EXPAND, "seeds": [{"query": {"filter": "size:*", "limit": 1}}]},
            ["size"],
        ),
        "hops.edges.types": (EXPAND, ["BELONGS_TO"]),
        "hops.edges.direction": (EXPAND, "DIRECTION_IN"),
        "hops.edges.filter": (EXPAND, "weight > 0.6"),
        "hops.edges.weight_property": (EXPAND, "strength"),
        "hops.edges.max_frontier": (EXPAND, 5),
        "hops.decay": (EXPAND, 0.5),
        "hops.filter": (EXPAND, "type = team"),
        "hops.max_per_node": (EXPAND, 1),
        "hops.max_frontier": (EXPAND, 1),
        "hops.max_degree": (EXPAND, 1),
        "hops.shared.name": (_SHARED, "T"),
        "hops.shared.edge_type": (_SHARED, "KNOWS"),
        "hops.shared.through_type": (_SHARED, "team"),
        "hops.shared.weight": (_SHARED, 2.0),
        "hops.shared.max_members": (_SHARED, 1),
        "propagate": ({**EXPAND, "seeds": [{"ids": ["b", "c"]}]}, "PROPAGATE_MAX"),
        "rank": (EXPAND, "RANK_PPR"),
        "ppr.alpha": (_PPR, 0.9),
        "ppr.iterations": (_PPR, 1),
        "ppr.tolerance": (_PPR, 0.5),
        "ppr.undirected": (_PPR, False),
        "ppr.reset_field": (_PPR, "specificity"),
        "limit": (EXPAND, 1),
        "include_seeds": (EXPAND, False),
        "min_hop": (EXPAND, 1),
        "filter": (EXPAND, "type != team"),
        "return_filter": (EXPAND, "type = team"),
        "vars": (_FILTERED, _TEAM),
        "fields": (EXPAND, ["size"]),
        "content_max_chars": (EXPAND, 9),
        "with_edges": (EXPAND, True),
        "with_subgraph": (EXPAND, True),
        "edge_fields": ({**EXPAND, "with_edges": True}, ["strength"]),
        "max_edges": ({**EXPAND, "with_subgraph": True}, 1),
        "budget.nodes": (_BUDGET, 2),
        "budget.edges": (_BUDGET, 1),
        "budget.edge_cost": (_BUDGET, 0.95),
        "max_nodes": (EXPAND, 1),
        "timeout_ms": (EXPAND, 1),
        "facets.field": ({**EXPAND, **_FACETS}, "size"),
        "facets.limit": ({**EXPAND, **_FACETS}, 1),
        "metrics.field": ({**EXPAND, **_METRICS}, "specificity"),
        "metrics.op": ({**EXPAND, **_METRICS}, "OP_SUM"),
        "search.filter": (_SEARCH, "type = team"),
        "search.vars": (_SEARCH, _TEAM),
        "search.text": (_SEARCH_BY_WORDS, "gamma"),
        "search.text_fields": (_SEARCH_BY_WORDS, ["name"]),
        "search.max_edits": (_SEARCH_BY_WORDS, 0),
        "search.types": (_SEARCH, ["team"]),
        "search.limit": (_SEARCH, 1),
        "search.sort": (_SEARCH, ["size"]),
        "search_fields": (_SEARCH, ["size"]),
        "bounds": ({**EXPAND, "limit": 20_000}, "BOUNDS_CLAMP"),
        "walk_as_declared": (EXPAND, True),
        "with_scores": (EXPAND, False),
    },
    "Paths": {
        "collection": (PATHS, "other"),
        "read.at_version": (PATHS, _first),
        "read.at_least_version": (PATHS, "no version"),
        "read.project": (PATHS, "p"),
        "read.evidence": (PATHS, "EVIDENCE_CURRENT"),
        "sources": (PATHS, ["c"]),
        "targets": (PATHS, ["c"]),
        "edges.types": ({**PATHS, "edges": [{}]}, ["USES"]),
        "edges.direction": ({**PATHS, "edges": [{}]}, "DIRECTION_IN"),
        "edges.filter": ({**PATHS, "edges": [{}]}, "weight < 0.6"),
        "edges.weight_property": ({**PATHS, "weighted": True, "edges": [{}]}, "strength"),
        "edges.max_frontier": ({**_ALL, "sources": ["m"], "edges": [{}]}, 1),
        "max_depth": (PATHS, 1),
        "k": (PATHS, 2),
        "weighted": (PATHS, True),
        "mode": (PATHS, "MODE_ALL_SIMPLE"),
        "min_depth": (_ALL, 3),
        "max_paths": (_ALL, 1),
        "max_frontier": ({**_ALL, "sources": ["m"]}, 1),
        "max_degree": (_ALL, 1),
        "timeout_ms": (PATHS, 1),
        "filter": (PATHS, 'id != "b"'),
        "vars": (
            {**PATHS, "filter": "id != $t", "vars": {"t": {"string_value": "b"}}},
            {"t": {"string_value": "c"}},
        ),
        "fields": (PATHS, ["size"]),
        "edge_fields": (PATHS, ["strength"]),
        "content_max_chars": (PATHS, 9),
        "bounds": ({**PATHS, "k": 20}, "BOUNDS_CLAMP"),
    },
    "Lookup": {
        "collection": (LOOKUP, "other"),
        "read.at_version": (LOOKUP, _first),
        "read.at_least_version": (LOOKUP, "no version"),
        "read.project": (LOOKUP, "p"),
        "read.evidence": (LOOKUP, "EVIDENCE_CURRENT"),
        "kind": ({**LOOKUP, "filter": "type != community"}, "KIND_EDGES"),
        "filter": (LOOKUP, "type = team"),
        "field": (_JOIN, "target"),
        "from_filter": (_JOIN, "size < 2"),
        "from_field": (_JOIN, "name"),
        "from_kind": ({**_JOIN, "from_filter": "type != community"}, "KIND_EDGES"),
        "max_values": (_JOIN, 1),
        "vars": (
            {**LOOKUP, "filter": "type = $t", "vars": {"t": {"string_value": "service"}}},
            _TEAM,
        ),
        "sort": (LOOKUP, ["size"]),
        "page_size": (LOOKUP, 1),
        "page_token": ({**LOOKUP, "page_size": 1}, _next_page),
        "fields": (LOOKUP, ["size"]),
        "content_max_chars": (LOOKUP, 9),
        "facets.field": ({**LOOKUP, **_FACETS}, "size"),
        "facets.limit": ({**LOOKUP, "filter": "", **_FACETS}, 1),
        "metrics.field": ({**LOOKUP, **_METRICS}, "specificity"),
        "metrics.op": ({**LOOKUP, **_METRICS}, "OP_SUM"),
        "timeout_ms": (LOOKUP, 1),
        "bounds": ({**LOOKUP, "page_size": 20_000}, "BOUNDS_CLAMP"),
    },
    "Slice": {
        "collection": (SLICE, "other"),
        "read.at_version": (SLICE, _first),
        "read.at_least_version": (SLICE, "no version"),
        "read.project": (SLICE, "q"),
        "read.evidence": ({"collection": "c", "id": "b"}, "EVIDENCE_CURRENT"),
        "id": (SLICE, "a0"),
        "window": (SLICE, 1),
        "content_max_chars": (SLICE, 9),
        "page.property": (_PAGE, "note"),
        "page.offset": (_PAGE, 6),
        "page.sha256": (_PAGE, "0" * 64),
        "page.max_chars": (_PAGE, 4),
        "page.token_budget": (_PAGE, 255),
        "bounds": ({**SLICE, "window": 100}, "BOUNDS_REJECT"),
    },
    "Context": {
        "collection": (CONTEXT, "other"),
        "read.at_version": (CONTEXT, _first),
        "read.at_least_version": (CONTEXT, "no version"),
        "read.project": (CONTEXT, "p"),
        "read.evidence": (CONTEXT, "EVIDENCE_ALL"),
        "ids": (CONTEXT, ["c"]),
        "query.text": (_FOUND_BY_WORDS, "gamma"),
        "query.text_fields": (_FOUND_BY_WORDS, ["name"]),
        "query.max_edits": (_FOUND_BY_WORDS, 0),
        "query.filter": (_FOUND, "type = team"),
        "query.vars": (_FOUND, _TEAM),
        "query.types": (_FOUND, ["team"]),
        "query.limit": (_FOUND, 1),
        "query.sort": (_FOUND, ["-size"]),
        "hops": (CONTEXT, 0),
        "token_budget": (CONTEXT, 300),
        "measure": ({**CONTEXT, "token_budget": 400}, "MEASURE_TEXT"),
        "reserve_bytes": (CONTEXT, 7_000),
        "type_cap": (CONTEXT, 20_000),
        "timeout_ms": (CONTEXT, 1),
        "bounds": ({**CONTEXT, "hops": 9}, "BOUNDS_CLAMP"),
        "walk_as_declared": (CONTEXT, True),
    },
}
"""Call -> path of a field -> a request, and another value of that field in it."""

RESPONSES: dict[str, type[Message]] = {
    "Expand": graph_pb2.ExpandResponse,
    "Paths": graph_pb2.PathsResponse,
    "Lookup": read_pb2.LookupResponse,
    "Slice": read_pb2.SliceResponse,
    "Context": search_pb2.ContextResponse,
}


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    made = small_peer()
    yield made
    made.close()


@pytest.mark.usefixtures("no_time")
@pytest.mark.parametrize(
    ("call", "field"), [(call, field) for call, fields in CASES.items() for field in fields]
)
def test_a_field_makes_a_difference(call: str, field: str, peer: LocalPeer) -> None:
    base, value = CASES[call][field]
    other = copy.deepcopy(base)
    _set(other, field.split("."), value(peer) if callable(value) else value)

    answers = [_answer(peer, call, request) for request in (base, other)]

    assert answers[0][0] == "OK" or field == "bounds", answers[0][1]
    assert answers[0] != answers[1]


@pytest.mark.parametrize("call", CASES)
def test_every_field_is_tried(call: str) -> None:
    assert set(_leaves(cast(Descriptor, REQUESTS[call].DESCRIPTOR))) == set(CASES[call])


def _answer(peer: LocalPeer, call: str, request: Json) -> tuple[object, ...]:
    reply = asked(peer, call, request)
    return reply.code, reply.message, reply.without_tokens(RESPONSES[call]).response


def _set(message: Json, path: list[str], value: object) -> None:
    """Set the field at *path*, in the first of a list and in the map's value ``x``."""
    *way, last = path
    for name in way:
        held = message.setdefault(name, {})
        if isinstance(held, list):
            held = cast(list[Json], held)[0]
        message = cast(Json, held)
        message = cast(Json, message["x"]) if name in ("facets", "metrics") else message
    message[last] = value


def _leaves(kind: Descriptor, prefix: str = "") -> Iterator[str]:
    """Paths of the fields of *kind* and of the messages in it, but for values and what comes later."""
    for field in kind.fields:
        inner = field.message_type
        if field.name in LATER:
            continue
        if inner is not None and inner.GetOptions().map_entry:
            inner = inner.fields_by_name["value"].message_type
        if inner is None or inner.name == "Value":
            yield f"{prefix}{field.name}"
        else:
            yield from _leaves(inner, f"{prefix}{field.name}.")
