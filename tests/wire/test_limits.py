"""Each limit of a read at its value, which is taken, and one past it, which is refused by the path of its parameter."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from passageway.v1 import graph_pb2, read_pb2
from tests.peers import LocalPeer
from tests.wire.small_world import Json, asked, small_peer

EXPAND: Json = {"collection": "c", "seeds": [{"ids": ["a"]}], "hops": [{}]}
PATHS: Json = {"collection": "c", "sources": ["a"], "targets": ["d"]}
ALL: Json = {**PATHS, "mode": "MODE_ALL_SIMPLE"}
LOOKUP: Json = {"collection": "c"}
SLICE: Json = {"collection": "c", "id": "a3"}
PAGE: Json = {"collection": "c", "id": "a", "page": {"property": "content"}}
QUERY: Json = {"filter": "type = service"}
SEEDS: Json = {**EXPAND, "seeds": [{"query": QUERY}]}
SEARCH: Json = {**EXPAND, "search": QUERY}
SHARED: Json = {
    **EXPAND,
    "hops": [{"shared": [{"name": "S", "edge_type": "BELONGS_TO", "through_type": "community"}]}],
}
PPR: Json = {**EXPAND, "rank": "RANK_PPR"}

RANGES: list[tuple[str, Json, str, int | None, int]] = [
    ("Expand", EXPAND, "limit", -1, 10_000),
    ("Expand", EXPAND, "content_max_chars", 0, 50_000),
    ("Expand", EXPAND, "max_nodes", None, 100_000),
    ("Expand", EXPAND, "max_edges", None, 100_000),
    ("Expand", EXPAND, "hops[0].max_frontier", 0, 100_000),
    ("Expand", SHARED, "hops[0].shared[0].max_members", 0, 100_000),
    ("Expand", PPR, "ppr.iterations", 0, 1_000),
    ("Expand", EXPAND, "budget.nodes", 0, 100_000),
    ("Expand", EXPAND, "budget.edges", 0, 100_000),
    ("Expand", SEEDS, "seeds[0].query.limit", 1, 10_000),
    ("Expand", SEARCH, "search.limit", 1, 10_000),
    ("Expand", {**EXPAND, "search": {"text": "alpha"}}, "search.max_edits", None, 2),
    ("Expand", {**EXPAND, "facets": {"x": {"field": "type"}}}, "facets.x.limit", -1, 10_000),
    ("Paths", PATHS, "max_depth", 1, 6),
    ("Paths", PATHS, "k", 1, 10),
    ("Paths", PATHS, "max_frontier", 1, 100_000),
    ("Paths", PATHS, "content_max_chars", 0, 50_000),
    ("Paths", {**ALL, "max_depth": 6}, "min_depth", 0, 6),
    ("Paths", ALL, "max_paths", 1, 10_000),
    ("Lookup", LOOKUP, "page_size", 0, 10_000),
    ("Lookup", LOOKUP, "max_values", 1, 65_536),
    ("Lookup", LOOKUP, "content_max_chars", 0, 50_000),
    ("Lookup", {**LOOKUP, "facets": {"x": {"field": "type"}}}, "facets.x.limit", -1, 10_000),
    ("Slice", {**SLICE, "bounds": "BOUNDS_REJECT"}, "window", 1, 64),
    ("Slice", {**SLICE, "bounds": "BOUNDS_REJECT"}, "content_max_chars", 0, 50_000),
    ("Slice", {**PAGE, "bounds": "BOUNDS_REJECT"}, "page.max_chars", 1, 50_000),
]
"""Call, a request, the path of a whole number in it, its least (None: none that fails there) and its most."""

OPEN: list[tuple[str, Json, str, object, object]] = [
    ("Expand", EXPAND, "hops[0].decay", 5e-324, 0.0),
    ("Expand", EXPAND, "hops[0].decay", 1e300, "Infinity"),
    ("Expand", EXPAND, "seeds[0].weight", 5e-324, 0.0),
    ("Expand", EXPAND, "seeds[0].weight", 1e300, "NaN"),
    ("Expand", PPR, "ppr.alpha", 0.0, -5e-324),
    ("Expand", PPR, "ppr.alpha", 1.0, 1.0000000000000002),
    ("Expand", PPR, "ppr.alpha", 0.5, "NaN"),
    ("Expand", PPR, "ppr.tolerance", 0.0, -5e-324),
    ("Expand", PPR, "ppr.tolerance", 1e300, "Infinity"),
    ("Expand", EXPAND, "budget.edge_cost", -1e300, "NaN"),
    ("Expand", SHARED, "hops[0].shared[0].weight", 0.0, -1.0),
    ("Expand", SHARED, "hops[0].shared[0].weight", 1e300, "Infinity"),
    ("Expand", EXPAND, "min_hop", 1, 2),
    ("Expand", EXPAND, "hops", [{}, {}, {}], [{}, {}, {}, {}]),
    ("Expand", EXPAND, "seeds", [{"ids": ["a"]}] * 10, [{"ids": ["a"]}] * 11),
    ("Expand", EXPAND, "seeds", [{"ids": ["a"] * 10_000}], [{"ids": ["a"] * 10_001}]),
    (
        "Expand",
        SHARED,
        "hops[0].shared",
        [SHARED["hops"][0]["shared"][0]] * 10,
        [SHARED["hops"][0]["shared"][0]] * 11,
    ),
    ("Paths", PATHS, "sources", ["a"] * 10, ["a"] * 11),
    ("Paths", PATHS, "targets", ["a"] * 10, ["a"] * 11),
    ("Paths", PATHS, "edges", [{}] * 10, [{}] * 11),
    ("Lookup", LOOKUP, "sort", ["size"] * 8, ["size"] * 9),
    (
        "Lookup",
        LOOKUP,
        "facets",
        {f"f{i}": {"field": "type"} for i in range(100)},
        {f"f{i}": {"field": "type"} for i in range(101)},
    ),
    (
        "Lookup",
        LOOKUP,
        "metrics",
        {f"m{i}": {"field": "size", "op": "OP_MAX"} for i in range(100)},
        {f"m{i}": {"field": "size", "op": "OP_MAX"} for i in range(101)},
    ),
    ("Get", {"collection": "c"}, "ids", ["a"] * 1_000, ["a"] * 1_001),
]
"""Call, a request, a path in it, a value that is taken there and one that is not."""

REFUSED: list[tuple[str, Json, str]] = [
    ("Expand", {**EXPAND, "seeds": []}, "seeds"),
    ("Expand", {**EXPAND, "seeds": [{}]}, "seeds[0]"),
    ("Expand", {**EXPAND, "seeds": [{"ids": ["a"], "query": QUERY}]}, "seeds[0]"),
    ("Expand", {**EXPAND, "seeds": [{"query": {}}]}, "seeds[0].query"),
    (
        "Expand",
        {**EXPAND, "seeds": [{"query": {**QUERY, "sort": ["size"]}, "weight": 2.0}]},
        "seeds[0].query.sort",
    ),
    ("Expand", {**EXPAND, "seeds": [{"query": {**QUERY, "limit": 0}}]}, "seeds[0].query.limit"),
    ("Expand", {**EXPAND, "search": {}}, "search"),
    ("Expand", {**EXPAND, "budget": {}}, "budget"),
    ("Expand", {**PPR, "ppr": {"reset_field": "tags"}}, "ppr.reset_field"),
    ("Expand", {**PPR, "ppr": {"reset_field": "nobody_has_it"}}, "ppr.reset_field"),
    (
        "Expand",
        {**EXPAND, "hops": [{"edges": {"weight_property": "kind"}}]},
        "hops[0].edges.weight_property",
    ),
    ("Expand", {**EXPAND, "hops": [{"edges": {"max_frontier": 1}}]}, "hops[0].edges.max_frontier"),
    ("Expand", {**EXPAND, "hops": [{"shared": [{}]}]}, "hops[0].shared[0].name"),
    ("Expand", {**EXPAND, "facets": {"x": {}}}, "facets.x.field"),
    ("Expand", {**EXPAND, "facets": {"x": {"field": "content"}}}, "facets.x.field"),
    ("Expand", {**EXPAND, "metrics": {"x": {"field": "size"}}}, "metrics.x.op"),
    ("Expand", {**EXPAND, "metrics": {"x": {"field": "type", "op": "OP_SUM"}}}, "metrics.x.field"),
    ("Expand", {**SEARCH, "search_fields": ["nobody_has_it"]}, "search_fields[0]"),
    ("Lookup", {**LOOKUP, "sort": ["-"]}, "sort[0]"),
    ("Lookup", {**LOOKUP, "sort": ["size", "nobody_has_it"]}, "sort[1]"),
    ("Lookup", {**LOOKUP, "page_token": "x"}, "page_token"),
    ("Lookup", {**LOOKUP, "from_kind": "KIND_EDGES"}, "field"),
    ("Paths", {**ALL, "k": 2}, "k"),
    ("Paths", {**ALL, "weighted": True}, "weighted"),
    ("Paths", {**PATHS, "min_depth": 1}, "min_depth"),
    ("Paths", {**PATHS, "max_paths": 1}, "max_paths"),
]
"""Call, a request that cannot be meant, and the path that says why."""


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    made = small_peer()
    yield made
    made.close()


@pytest.mark.parametrize(("call", "request_", "path", "low", "high"), RANGES)
def test_a_number_is_taken_up_to_its_bounds_and_no_further(
    call: str, request_: Json, path: str, low: int | None, high: int, peer: LocalPeer
) -> None:
    taken = [high] if low is None else [low, high]
    past = [high + 1] if not low else [low - 1, high + 1]
    past = [number for number in past if number >= 0 or path.endswith("limit")]

    for number in taken:
        assert asked(peer, call, changed(request_, path, number)).code == "OK"
    for number in past:
        reply = asked(peer, call, changed(request_, path, number))
        assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({path}))


@pytest.mark.parametrize(("call", "request_", "path", "low", "high"), RANGES)
def test_clamp_moves_a_number_to_its_bound_and_says_so(
    call: str, request_: Json, path: str, low: int | None, high: int, peer: LocalPeer
) -> None:
    clamped = {**changed(request_, path, high + 1), "bounds": "BOUNDS_CLAMP"}

    reply = asked(peer, call, clamped)

    answers = {
        "Expand": graph_pb2.ExpandResponse,
        "Paths": graph_pb2.PathsResponse,
        "Lookup": read_pb2.LookupResponse,
        "Slice": read_pb2.SliceResponse,
    }
    assert dict(reply.read(answers[call]).applied) == {path: high}


@pytest.mark.parametrize(("call", "request_", "path", "taken", "past"), OPEN)
def test_the_last_value_that_is_taken_and_the_first_that_is_not(
    call: str, request_: Json, path: str, taken: object, past: object, peer: LocalPeer
) -> None:
    assert asked(peer, call, changed(request_, path, taken)).code == "OK"

    reply = asked(peer, call, changed(request_, path, past))

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({path}))


@pytest.mark.parametrize(("call", "request_", "path"), REFUSED)
def test_what_cannot_be_meant_is_refused_by_its_path(
    call: str, request_: Json, path: str, peer: LocalPeer
) -> None:
    reply = asked(peer, call, request_)

    assert reply.code == "INVALID_ARGUMENT"
    assert path in reply.faults()


def changed(request: Json, path: str, value: object) -> Json:
    """*request* with *value* at *path*, such as ``hops[0].decay``."""
    made = copy.deepcopy(request)
    holder: Any = made
    *way, last = path.replace("]", "").replace("[", ".").split(".")
    for name in way:
        holder = holder[int(name)] if name.isdecimal() else holder.setdefault(name, {})
    holder[last] = value
    return made
