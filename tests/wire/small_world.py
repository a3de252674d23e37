"""A collection as small as its fields allow, and requests over it as plain JSON."""

from pathlib import Path
from typing import Any

from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2, search_pb2, store_pb2
from tests.peers import OPERATOR, Caller, LocalPeer, Reply

Json = dict[str, Any]

SETTINGS: Json = {
    "name": "c",
    "default_readers": ["public"],
    "fields": [
        {"name": "near", "kind": "FIELD_KIND_VECTOR", "dimensions": 2},
        {"name": "far", "kind": "FIELD_KIND_VECTOR", "dimensions": 2},
    ],
    "ontology": {"edge_types": [{"name": "KNOWS", "agents_walk": "DIRECTION_IN"}]},
}
RECORDS: Json = {
    "put_nodes": [
        {
            "id": "a",
            "type": "service",
            "name": "Alpha",
            "project": "p",
            "content": "alpha is a text of some words",
            "properties": {
                "size": {"int_value": 3},
                "tags": {"strings": {"values": ["x", "y"]}},
                "specificity": {"double_value": 0.5},
                "note": {"string_value": "the note of alpha"},
                "near": {"vector": {"values": [1.0, 0.0]}},
                "far": {"vector": {"values": [0.0, 1.0]}},
            },
        },
        {
            "id": "b",
            "type": "service",
            "project": "q",
            "status": "superseded",
            "properties": {"size": {"int_value": 1}, "tags": {"strings": {"values": ["x"]}}},
        },
        {
            "id": "c",
            "type": "team",
            "name": "Gamma",
            "properties": {
                "size": {"int_value": 2},
                "near": {"vector": {"values": [0.5, 1.0]}},
                "far": {"vector": {"values": [1.0, 0.0]}},
            },
        },
        {"id": "d", "type": "service", "project": "p", "properties": {"size": {"int_value": 9}}},
        {"id": "m", "type": "community"},
    ],
    "put_edges": [
        {
            "id": "e1", "source": "a", "target": "b", "type": "KNOWS", "weight": 0.9,
            "properties": {"strength": {"double_value": 0.2}, "kind": {"string_value": "old"}},
        },
        {
            "id": "e2", "source": "a", "target": "c", "type": "KNOWS", "weight": 0.5,
            "properties": {"strength": {"double_value": 0.8}},
        },
        {"id": "e3", "source": "b", "target": "d", "type": "USES"},
        {
            "id": "e4", "source": "c", "target": "d", "type": "USES", "weight": 0.3,
            "properties": {"strength": {"double_value": 0.9}},
        },
        {"id": "e5", "source": "a", "target": "m", "type": "BELONGS_TO"},
        {"id": "e6", "source": "c", "target": "m", "type": "BELONGS_TO"},
    ],
    "put_passages": [
        {
            "id": f"a{i}", "parent_id": "a", "index": i, "content": f"span {i} of alpha",
            "mentions": ["c"],
        }
        for i in range(6)
    ],
}  # fmt: skip

REQUESTS: dict[str, type[Message]] = {
    "Expand": graph_pb2.ExpandRequest,
    "Paths": graph_pb2.PathsRequest,
    "Lookup": read_pb2.LookupRequest,
    "Slice": read_pb2.SliceRequest,
    "Get": read_pb2.GetRequest,
    "Search": search_pb2.SearchRequest,
    "Context": search_pb2.ContextRequest,
}


def small_peer(folder: Path | None = None) -> LocalPeer:
    """A server with the collection ``c``, and an empty one, ``other``; in memory unless there is a *folder*."""
    made = LocalPeer(folder, now_us=lambda: 0)
    for name, records in (("c", RECORDS), ("other", {})):
        settings = ParseDict({**SETTINGS, "name": name}, store_pb2.Collection())
        batch = ParseDict(records, store_pb2.Batch())
        for call, request in (
            ("CreateCollection", store_pb2.CreateCollectionRequest(collection=settings)),
            ("Apply", store_pb2.ApplyRequest(collection=name, batch=batch)),
        ):
            reply = made.call(f"StoreService/{call}", request, caller=OPERATOR)
            assert reply.code == "OK", reply.message
    return made


def asked(peer: LocalPeer, call: str, request: Json, caller: Caller = OPERATOR) -> Reply:
    """The reply to a read whose request is *request*."""
    message = ParseDict(request, REQUESTS[call]())
    return peer.call(f"GraphService/{call}", message, caller=caller)


def applied(peer: LocalPeer, request: Json, caller: Caller = OPERATOR) -> Reply:
    """The reply to an Apply whose request is *request*."""
    message = ParseDict(request, store_pb2.ApplyRequest())
    return peer.call("StoreService/Apply", message, caller=caller)
