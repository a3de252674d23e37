"""Statuses become typed errors, and reads survive a server that is away for a moment."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import grpc
import pytest

import passageway
from passageway import _errors
from passageway._async_channel import AsyncChannelTransport
from passageway._channel import ChannelTransport
from passageway._generated import methods
from passageway._retry import Deadline, pauses
from passageway._session import AsyncSession, Session
from passageway.v1 import read_pb2, store_pb2
from tests.client.fake import Failure, FakeServer

AWAY = Failure(grpc.StatusCode.UNAVAILABLE, "away")


def test_every_fault_of_a_request_is_told(server: FakeServer, client: passageway.Client) -> None:
    faults = (("hops[0].decay", "must be > 0"), ("limit", "is past 10000"))
    status = grpc.StatusCode.INVALID_ARGUMENT
    server.answers(methods.GET, Failure(status, "two faults", "INVALID_REQUEST", faults=faults))

    with pytest.raises(passageway.InvalidArgument) as raised:
        client.collection("debian").get(["0ad"])

    assert [(fault.field, fault.message) for fault in raised.value.faults] == list(faults)
    assert raised.value.reason == "INVALID_REQUEST"


def test_a_passed_cap_names_the_limit_and_the_parameter_to_lower(
    server: FakeServer, client: passageway.Client
) -> None:
    caps = {"limit": "1000", "parameter": "max_nodes"}
    status = grpc.StatusCode.RESOURCE_EXHAUSTED
    server.answers(methods.EXPAND, Failure(status, "too many", "MAX_NODES", caps))

    with pytest.raises(passageway.ResourceExhausted) as raised:
        client.collection("debian").expand(["0ad"])

    error = raised.value
    assert (error.reason, error.limit, error.parameter) == ("MAX_NODES", 1000, "max_nodes")


@pytest.mark.parametrize("status", [each for each in grpc.StatusCode if each.value[0]])
async def test_each_status_is_the_same_error_of_both_clients(
    status: grpc.StatusCode,
    server: FakeServer,
    client: passageway.Client,
    async_client: passageway.AsyncClient,
) -> None:
    server.answers(methods.DELETE_COLLECTION, Failure(status, "no"), Failure(status, "no"))

    with pytest.raises(passageway.PassagewayError) as one:
        client.delete_collection("debian")
    with pytest.raises(passageway.PassagewayError) as other:
        await async_client.delete_collection("debian")

    assert type(one.value) is type(other.value)
    assert one.value.message == "no"
    expected = passageway.PassagewayError if one.value.code == "UNKNOWN" else None
    assert one.value.code == status.name or type(one.value) is expected


def test_details_that_cannot_be_read_leave_code_and_text() -> None:
    error = _errors.from_parts(5, "no row", b"\xff\xff")

    assert isinstance(error, passageway.NotFound)
    assert (error.message, error.reason) == ("no row", "NOT_FOUND")


def _client(server: FakeServer, slept: list[float]) -> passageway.Client:
    return passageway.Client(Session(ChannelTransport(server.target, sleep=slept.append)))


def test_a_read_is_sent_again_while_the_server_is_away(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(methods.GET, AWAY, AWAY, read_pb2.GetResponse(version="v1"))

    with _client(server, slept) as client:
        answer = client.collection("debian").get(["0ad"])

    assert answer.version == "v1"
    assert len(slept) == 2


def test_a_write_without_a_key_is_sent_once(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(methods.APPLY, AWAY, store_pb2.ApplyResponse())
    server.answers(methods.DELETE_COLLECTION, AWAY, store_pb2.DeleteCollectionResponse())

    with _client(server, slept) as client:
        with pytest.raises(passageway.Unavailable):
            client.collection("debian").apply(passageway.Batch(), idempotency_key="")
        with pytest.raises(passageway.Unavailable):
            client.delete_collection("debian")

    assert slept == []


def test_apply_is_sent_again_under_its_key(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(methods.APPLY, AWAY, store_pb2.ApplyResponse(version="v1"))

    with _client(server, slept) as client:
        answer = client.collection("debian").apply(passageway.Batch())

    keys = [call.requests[0].idempotency_key for call in server.asked]
    assert answer.version == "v1"
    assert len(slept) == 1
    assert keys[0] == keys[1] != ""


async def test_the_asynchronous_twin_sends_apply_again(server: FakeServer) -> None:
    server.answers(methods.APPLY, AWAY, store_pb2.ApplyResponse(version="v1"))

    async def sleep(_: float) -> None: ...

    transport = AsyncChannelTransport(server.target, sleep=sleep)
    async with passageway.AsyncClient(AsyncSession(transport)) as client:
        answer = await client.collection("debian").apply(passageway.Batch())

    keys = [call.requests[0].idempotency_key for call in server.asked]
    assert answer.version == "v1"
    assert keys[0] == keys[1] != ""


def test_what_a_lost_race_tells_is_at_hand(server: FakeServer, client: passageway.Client) -> None:
    told = {"newest": "v9", "ids": '["a","b\\"c"]', "count": "2"}
    status = grpc.StatusCode.ABORTED
    server.answers(
        methods.APPLY,
        Failure(status, "moved", "REVISIONS_MOVED", told),
        Failure(status, "moved", "VERSION_MOVED", {"newest": "v9"}),
        Failure(status, "moved", "REVISIONS_MOVED", {"ids": "nonsense"}),
        Failure(status, "moved", "REVISIONS_MOVED", {"ids": '{"a": 1}'}),
    )

    errors: list[passageway.Aborted] = []
    for _ in range(4):
        with pytest.raises(passageway.Aborted) as raised:
            client.collection("debian").apply(passageway.Batch())
        errors.append(raised.value)

    assert [(error.newest, error.ids) for error in errors] == [
        ("v9", ("a", 'b"c')),
        ("v9", ()),
        ("", ()),
        ("", ()),
    ]


def test_a_version_that_is_gone_names_the_oldest(
    server: FakeServer, client: passageway.Client
) -> None:
    status = grpc.StatusCode.FAILED_PRECONDITION
    server.answers(
        methods.GET,
        Failure(status, "gone", "VERSION_GONE", {"oldest": "v3"}),
        Failure(status, "changed", "TEXT_CHANGED"),
    )

    errors: list[passageway.FailedPrecondition] = []
    for _ in range(2):
        with pytest.raises(passageway.FailedPrecondition) as raised:
            client.collection("debian").get(["0ad"], at_version="v1")
        errors.append(raised.value)

    assert [error.oldest for error in errors] == ["v3", ""]


async def test_the_asynchronous_twin_sends_a_read_again(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(methods.GET, AWAY, read_pb2.GetResponse(version="v1"))

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    transport = AsyncChannelTransport(server.target, sleep=sleep)
    async with passageway.AsyncClient(AsyncSession(transport)) as client:
        answer = await client.collection("debian").get(["0ad"])

    assert answer.version == "v1"
    assert len(slept) == 1


def test_no_pause_outlasts_the_deadline() -> None:
    now = 0.0
    deadline = Deadline(0.04, idempotent=True, clock=lambda: now)
    away = passageway.Unavailable("away")

    with pytest.raises(passageway.Unavailable) as raised:
        deadline.pause_after(away, met=True)

    assert raised.value is away


def test_pauses_double_up_to_two_seconds() -> None:
    found = list(islice(pauses(), 9))

    longest = [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0, 2.0]
    assert all(0.5 * most <= pause <= most for most, pause in zip(longest, found, strict=True))


RESTARTING = Failure(grpc.StatusCode.UNAVAILABLE, "restarting", "NO_SERVER")
LOST = Failure(grpc.StatusCode.UNAVAILABLE, "lost", "CONNECTION_LOST")
REFUSED = Failure(grpc.StatusCode.UNAVAILABLE, "the disk", "WRITE_FAILED")


def test_a_write_waits_for_what_takes_writes_until_it_is_back(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(methods.APPLY, *[RESTARTING] * 12, store_pb2.ApplyResponse(version="v1"))
    server.answers(
        methods.DELETE_COLLECTION, *[RESTARTING] * 12, store_pb2.DeleteCollectionResponse()
    )

    with _client(server, slept) as client:
        answer = client.collection("debian").apply(passageway.Batch(), idempotency_key="")
        client.delete_collection("debian")

    assert answer.version == "v1"
    assert len(slept) == 24


async def test_the_asynchronous_twin_waits_for_it_too(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(
        methods.DELETE_COLLECTION, *[RESTARTING] * 12, store_pb2.DeleteCollectionResponse()
    )

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    transport = AsyncChannelTransport(server.target, sleep=sleep)
    async with passageway.AsyncClient(AsyncSession(transport)) as client:
        await client.delete_collection("debian")

    assert len(slept) == 12


@pytest.mark.parametrize("key", ["", "k"])
def test_a_write_that_may_have_been_made_is_sent_again_under_a_key_alone(
    server: FakeServer, key: str
) -> None:
    slept: list[float] = []
    server.answers(methods.APPLY, *[LOST] * 12, store_pb2.ApplyResponse(version="v1"))
    server.answers(methods.DELETE_COLLECTION, LOST)

    with _client(server, slept) as client:
        if key:
            assert client.collection("c").apply(passageway.Batch(), idempotency_key=key).version
            assert len(slept) == 12
            return
        with pytest.raises(passageway.Unavailable):
            client.collection("c").apply(passageway.Batch(), idempotency_key=key)
        with pytest.raises(passageway.Unavailable):
            client.delete_collection("c")

    assert slept == []


async def test_a_stream_of_one_request_is_sent_again_until_it_has_begun(
    server: FakeServer,
) -> None:
    slept: list[float] = []
    whole = [store_pb2.ExportResponse(version="v1")] * 2

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    transport = AsyncChannelTransport(server.target, sleep=sleep)
    async with passageway.AsyncClient(AsyncSession(transport)) as twin:
        with _client(server, slept) as client:
            server.answers(methods.EXPORT, RESTARTING, *whole)
            assert len(list(client.collection("c").export())) == 2
            server.answers(methods.EXPORT, RESTARTING, *whole)
            assert len([part async for part in twin.collection("c").export()]) == 2
            assert len(slept) == 2
            server.answers(methods.EXPORT, whole[0], RESTARTING, *whole)
            with pytest.raises(passageway.Unavailable):
                list(client.collection("c").export())
            server.answers(methods.EXPORT, whole[0], RESTARTING, *whole)
            with pytest.raises(passageway.Unavailable):
                [part async for part in twin.collection("c").export()]
    assert len(slept) == 2


def test_a_load_is_sent_once_and_how_far_it_came_is_asked_again(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(methods.LOAD, RESTARTING, store_pb2.LoadResponse(batch=3))

    with _client(server, slept) as client:
        with pytest.raises(passageway.Unavailable):
            client.collection("c").load([passageway.Batch()], name="m")
        assert slept == []
        server.answers(methods.LOAD, RESTARTING, store_pb2.LoadResponse(batch=3))
        assert client.collection("c").loaded("m").batch == 3

    assert len(slept) == 1


def test_what_may_stay_so_is_tried_a_few_times(server: FakeServer) -> None:
    slept: list[float] = []
    server.answers(methods.APPLY, *[REFUSED] * 20)

    with _client(server, slept) as client, pytest.raises(passageway.Unavailable):
        client.collection("debian").apply(passageway.Batch())

    assert len(slept) == 5


def test_an_address_where_nobody_ever_answered_is_tried_a_few_times(server: FakeServer) -> None:
    slept: list[float] = []
    server.stop()

    with _client(server, slept) as client, pytest.raises(passageway.Unavailable) as raised:
        client.describe()

    assert (raised.value.reason, len(slept)) == ("NO_SERVER", 5)


def _calls_of(client: passageway.Client) -> list[Callable[[], object]]:
    collection = client.collection("debian")
    return [
        client.describe,
        lambda: client.delete_collection("debian"),
        lambda: list(collection.export()),
        lambda: collection.load([passageway.Batch()]),
    ]


def test_a_closed_client_says_so_whatever_it_led_to(server: FakeServer, tmp_path: Path) -> None:
    for client in (passageway.connect(server.target), passageway.open(tmp_path, create=True)):
        client.close()
        client.close()
        for call in _calls_of(client):
            with pytest.raises(passageway.FailedPrecondition) as raised:
                call()
            assert raised.value.reason == "CLIENT_CLOSED"


async def test_a_closed_asynchronous_client_says_the_same(server: FakeServer) -> None:
    client = passageway.connect_async(server.target)
    await client.close()
    await client.close()

    with pytest.raises(passageway.FailedPrecondition) as one:
        await client.describe()
    with pytest.raises(passageway.FailedPrecondition) as other:
        [part async for part in client.collection("debian").export()]

    assert [one.value.reason, other.value.reason] == ["CLIENT_CLOSED"] * 2


def test_a_client_that_is_closed_before_its_next_attempt_says_so(server: FakeServer) -> None:
    server.answers(methods.GET, AWAY)
    client = passageway.Client(
        Session(ChannelTransport(server.target, sleep=lambda _: client.close()))
    )

    with pytest.raises(passageway.FailedPrecondition) as raised:
        client.collection("debian").get(["0ad"])

    assert raised.value.reason == "CLIENT_CLOSED"


@pytest.mark.parametrize("token", ["", "secret\n", "se cret", "sécret", "secret\0"])
async def test_a_token_that_none_can_be_is_refused_without_being_shown(token: str) -> None:
    for connect in (passageway.connect, passageway.connect_async):
        with pytest.raises(ValueError, match="without the line break") as raised:
            connect("127.0.0.1:1", token=token)
        assert "cret" not in str(raised.value)
