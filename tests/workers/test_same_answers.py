"""What a caller gets of several processes is, byte for byte, what it gets of one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2
from passageway_server.wire.server import Settings
from tests.wire.serving import Keys, guarded, served
from tests.workers import serving
from tests.workers.serving import Line, two_workers

Reply = tuple[str, str, dict[str, bytes | str], bytes]

CREATE = store_pb2.CreateCollectionRequest(
    collection=store_pb2.Collection(name="c", default_readers=["public"])
)
BAD = store_pb2.ApplyRequest(collection="c")
BAD.batch.put_nodes.add(id="")
BAD.batch.put_nodes.add(id="x", readers=["nobody knows"])
CALLS = [
    ("StoreService/GetCollection", store_pb2.GetCollectionRequest(name="nope"), "root"),
    ("StoreService/GetCollection", store_pb2.GetCollectionRequest(name="c"), "ada"),
    ("StoreService/CreateCollection", CREATE, "root"),
    ("StoreService/CreateCollection", CREATE, "wim"),
    ("StoreService/Apply", BAD, "wim"),
    ("StoreService/Apply", BAD, "ada"),
    ("StoreService/Apply", b"\xff\xff", "wim"),
    ("StoreService/RestoreSnapshot", store_pb2.RestoreSnapshotRequest(collection="c"), "root"),
    ("StoreService/ListSnapshots", store_pb2.ListSnapshotsRequest(collection="c"), "root"),
    ("StoreService/DeleteSnapshot", store_pb2.DeleteSnapshotRequest(collection="c"), "root"),
    ("GraphService/Get", read_pb2.GetRequest(collection="nope", ids=["a"]), "ada"),
    ("GraphService/Get", read_pb2.GetRequest(collection="c"), "ada"),
    ("GraphService/Get", b"\xff\xff", "ada"),
    ("GraphService/Slice", read_pb2.SliceRequest(collection="c", id="none"), "ada"),
    ("GraphService/Lookup", read_pb2.LookupRequest(collection="c", filter="(("), "ada"),
    ("GraphService/Search", query_pb2.Query(), "ada"),
    ("GraphService/Expand", graph_pb2.ExpandRequest(collection="c"), ""),
    ("StoreService/Apply", BAD, ""),
]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    keys = Keys(tmp_path_factory.mktemp("keys"))
    keys.add("root", roles=["admin"])
    keys.add("wim", roles=["writer"])
    keys.add("ada", principals=["group:eng"])
    return keys


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, keys: Keys) -> Iterator[grpc.Channel]:
    """A channel to a server of one process."""
    settings: Settings = guarded(keys, data=tmp_path_factory.mktemp("alone") / "data")
    with served(settings) as wire:
        wire.create("c", keys.of("root"))
        yield wire.channel


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory, keys: Keys) -> Iterator[grpc.Channel]:
    """A channel to a server of several."""
    data: Path = tmp_path_factory.mktemp("together") / "data"
    with serving.served(*two_workers(data), "--tokens", str(keys.file)) as server:
        line = Line(server.address, keys.of("root"))
        line.create("c", keys.of("root"))
        yield line.channel
        line.channel.close()


@pytest.mark.parametrize(
    ("method", "request_", "sub"),
    CALLS,
    ids=[f"{m}-{s or 'nobody'}-{n}" for n, (m, _, s) in enumerate(CALLS)],
)
def test_a_refusal_is_the_same(
    method: str,
    request_: Message | bytes,
    sub: str,
    alone: grpc.Channel,
    together: grpc.Channel,
    keys: Keys,
) -> None:
    metadata = keys.of(sub) if sub else ()
    sent = request_ if isinstance(request_, bytes) else request_.SerializeToString()

    assert reply(together, method, sent, metadata) == reply(alone, method, sent, metadata)


def reply(
    channel: grpc.Channel, method: str, request: bytes, metadata: tuple[tuple[str, str], ...]
) -> Reply:
    """All that a caller is given: the status, its text and details, and the response where there is one."""
    send = channel.unary_unary(f"/passageway.v1.{method}", bytes, bytes)
    call: Any = send.future(request, metadata=metadata, timeout=60)
    if call.code() is grpc.StatusCode.OK:
        return "OK", "", {}, call.result()
    return call.code().name, call.details(), dict(call.trailing_metadata() or ()), b""
