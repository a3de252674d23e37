"""Searches by a vector, and by several lists at once: in Search, in seeds and in the search inside a walk."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from passageway.v1 import graph_pb2, search_pb2, store_pb2
from tests.peers import OPERATOR, Caller, LocalPeer, Reply
from tests.wire.small_world import Json, applied, asked

SETTINGS: Json = {
    "name": "c",
    "default_readers": ["public"],
    "fields": [
        {"name": "v", "kind": "FIELD_KIND_VECTOR", "dimensions": 2},
        {
            "name": "dot",
            "kind": "FIELD_KIND_VECTOR",
            "dimensions": 2,
            "similarity": "SIMILARITY_DOT",
            "readers": ["group:hr"],
        },
        {"name": "size", "kind": "FIELD_KIND_INT"},
    ],
}


def node(id: str, content: str = "", *, size: int = 0, **vectors: list[float]) -> Json:
    held: Json = {name: {"vector": {"values": numbers}} for name, numbers in vectors.items()}
    properties = {**held, "size": {"int_value": size}}
    return {"id": id, "name": id, "content": content, "properties": properties}


RECORDS: Json = {
    "put_nodes": [
        node("a", "red", size=3, v=[1, 0], dot=[1, 0]),
        node("b", "red red", size=1, v=[3, 4], dot=[3, 4]),
        node("c", "blue", size=2, v=[-1, 0], dot=[-9, 0]),
        node("zero", "red", v=[0, 0], dot=[0, 0]),
        node("none", "blue"),
        {**node("old", "blue", v=[1, 0]), "status": "retracted"},
        {**node("hidden", "red", v=[1, 0], dot=[100, 0]), "readers": ["user:eve"]},
    ],
    "put_edges": [{"id": "e", "source": "a", "target": "c"}],
}
ADA, HR = Caller("ada"), Caller("bob", frozenset(["group:hr"]))
EAST: Json = {"vector": [1, 0]}


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    made = LocalPeer(now_us=lambda: 0)
    settings = ParseDict(SETTINGS, store_pb2.Collection())
    create = store_pb2.CreateCollectionRequest(collection=settings)
    made.call("StoreService/CreateCollection", create, caller=OPERATOR)
    reply = applied(made, {"collection": "c", "batch": RECORDS})
    assert reply.code == "OK", reply.message
    yield made
    made.close()


def searched(peer: LocalPeer, query: Json, caller: Caller = ADA, **options: Any) -> Reply:
    request = {"collection": "c", "query": query, "type_cap": 0, **options}
    message = ParseDict(request, search_pb2.SearchRequest())
    return peer.call("GraphService/Search", message, caller=caller)


def found(
    peer: LocalPeer, query: Json, caller: Caller = ADA, **options: Any
) -> search_pb2.SearchResponse:
    reply = searched(peer, query, caller, **options)
    assert reply.code == "OK", reply.message
    return reply.read(search_pb2.SearchResponse)


def scores(answer: search_pb2.SearchResponse) -> dict[str, float]:
    return {hit.node.id: hit.score for hit in answer.hits}


def test_rows_come_by_cosine_and_the_least_is_below_zero(peer: LocalPeer) -> None:
    answer = found(peer, EAST)

    assert list(scores(answer).items()) == [("a", 1.0), ("b", 0.6), ("c", -1.0)]
    assert [list(hit.matched) for hit in answer.hits] == [["vector"]] * 3
    assert (answer.total, answer.excluded_evidence) == (3, 0)


def test_a_field_may_be_compared_by_products(peer: LocalPeer) -> None:
    answer = found(peer, {**EAST, "vector_field": "dot"}, HR)

    assert list(scores(answer).items()) == [("b", 3.0), ("a", 1.0), ("zero", 0.0), ("c", -9.0)]


def test_filters_types_and_orders_come_before_the_limit(peer: LocalPeer) -> None:
    assert list(scores(found(peer, {**EAST, "filter": "size < 3", "limit": 1}))) == ["b"]
    by_size = found(peer, {**EAST, "sort": ["size"], "limit": 2})
    assert list(scores(by_size).items()) == [("b", 0.6), ("c", -1.0)]
    assert scores(found(peer, {**EAST, "types": ["other"]})) == {}


def test_what_a_filter_met_and_evidence_left_out_is_told(peer: LocalPeer) -> None:
    answers = [
        found(peer, {**EAST, "filter": "size:*"}),
        found(peer, {**EAST, "text": "blue"}),
        found(peer, {**EAST, "text": "red"}),
    ]

    assert [answer.excluded_evidence for answer in answers] == [1, 1, 0]
    assert "old" in scores(found(peer, EAST, read={"evidence": "EVIDENCE_ALL"}))


def test_a_text_and_a_vector_are_two_lists(peer: LocalPeer) -> None:
    answer = found(peer, {**EAST, "text": "red"})

    assert scores(answer) == {
        "b": 1 / 61 + 1 / 62,
        "a": 1 / 62 + 1 / 61,
        "zero": 1 / 62,
        "c": 1 / 63,
    }
    assert [hit.node.id for hit in answer.hits] == ["a", "b", "zero", "c"]
    assert [list(hit.matched) for hit in answer.hits] == [
        ["lexical", "vector"],
        ["lexical", "vector"],
        ["lexical"],
        ["vector"],
    ]


def test_more_lists_stand_beside_the_query(peer: LocalPeer) -> None:
    also = [{"vector": [-1, 0], "vector_field": "v"}, {"text": "blue", "text_fields": ["content"]}]

    answer = found(peer, {"text": "blue", "also": also})

    both = 1 / 61 + 1 / 61
    assert scores(answer) == {"c": 1 / 61 + both, "none": both, "a": 1 / 63, "b": 1 / 62}
    assert list(answer.hits[0].matched) == ["lexical", "vector"]


def test_identifiers_of_any_text_stand_in_front(peer: LocalPeer) -> None:
    batch: Json = {"put_nodes": [{**node("far", v=[-1, 0]), "name": "HashMap"}]}
    assert applied(peer, {"collection": "c", "batch": batch}).code == "OK"

    answer = found(peer, {**EAST, "also": [{"text": "HashMap"}]})

    assert answer.hits[0].node.id == "far"
    assert list(answer.hits[0].matched) == ["lexical", "vector", "identifier"]
    applied(peer, {"collection": "c", "batch": {"delete_nodes": ["far"]}})


def test_seeds_start_at_their_cosine_and_not_below_nothing(peer: LocalPeer) -> None:
    expand: Json = {"collection": "c", "seeds": [{"query": EAST, "weight": 2}, {"ids": ["c"]}]}
    expand["seeds"][0]["query"] = {**EAST, "vector_field": "v", "filter": "NOT id = old"}

    answer = asked(peer, "Expand", expand, ADA).read(graph_pb2.ExpandResponse)

    assert {hit.node.id: hit.score for hit in answer.hits} == {"a": 2.0, "b": 1.2, "c": 1.0}


def test_seeds_in_an_order_start_at_one(peer: LocalPeer) -> None:
    query = {**EAST, "vector_field": "v", "sort": ["-size"], "limit": 2}
    expand: Json = {"collection": "c", "seeds": [{"query": query}]}

    answer = asked(peer, "Expand", expand, ADA).read(graph_pb2.ExpandResponse)

    assert {hit.node.id: hit.score for hit in answer.hits} == {"a": 1.0, "c": 1.0}


def test_a_search_inside_a_walk_compares_what_was_reached(peer: LocalPeer) -> None:
    search: Json = {**EAST, "vector_field": "v", "limit": 1}
    expand: Json = {"collection": "c", "seeds": [{"ids": ["a"]}], "hops": [{}], "limit": 0}

    for min_hop, first in ((0, "a"), (1, "c")):
        request = {**expand, "search": search, "min_hop": min_hop}
        answer = asked(peer, "Expand", request, ADA).read(graph_pb2.ExpandResponse)
        assert [hit.node.id for hit in answer.search] == [first]


BAD: list[tuple[Json, set[str]]] = [
    ({"vector": [1]}, {"vector"}),
    ({"vector": [1, 0, 0]}, {"vector"}),
    ({"vector": [0, -0.0]}, {"vector"}),
    ({"vector": [1e-300, 0]}, {"vector"}),
    ({"vector": ["NaN", 0]}, {"vector"}),
    ({"vector": ["Infinity", 0], "vector_field": "size"}, {"vector", "vector_field"}),
    ({**EAST, "vector_field": "size"}, {"vector_field"}),
    ({**EAST, "vector_field": "name"}, {"vector_field"}),
    ({**EAST, "vector_field": "nobody_has_it"}, {"vector_field"}),
    ({**EAST, "vector_field": "dot"}, {"vector_field"}),
    ({"text": "red", "vector_field": "v"}, {"vector_field"}),
    ({"also": [EAST]}, {""}),
    ({**EAST, "also": [{}]}, {"also[0]"}),
    ({**EAST, "also": [EAST] * 5}, {"also"}),
    ({**EAST, "also": [{**EAST, "filter": "size:*"}]}, {"also[0].filter"}),
    ({**EAST, "also": [{**EAST, "types": ["x"]}]}, {"also[0].types"}),
    ({**EAST, "also": [{**EAST, "sort": ["size"]}]}, {"also[0].sort"}),
    ({**EAST, "also": [{**EAST, "limit": 0}]}, {"also[0].limit"}),
    ({**EAST, "also": [{**EAST, "vars": {"x": {"int_value": 1}}}]}, {"also[0].vars"}),
    ({**EAST, "also": [{**EAST, "also": [EAST]}]}, {"also[0].also"}),
    (
        {"vector": [1], "also": [{"vector": [1]}, {"text": "..."}], "filter": "size >", "limit": 20_000},
        {"vector", "also[0].vector", "also[1].text", "filter", "limit"},
    ),
]  # fmt: skip
"""Queries, and which of their parameters are at fault."""


@pytest.mark.parametrize(("query", "faults"), BAD)
def test_what_cannot_be_compared_is_refused_with_all_faults(
    peer: LocalPeer, query: Json, faults: set[str]
) -> None:
    reply = searched(peer, query)

    assert reply.code == "INVALID_ARGUMENT"
    assert reply.faults() == {f"query.{fault}".rstrip(".") for fault in faults}


def test_the_only_vector_field_needs_no_name_and_two_do(peer: LocalPeer) -> None:
    assert searched(peer, EAST, ADA).code == "OK"
    reply = searched(peer, EAST, HR)

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset(["query.vector_field"]))
    assert "dot, v" in reply.message


def test_a_hidden_field_is_told_from_none_by_nobody(peer: LocalPeer) -> None:
    hidden, unknown = (searched(peer, {**EAST, "vector_field": name}) for name in ("dot", "odd"))

    assert hidden.message.replace("dot", "odd") == unknown.message


def test_zeros_may_be_asked_of_products(peer: LocalPeer) -> None:
    answer = found(peer, {"vector": [0, 0], "vector_field": "dot"}, HR)

    assert scores(answer) == {"a": 0.0, "b": 0.0, "c": 0.0, "zero": 0.0}


def test_how_a_field_is_compared_may_be_changed(peer: LocalPeer) -> None:
    settings = ParseDict(SETTINGS, store_pb2.Collection())
    for similarity, best in ((2, 3.0), (0, 1.0)):
        settings.fields[0].similarity = store_pb2.Similarity.ValueType(similarity)
        update = store_pb2.UpdateCollectionRequest(collection=settings)
        update.update_mask.paths.append("fields")
        reply = peer.call("StoreService/UpdateCollection", update, caller=OPERATOR)

        assert reply.code == "OK", reply.message
        assert reply.read(store_pb2.Collection).fields[0].similarity == similarity
        assert found(peer, EAST).hits[0].score == best


@pytest.mark.parametrize(
    "field",
    [
        {"name": "x", "kind": "FIELD_KIND_INT", "similarity": "SIMILARITY_DOT"},
        {"name": "x", "kind": "FIELD_KIND_VECTOR", "dimensions": 2, "similarity": 3},
    ],
)
def test_only_vectors_are_compared_and_in_the_ways_that_there_are(
    peer: LocalPeer, field: Json
) -> None:
    settings = ParseDict({"name": "x", "fields": [field]}, store_pb2.Collection())
    request = store_pb2.CreateCollectionRequest(collection=settings)

    reply = peer.call("StoreService/CreateCollection", request, caller=OPERATOR)

    assert reply.faults() == {"collection.fields[0].similarity"}
