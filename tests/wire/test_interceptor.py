"""What leaves the server when something goes wrong inside, and what the log says about it."""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace

import grpc
import pytest
from google.protobuf.message import Message

from passageway.v1 import read_pb2, store_pb2
from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.values.halt import Halt
from passageway_server.version.catalog import Catalog
from passageway_server.wire import journal
from passageway_server.wire.dispatch import Call, Reading, Streaming
from passageway_server.wire.local import LocalServer
from passageway_server.wire.server import CALLS
from tests.wire.serving import IN_MEMORY, Failed, Keys, Metadata, Wire, guarded, served

SECRET = "row-of-ada"


def breaks(store: Catalog, caller: Caller, asked: object, halt: Halt) -> object:
    raise KeyError(SECRET)


def breaks_later(store: Catalog, caller: Caller, asked: Iterator[object]) -> Iterator[Message]:
    next(asked)
    yield store_pb2.LoadResponse(batch=1)
    raise KeyError(SECRET)


GET = CALLS["GraphService/Get"]
assert isinstance(GET, Reading)
BROKEN: Mapping[str, Call] = {
    **CALLS,
    "GraphService/Get": replace(GET, serve=breaks),
    "StoreService/Load": Streaming(store_pb2.LoadRequest, breaks_later, client_streams=True),
}


def fields(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, object]]:
    return [
        record.__dict__["passageway_fields"]
        for record in caplog.records
        if record.getMessage() == event
    ]


@pytest.fixture(params=["none", "tokens"])
def broken(request: pytest.FixtureRequest, keys: Keys) -> Iterator[tuple[Wire, Metadata]]:
    """A server with bugs in it, and what a caller presents to it."""
    asks = request.param == "tokens"
    with served(guarded(keys) if asks else IN_MEMORY, BROKEN) as wire:
        yield wire, keys.of("root") if asks else ()


def test_a_bug_leaves_as_an_id_that_is_in_the_log(
    broken: tuple[Wire, Metadata],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    wire, metadata = broken
    with pytest.raises(Failed) as of_call:
        wire.unary("GraphService/Get", read_pb2.GetRequest(), read_pb2.GetResponse, metadata)
    with pytest.raises(Failed) as of_stream:
        list(wire.load([store_pb2.LoadRequest()], metadata))

    bugs = fields(caplog, "bug")
    assert [bug["call"] for bug in bugs] == ["GraphService/Get", "StoreService/Load"]
    for refused, bug, place in zip((of_call, of_stream), bugs, (breaks, breaks_later), strict=True):
        assert refused.value.code == "INTERNAL"
        assert refused.value.text == f"internal error; its id in the log is {bug['id']}"
        assert bug["error"] == "KeyError"
        assert place.__name__ in str(bug["at"])
        for hidden in (SECRET, place.__name__, "KeyError", "Traceback", ".py"):
            assert hidden not in f"{refused.value.text}{refused.value.status}"
        assert SECRET not in f"{caplog.text}{bug}{capfd.readouterr()}"


def test_a_bug_in_a_stream_leaves_the_answers_before_it() -> None:
    answers: list[store_pb2.LoadResponse] = []
    with served(calls=BROKEN) as wire, pytest.raises(Failed) as refused:
        answers.extend(wire.load([store_pb2.LoadRequest()]))

    assert [answer.batch for answer in answers] == [1]
    assert refused.value.code == "INTERNAL"
    assert SECRET not in refused.value.text


def test_the_server_lives_after_a_bug() -> None:
    with served(calls=BROKEN) as wire:
        with pytest.raises(Failed):
            wire.unary("GraphService/Get", read_pb2.GetRequest(), read_pb2.GetResponse)

        wire.unary("GraphService/Describe", read_pb2.DescribeRequest(), read_pb2.DescribeResponse)


def test_a_stream_that_its_caller_gave_up_holds_no_thread() -> None:
    with served() as wire:
        wire.create("c")
        load = wire.channel.stream_stream(
            "/passageway.v1.StoreService/Load",
            request_serializer=store_pb2.LoadRequest.SerializeToString,
            response_deserializer=store_pb2.LoadResponse.FromString,
        )
        for _ in range(50):
            first = store_pb2.LoadRequest(collection="c")
            call = load(_endless(first))
            next(call)
            call.cancel()

        wire.unary("GraphService/Describe", read_pb2.DescribeRequest(), read_pb2.DescribeResponse)


def _endless(first: store_pb2.LoadRequest) -> Iterator[store_pb2.LoadRequest]:
    while True:
        yield first


def test_each_call_is_a_line_without_content_ids_or_tokens(
    capsys: pytest.CaptureFixture[str],
) -> None:
    journal.to_stderr()
    try:
        with served() as wire:
            get = read_pb2.GetRequest(collection="c", ids=[SECRET])
            metadata = (("authorization", "Bearer s3cret"),)
            with pytest.raises(Failed):
                wire.unary("GraphService/Get", get, read_pb2.GetResponse, metadata)
    finally:
        logging.getLogger("passageway.server").handlers.clear()
        logging.getLogger("passageway.server").propagate = True

    written = capsys.readouterr().err
    lines = [json.loads(line) for line in written.splitlines()]
    # Streams whose callers have gone may end long after their test.
    (call,) = [line for line in lines if line.get("call") == "GraphService/Get"]
    assert (call["event"], call["status"]) == ("call", "NOT_FOUND")
    assert call["took_us"] >= 0
    assert "s3cret" not in written
    assert SECRET not in written


@pytest.mark.parametrize("request_bytes", [b"\xff", b"\x0a\x02\xc3\x28", b"\x1a\x03\xed\xa0\x80"])
def test_bytes_that_are_no_message_are_a_fault_of_the_request(request_bytes: bytes) -> None:
    with served() as wire, pytest.raises(Failed) as refused:
        wire.unary("GraphService/Get", request_bytes, read_pb2.GetResponse)

    assert (refused.value.code, refused.value.fields) == ("INVALID_ARGUMENT", ["request"])


def test_grpc_and_the_local_way_in_fail_alike() -> None:
    request = read_pb2.GetRequest(collection="absent", ids=["a"]).SerializeToString()
    reply = LocalServer().call("GraphService/Get", request, caller=OPERATOR)
    with served() as wire, pytest.raises(Failed) as refused:
        wire.unary("GraphService/Get", request, read_pb2.GetResponse)

    assert (refused.value.code, refused.value.text) == (reply.code, reply.message)
    assert refused.value.status.SerializeToString(deterministic=True) == reply.details


def test_a_message_past_the_limit_is_refused_and_the_server_lives() -> None:
    with served() as wire:
        options = [("grpc.max_send_message_length", -1)]
        with grpc.insecure_channel(wire.server.address, options=options) as channel:
            wire.channel = channel
            with pytest.raises(Failed, match="RESOURCE_EXHAUSTED"):
                wire.unary("GraphService/Get", b"\x0a" + b"x" * (65 << 20), read_pb2.GetResponse)

            wire.unary(
                "GraphService/Describe", read_pb2.DescribeRequest(), read_pb2.DescribeResponse
            )
