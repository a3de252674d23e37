"""Few threads: what may hold one, and what is left for the others."""

import queue
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from passageway.v1 import read_pb2, store_pb2
from passageway_server.errors import SettingInvalid
from passageway_server.wire.server import Server, Settings
from tests.wire.serving import Failed, Keys, Metadata, Wire, guarded, served

FEW = Settings(listen="127.0.0.1:0", threads=4)
"""Of which streams hold two."""
LIST = reflection_pb2.ServerReflectionRequest(list_services="")
FIRST = store_pb2.LoadRequest(collection="c")


class Stream:
    """A stream that stays open until it is told to end."""

    def __init__(self, call: Any, metadata: Metadata = ()) -> None:
        self._requests: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        requests = iter(self._requests.get, None)
        self._answers = call(requests, timeout=60, metadata=metadata)

    def ask(self, request: Message) -> None:
        """Send a request, and wait for an answer; raises `Failed`."""
        self._requests.put(request)
        self.next()

    def next(self) -> None:
        """Wait for an answer; raises `Failed`."""
        try:
            next(self._answers)
        except grpc.RpcError as error:
            raise Failed(error) from None

    def end(self) -> None:
        """Send no more, and wait for the end of the answers."""
        self._requests.put(None)
        assert list(self._answers) == []

    def code(self) -> str:
        """The status that it ended with."""
        return str(self._answers.code().name)

    def close(self) -> None:
        self._requests.put(None)
        self._answers.cancel()


def reflecting(wire: Wire, metadata: Metadata = ()) -> Stream:
    stub = reflection_pb2_grpc.ServerReflectionStub(wire.channel)
    return Stream(stub.ServerReflectionInfo, metadata)


def loading(wire: Wire) -> Stream:
    return Stream(
        wire.channel.stream_stream(
            "/passageway.v1.StoreService/Load",
            request_serializer=store_pb2.LoadRequest.SerializeToString,
            response_deserializer=store_pb2.LoadResponse.FromString,
        )
    )


def describe(wire: Wire, metadata: Metadata = ()) -> None:
    request = read_pb2.DescribeRequest(collection="c")
    wire.unary("GraphService/Describe", request, read_pb2.DescribeResponse, metadata)


def test_open_streams_leave_threads_for_calls_and_health() -> None:
    with served(FEW) as wire, ExitStack() as stack:
        wire.create("c")
        for stream, request in ((reflecting(wire), LIST), (loading(wire), FIRST)):
            stack.callback(stream.close)
            stream.ask(request)

        for stream in (reflecting(wire), loading(wire)):
            stack.callback(stream.close)
            with pytest.raises(Failed, match="RESOURCE_EXHAUSTED") as refused:
                stream.next()
            assert refused.value.info.reason == "MAX_STREAMS"
            assert refused.value.info.metadata == {"limit": "2", "parameter": "streams"}
        export = wire.channel.unary_stream(
            "/passageway.v1.StoreService/Export",
            request_serializer=store_pb2.ExportRequest.SerializeToString,
            response_deserializer=store_pb2.ExportResponse.FromString,
        )
        with pytest.raises(grpc.RpcError) as exhausted:
            next(export(store_pb2.ExportRequest(collection="c"), timeout=60))
        assert Failed(exhausted.value).info.reason == "MAX_STREAMS"
        describe(wire)
        stub = health_pb2_grpc.HealthStub(wire.channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=60).status
        assert next(stub.Watch(health_pb2.HealthCheckRequest(), timeout=60)).status


def test_a_stream_that_ends_makes_room_for_another() -> None:
    with served(FEW) as wire, ExitStack() as stack:
        wire.create("c")
        for _ in range(5):
            for stream, request in ((reflecting(wire), LIST), (loading(wire), FIRST)):
                stack.callback(stream.close)
                stream.ask(request)
                stream.end()


def test_a_stream_without_credentials_is_refused_before_it_says_anything(keys: Keys) -> None:
    with served(replace(guarded(keys), reflection=True)) as wire, ExitStack() as stack:
        for stream in (reflecting(wire), loading(wire)):
            stack.callback(stream.close)
            with pytest.raises(Failed, match="UNAUTHENTICATED"):
                stream.next()
        known = reflecting(wire, keys.of("ada"))
        stack.callback(known.close)
        known.ask(LIST)


def test_a_drain_ends_streams_of_reflection() -> None:
    with served() as wire:
        stream = reflecting(wire)
        stream.ask(LIST)

        wire.server.stop()

        with pytest.raises(Failed, match="CANCELLED"):
            stream.next()
        stream.close()


def test_many_watches_leave_room_for_calls() -> None:
    with served(Settings(listen="127.0.0.1:0", threads=2)) as wire:
        wire.create("c")
        stub = health_pb2_grpc.HealthStub(wire.channel)
        request = health_pb2.HealthCheckRequest()
        for watch in [stub.Watch(request, timeout=60) for _ in range(50)]:
            next(watch)

        describe(wire)


def test_one_thread_is_too_few() -> None:
    with pytest.raises(SettingInvalid, match="threads"):
        Server(Settings(listen="127.0.0.1:0", threads=1))
