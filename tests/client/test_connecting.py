"""A server that is far is waited for; one that is not there is told soon, and in plain words."""

import asyncio
import socket
from collections.abc import Iterator

import grpc
import pytest

import passageway
from passageway import AsyncClient, Batch, Client, Unavailable
from passageway._async_channel import AsyncChannelTransport
from passageway._channel import ChannelTransport, error_from
from passageway._generated import methods
from passageway._session import AsyncSession, Session
from passageway.v1 import store_pb2
from tests.client.fake import FakeServer, Hangs
from tests.client.proxy import FAR, Proxy


@pytest.fixture
def far(server: FakeServer) -> Iterator[Proxy]:
    proxy = Proxy(server.port, delay=FAR)
    yield proxy
    proxy.close()


@pytest.fixture
def broken(server: FakeServer) -> Iterator[Proxy]:
    proxy = Proxy(server.port, breaks=True)
    yield proxy
    proxy.close()


@pytest.fixture
def nobody() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"127.0.0.1:{taken.getsockname()[1]}"


def test_a_write_reaches_a_server_that_is_far(server: FakeServer, far: Proxy) -> None:
    server.answers(methods.CREATE_SNAPSHOT, store_pb2.Snapshot(name="first"))

    with passageway.connect(far.target) as client:
        made = client.collection("debian").create_snapshot("first")

    assert made.name == "first"
    assert (len(server.asked), far.connections) == (1, 1)


async def test_a_load_of_the_asynchronous_twin_reaches_it_too(
    server: FakeServer, far: Proxy
) -> None:
    server.answers(methods.LOAD, store_pb2.LoadResponse(nodes=1))

    async with passageway.connect_async(far.target) as client:
        last = await client.collection("debian").load(Batch())

    assert last.nodes == 1
    assert far.connections == 1


def test_nobody_at_the_address_is_told_in_words(nobody: str) -> None:
    with passageway.connect(nobody) as client, pytest.raises(Unavailable) as raised:
        client.delete_collection("debian")

    assert raised.value.reason == "NO_SERVER"
    assert raised.value.message == (
        f"no server answers at {nobody}; start one with `passageway serve --listen {nobody}`"
    )
    assert "Connection refused" in raised.value.__notes__[0]


def test_a_write_that_never_left_is_tried_again(server: FakeServer, nobody: str) -> None:
    slept: list[float] = []
    transport = ChannelTransport(nobody, sleep=slept.append)

    with Client(Session(transport)) as client, pytest.raises(Unavailable):
        client.delete_collection("debian")

    assert len(slept) == 5


async def test_the_asynchronous_twin_tries_again_until_somebody_listens(
    server: FakeServer, nobody: str
) -> None:
    server.answers(methods.DELETE_COLLECTION, store_pb2.DeleteCollectionResponse())
    slept: list[float] = []
    late: list[asyncio.Server] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if not late:
            late.append(await _bridge(nobody, server.port))
        await asyncio.sleep(seconds)

    async with AsyncClient(AsyncSession(AsyncChannelTransport(nobody, sleep=sleep))) as client:
        await client.delete_collection("debian")
    late[0].close()

    assert len(server.asked) == 1
    assert slept


async def _bridge(address: str, port: int) -> asyncio.Server:
    """A server at *address* that hands on to *port*."""

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while received := await source.read(1 << 16):
            sink.write(received)
        sink.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    host, _, own = address.rpartition(":")
    return await asyncio.start_server(connected, host, int(own))


def test_a_write_whose_connection_broke_is_sent_once_and_says_so(broken: Proxy) -> None:
    slept: list[float] = []
    transport = ChannelTransport(broken.target, sleep=slept.append)

    with Client(Session(transport)) as client, pytest.raises(Unavailable) as raised:
        client.delete_collection("debian")

    assert (raised.value.reason, slept) == ("CONNECTION_LOST", [])
    assert raised.value.message == f"the connection to {broken.target} was lost before the answer"


def test_a_server_that_stops_during_a_stream_says_so(server: FakeServer) -> None:
    server.answers(methods.EXPORT, store_pb2.ExportResponse(version="v1"), Hangs())

    with passageway.connect(server.target) as client:
        parts = client.collection("debian").export()
        next(iter(parts))
        server.stop()
        with pytest.raises(Unavailable) as raised:
            next(iter(parts))

    assert raised.value.reason == "STOPPING"
    assert raised.value.message.startswith(f"the server at {server.target} stopped before")
    assert "send the call again" in raised.value.message


@pytest.mark.parametrize(
    ("said", "reason", "told"),
    [
        ("DNS resolution failed for h:1: C-ares status is not…", "NO_SERVER", "is that of no machine"),
        ("errors resolving h:1: [field:hostname lookup…]", "NO_SERVER", "is that of no machine"),
        (
            "failed to connect to all addresses; last error: UNKNOWN: ipv4:1.2.3.4:1: Ssl handshake failed",
            "NO_SERVER",
            "no connection to h:1 came about",
        ),
        ("Stream removed (Socket closed)", "CONNECTION_LOST", "was lost"),
        ("recvmsg:Connection reset by peer", "CONNECTION_LOST", "was lost"),
        ("Cancelling all calls", "STOPPING", "the server at h:1 stopped"),
        ("the server is stopping", "UNAVAILABLE", "the server is stopping"),
    ],
)  # fmt: skip
def test_what_grpc_says_becomes_plain_words(said: str, reason: str, told: str) -> None:
    error = error_from(grpc.StatusCode.UNAVAILABLE, said, None, target="h:1")

    assert isinstance(error, Unavailable)
    assert error.reason == reason
    assert told in error.message
