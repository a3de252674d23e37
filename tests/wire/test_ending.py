"""A call that is over is worked on no more, and its thread takes the next."""

import logging
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

import passageway
from passageway._errors import DeadlineExceeded
from passageway._transport import Method
from passageway.v1 import read_pb2, store_pb2
from passageway_server.wire import local
from passageway_server.wire.local import open_local
from passageway_server.wire.server import Settings
from tests.wire.endless import Endless
from tests.wire.serving import Failed, Wire, served

FEW = Settings(listen="127.0.0.1:0", threads=4)
REQUEST = read_pb2.GetRequest(collection="c", ids=["a"])


class Lines(logging.Handler):
    """How calls ended, as the log says it, in turn."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == "call":
            self._ends.put(record.__dict__["passageway_fields"])

    def status_of(self, call: str) -> str:
        """The status of the next end of *call*; it is waited for."""
        while True:
            line = self._ends.get(timeout=60)
            if line["call"] == call:
                return str(line["status"])


@pytest.fixture
def lines() -> Iterator[Lines]:
    log, handler = logging.getLogger("passageway.server"), Lines()
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield handler
    log.removeHandler(handler)


def getting(wire: Wire) -> Any:
    return wire.channel.unary_unary(
        "/passageway.v1.GraphService/Get",
        request_serializer=read_pb2.GetRequest.SerializeToString,
        response_deserializer=read_pb2.GetResponse.FromString,
    )


def exporting(wire: Wire) -> Any:
    return wire.channel.unary_stream(
        "/passageway.v1.StoreService/Export",
        request_serializer=store_pb2.ExportRequest.SerializeToString,
        response_deserializer=store_pb2.ExportResponse.FromString,
    )


def test_many_cancelled_calls_leave_no_work_behind(lines: Lines) -> None:
    endless = Endless()
    with served(FEW, endless.calls) as wire:
        wire.create("c")
        futures = [getting(wire).future(REQUEST, timeout=60) for _ in range(50)]
        for _ in range(FEW.threads):
            assert endless.begun.acquire(timeout=60)

        for future in futures:
            future.cancel()

        request = read_pb2.DescribeRequest(collection="c")
        wire.unary("GraphService/Describe", request, read_pb2.DescribeResponse)
        endless.wait_until_all_ended()
        ends = {lines.status_of("GraphService/Get") for _ in range(endless.count)}
        assert ends == {"CANCELLED"}


def test_a_deadline_ends_the_work_and_the_log_tells_it_from_a_cancel(lines: Lines) -> None:
    endless = Endless()
    with served(FEW, endless.calls) as wire:
        with pytest.raises(grpc.RpcError) as passed:
            getting(wire)(REQUEST, timeout=0.1)

        assert Failed(passed.value).code == "DEADLINE_EXCEEDED"
        endless.wait_until_all_ended()
        assert lines.status_of("GraphService/Get") == "DEADLINE_EXCEEDED"


def test_a_call_without_a_deadline_can_be_cancelled(lines: Lines) -> None:
    endless = Endless()
    with served(FEW, endless.calls) as wire:
        future = getting(wire).future(REQUEST)
        assert endless.begun.acquire(timeout=60)

        future.cancel()

        endless.wait_until_all_ended()
        assert lines.status_of("GraphService/Get") == "CANCELLED"


def test_a_stream_ends_when_its_caller_goes(lines: Lines) -> None:
    endless = Endless()
    with served(FEW, endless.calls) as wire:
        answers = exporting(wire)(store_pb2.ExportRequest(collection="c"), timeout=60)
        next(answers)

        answers.cancel()

        assert endless.ended.acquire(timeout=60)
        assert lines.status_of("StoreService/Export") == "CANCELLED"


GET = Method("/passageway.v1.GraphService/Get", read_pb2.GetRequest, read_pb2.GetResponse)
EXPORT = Method(
    "/passageway.v1.StoreService/Export", store_pb2.ExportRequest, store_pb2.ExportResponse
)


def test_a_timeout_is_a_deadline_for_an_engine_of_the_same_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = Endless()
    monkeypatch.setattr(local, "CALLS", endless.calls)
    transport = open_local(tmp_path)

    with pytest.raises(DeadlineExceeded):
        transport.unary(GET, REQUEST, timeout=0.1)
    with pytest.raises(DeadlineExceeded):
        for _ in transport.stream(EXPORT, [store_pb2.ExportRequest(collection="c")], timeout=0.1):
            pass

    transport.close()


@pytest.mark.parametrize("seconds", [0.5, 3.0])
async def test_a_version_that_does_not_come_is_told_before_the_deadline(seconds: float) -> None:
    with served(FEW) as wire:
        newest = wire.create("c").version
        late = f"{newest[:20]}{9:012x}"
        client = passageway.connect(wire.server.address, timeout=seconds)
        twin = passageway.connect_async(wire.server.address, timeout=seconds)
        with client, pytest.raises(passageway.Unavailable) as one:
            client.collection("c").get(["a"], at_least_version=late)
        async with twin:
            with pytest.raises(passageway.Unavailable) as other:
                await twin.collection("c").get(["a"], at_least_version=late)

    for raised in (one.value, other.value):
        assert (raised.reason, raised.metadata) == ("VERSION_LATE", {"newest": newest})
