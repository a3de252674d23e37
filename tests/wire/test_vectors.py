"""Vectors go in and come out where they are named, and nothing is asked of their values."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2, store_pb2
from tests.peers import OPERATOR, Caller, LocalPeer
from tests.wire.small_world import Json, applied, asked

NUMBERS = [0.5, -1.25, 3.0]
VECTOR: Json = {"vector": {"values": NUMBERS}}
SETTINGS: Json = {
    "name": "c",
    "default_readers": ["public"],
    "fields": [
        {"name": "v", "kind": "FIELD_KIND_VECTOR", "dimensions": 3},
        {"name": "secret", "kind": "FIELD_KIND_VECTOR", "dimensions": 3, "readers": ["group:hr"]},
        {"name": "size", "kind": "FIELD_KIND_INT"},
    ],
}
RECORDS: Json = {
    "put_nodes": [
        {"id": "a", "properties": {"v": VECTOR, "secret": VECTOR, "size": {"int_value": 1}}},
        {"id": "b", "properties": {"v": {"doubles": {"values": NUMBERS}}}},
        {"id": "none"},
    ],
    "put_edges": [{"id": "e", "source": "a", "target": "b", "properties": {"v": VECTOR}}],
    "put_passages": [{"id": "a#0", "parent_id": "a", "content": "x", "properties": {"v": VECTOR}}],
}
ADA = Caller("ada")


def parsed(message: Any, content: Json) -> Any:
    return ParseDict(content, message)


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    made = LocalPeer()
    settings = parsed(store_pb2.Collection(), SETTINGS)
    create = store_pb2.CreateCollectionRequest(collection=settings)
    made.call("StoreService/CreateCollection", create, caller=OPERATOR)
    reply = applied(made, {"collection": "c", "batch": RECORDS})
    assert reply.code == "OK", reply.message
    yield made
    made.close()


def shown(rows: Any) -> list[dict[str, str]]:
    """By row: its properties, and which kind of value each has."""
    return [
        {name: str(value.WhichOneof("kind")) for name, value in row.properties.items()}
        for row in rows
    ]


V: Json = {"v": "vector"}


SIZED: Json = {"size": "int_value"}
READS: list[tuple[str, Json, type[Message], str, list[Json], int]] = [
    ("Get", {"ids": ["a", "b", "a#0"]}, read_pb2.GetResponse, "nodes", [SIZED, {}, {}], 3),
    ("Lookup", {"filter": "v:*"}, read_pb2.LookupResponse, "nodes", [SIZED, {}, {}], 3),
    ("Lookup", {"kind": "KIND_EDGES"}, read_pb2.LookupResponse, "edges", [{}], 1),
]
"""Calls, the rows in their answers, what these show without fields, and how many hold a vector."""


@pytest.mark.parametrize(("call", "request_", "answer", "rows", "without", "holders"), READS)
def test_a_vector_is_shown_where_it_is_named(
    peer: LocalPeer,
    call: str,
    request_: Json,
    answer: type[Message],
    rows: str,
    without: list[Json],
    holders: int,
) -> None:
    whole = getattr(asked(peer, call, {"collection": "c", **request_}).read(answer), rows)
    named = asked(peer, call, {"collection": "c", **request_, "fields": ["v"]}).read(answer)

    assert shown(whole) == without
    assert shown(getattr(named, rows)) == [V] * holders
    for row in getattr(named, rows):
        assert list(row.properties["v"].vector.values) == NUMBERS


def test_a_window_shows_no_vector(peer: LocalPeer) -> None:
    found = asked(peer, "Slice", {"collection": "c", "id": "a#0"}).read(read_pb2.SliceResponse)

    assert "a#0" in str(found)
    assert "vector" not in str(found)


def test_walks_and_paths_show_vectors_where_they_are_named(peer: LocalPeer) -> None:
    expand: Json = {"collection": "c", "seeds": [{"ids": ["a"]}], "hops": [{}], "with_edges": True}
    paths: Json = {"collection": "c", "sources": ["a"], "targets": ["b"]}
    named: Json = {"fields": ["v"], "edge_fields": ["v"]}

    walked = asked(peer, "Expand", expand).read(graph_pb2.ExpandResponse)
    found = asked(peer, "Paths", paths).read(graph_pb2.PathsResponse)
    assert "vector" not in f"{walked}{found}"

    walked = asked(peer, "Expand", {**expand, **named}).read(graph_pb2.ExpandResponse)
    found = asked(peer, "Paths", {**paths, **named}).read(graph_pb2.PathsResponse)
    assert shown(hit.node for hit in walked.hits) == [V] * len(walked.hits)
    assert shown(hit.edge for hit in walked.hits if hit.edge.id == "e") == [V]
    assert str(found).count("vector") == 3


@pytest.mark.parametrize(("filter_", "ids"), [("v:*", ["a", "a#0", "b"]), ("NOT v:*", ["none"])])
def test_a_filter_asks_whether_there_is_a_vector(
    peer: LocalPeer, filter_: str, ids: list[str]
) -> None:
    request: Json = {"collection": "c", "filter": filter_, "sort": ["id"]}
    found = asked(peer, "Lookup", request).read(read_pb2.LookupResponse)

    assert [node.id for node in found.nodes] == ids


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"filter": "v = 1"}, "filter"),
        ({"filter": "v != 1"}, "filter"),
        ({"filter": "v > 1"}, "filter"),
        ({"filter": "v:1"}, "filter"),
        ({"filter": "v IN (1, 2)"}, "filter"),
        ({"filter": 'contains(v, "1")'}, "filter"),
        ({"filter": "lookup(v, from=(id:*), from_field=id)"}, "filter"),
        ({"filter": "lookup(id, from=(id:*), from_field=v)"}, "filter"),
        ({"filter": "size = 1", "vars": {"x": VECTOR}}, "vars.x"),
        ({"sort": ["-v"]}, "sort[0]"),
        ({"facets": {"f": {"field": "v"}}}, "facets.f.field"),
        ({"metrics": {"m": {"field": "v", "op": "OP_COUNT"}}}, "metrics.m.field"),
        ({"field": "v", "from_filter": "id:*", "from_field": "id"}, "field"),
    ],
)
def test_nothing_else_is_asked_of_its_values(peer: LocalPeer, changed: Json, place: str) -> None:
    reply = asked(peer, "Lookup", {"collection": "c", **changed})

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset([place]))
    assert "vector" in reply.message


def test_a_hidden_vector_does_not_exist(peer: LocalPeer) -> None:
    request = read_pb2.GetRequest(collection="c", ids=["a"], fields=["secret"])

    reply = peer.call("GraphService/Get", request, caller=ADA)

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset(["fields[0]"]))


def test_describe_and_the_settings_tell_of_it(peer: LocalPeer) -> None:
    request = store_pb2.GetCollectionRequest(name="c")
    settings = peer.call("StoreService/GetCollection", request, caller=OPERATOR).read(
        store_pb2.Collection
    )
    told = peer.call("GraphService/Describe", read_pb2.DescribeRequest(collection="c"), caller=ADA)

    assert [field.dimensions for field in settings.fields] == [3, 3, 0]
    fields = told.read(read_pb2.DescribeResponse).fields
    assert {(field.name, field.kind) for field in fields} == {("PART_OF", 8), ("size", 3), ("v", 7)}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"vector": {"values": [1, 2]}}, "is a vector of 3 numbers, found 2"),
        ({"vector": {}}, "is a vector of 3 numbers, found 0"),
        ({"vector": {"values": [1, 2, "NaN"]}}, "finite"),
        ({"ints": {"values": [1, 2]}}, "is a vector of 3 numbers, found 2"),
        ({"string_value": "[1, 2, 3]"}, "is a vector field, found a string"),
    ],
)
def test_a_value_that_is_none_of_its_vectors_is_refused(
    peer: LocalPeer, value: Json, told: str
) -> None:
    batch: Json = {"put_nodes": [{"id": "x", "properties": {"v": value}}]}

    reply = applied(peer, {"collection": "c", "batch": batch})

    assert (reply.code, reply.faults()) == (
        "INVALID_ARGUMENT",
        frozenset(["batch.put_nodes[0].properties.v"]),
    )
    assert told in reply.message


def test_a_vector_that_is_not_declared_is_refused(peer: LocalPeer) -> None:
    batch: Json = {"put_nodes": [{"id": "x", "properties": {"other": VECTOR}}]}

    reply = applied(peer, {"collection": "c", "batch": batch})

    assert reply.faults() == frozenset(["batch.put_nodes[0].properties.other"])
    assert "declared, of kind vector" in reply.message


def test_an_answer_past_what_a_channel_carries_is_refused() -> None:
    made = LocalPeer()
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    settings.fields.add(name="v", kind=7, dimensions=4096)
    made.call(
        "StoreService/CreateCollection",
        store_pb2.CreateCollectionRequest(collection=settings),
        caller=OPERATOR,
    )
    for part in range(5):
        batch = store_pb2.Batch()
        for row in range(1000):
            batch.put_nodes.add(id=f"{part}-{row}").properties["v"].vector.values.extend(
                [1.0] * 4096
            )
        reply = made.call(
            "StoreService/Apply",
            store_pb2.ApplyRequest(collection="c", batch=batch),
            caller=OPERATOR,
        )
        assert reply.code == "OK", reply.message
    request: Json = {"collection": "c", "fields": ["v"], "page_size": 4096}

    assert asked(made, "Lookup", request).code == "RESOURCE_EXHAUSTED"
    assert asked(made, "Lookup", {**request, "page_size": 4000}).code == "OK"
    assert asked(made, "Lookup", {**request, "fields": []}).code == "OK"
