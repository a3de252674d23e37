"""A server whose callers act for others and before an audience, and what each of them learns of it."""

import base64
import json
from collections.abc import Generator

import pytest
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2, store_pb2, types_pb2
from tests.wire.serving import Failed, Keys, Metadata, Wire, guarded, served

BEHALF, AUDIENCE = "passageway-on-behalf-of", "passageway-audience"


def told(name: str, *principals: str) -> Metadata:
    value = base64.urlsafe_b64encode(json.dumps(principals).encode()).decode()
    return ((name, value.rstrip("=")),)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    made = Keys(tmp_path_factory.mktemp("keys"))
    made.add("root", roles=["admin"])
    made.add("bridge", principals=["group:secret"], roles=["delegate"])
    made.add("loader", principals=["group:secret"], roles=["writer", "delegate"])
    made.add("ada", principals=["group:eng"])
    made.add("bob")
    return made


@pytest.fixture(scope="module")
def wire(keys: Keys) -> Generator[Wire]:
    with served(guarded(keys)) as made:
        _fill(made, keys)
        yield made


def _fill(wire: Wire, keys: Keys) -> None:
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    settings.fields.add(name="salary", kind=types_pb2.FIELD_KIND_INT, readers=["group:hr"])
    settings.membership.node_id_template = "user:{sub}"
    settings.membership.edge_types.append("MEMBER_OF")
    closed = store_pb2.Collection(name="closed", users=["team:red"])
    closed.membership.CopyFrom(settings.membership)
    batch = store_pb2.Batch(
        put_nodes=[
            types_pb2.Node(id="open"),
            types_pb2.Node(id="eng", readers=["group:eng"]),
            types_pb2.Node(id="red", readers=["team:red"]),
            types_pb2.Node(id="adas", readers=["user:ada"]),
            types_pb2.Node(id="both", readers=["user:ada & group:eng"]),
            types_pb2.Node(id="secret", readers=["group:secret"]),
            types_pb2.Node(id="nobodys", readers=["user:nobody"]),
            types_pb2.Node(id="user:ada", readers=["user:nobody"]),
            types_pb2.Node(id="team:red", readers=["user:nobody"]),
        ],
        put_edges=[
            types_pb2.Edge(id="m", source="user:ada", target="team:red", type="MEMBER_OF"),
            types_pb2.Edge(
                id="e", source="open", target="eng", type="R", readers=["user:ada", "user:bob"]
            ),
        ],
    )
    batch.put_nodes[0].properties["salary"].int_value = 7
    root = keys.of("root")
    for collection in (settings, closed):
        made = store_pb2.CreateCollectionRequest(collection=collection)
        wire.unary("StoreService/CreateCollection", made, store_pb2.Collection, root)
        put = store_pb2.ApplyRequest(collection=collection.name, batch=batch)
        wire.unary("StoreService/Apply", put, store_pb2.ApplyResponse, root)


ALL = ["open", "eng", "red", "adas", "both", "secret", "nobodys", "user:ada", "team:red"]


GET = read_pb2.GetRequest(collection="c", ids=ALL)


def expand() -> graph_pb2.ExpandRequest:
    request = graph_pb2.ExpandRequest(collection="c", with_edges=True, limit=-1)
    request.seeds.add(ids=["open"])
    request.hops.add()
    return request


CALLS: list[tuple[str, Message, type[Message]]] = [
    ("Get", GET, read_pb2.GetResponse),
    ("Lookup", read_pb2.LookupRequest(collection="c", filter="id:*"), read_pb2.LookupResponse),
    ("Lookup", read_pb2.LookupRequest(collection="c", filter="salary:*"), read_pb2.LookupResponse),
    ("Expand", expand(), graph_pb2.ExpandResponse),
    ("Describe", read_pb2.DescribeRequest(collection="c"), read_pb2.DescribeResponse),
    ("Describe", read_pb2.DescribeRequest(), read_pb2.DescribeResponse),
    ("Get", read_pb2.GetRequest(collection="closed", ids=["red"]), read_pb2.GetResponse),
]


def told_to(
    wire: Wire, call: str, request: Message, answer: type[Message], metadata: Metadata
) -> str:
    """All that the caller learns, but for the time it took."""
    try:
        told = wire.unary(f"GraphService/{call}", request, answer, metadata)
    except Failed as failed:
        return f"{failed}\n{failed.status}"
    if "took_us" in told.DESCRIPTOR.fields_by_name:
        told.ClearField("took_us")
    return str(told)


def seen(wire: Wire, metadata: Metadata) -> set[str]:
    found = wire.unary("GraphService/Get", GET, read_pb2.GetResponse, metadata)
    return {node.id for node in found.nodes}


def refused(wire: Wire, metadata: Metadata) -> tuple[str, list[str], str]:
    with pytest.raises(Failed) as failed:
        seen(wire, metadata)
    return failed.value.code, failed.value.fields, failed.value.text
