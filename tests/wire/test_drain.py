"""A server that is told to stop: calls in flight end, nothing that was acknowledged is lost."""

import queue
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from passageway.v1 import store_pb2
from passageway_server.authz.callers import Caller
from passageway_server.errors import PassagewayError
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.store import Store
from passageway_server.wire import server as servers
from passageway_server.wire.dispatch import Unary
from passageway_server.wire.server import CALLS, Server, Settings, serve
from tests.wire.serving import IN_MEMORY, Failed, Wire

NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
PROGRAM = """
import sys
from functools import partial
from pathlib import Path
from passageway_server.wire.server import Settings, serve
serve(Settings(Path(sys.argv[1]), sys.argv[2]), ready=partial(print, flush=True))
"""


@contextmanager
def process(data: Path, listen: str = "127.0.0.1:0") -> "Generator[subprocess.Popen[str]]":
    """A server in a process of its own."""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(data), listen],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def address(running: "subprocess.Popen[str]") -> str:
    """Where it listens, once it says so."""
    assert running.stdout is not None
    assert select.select([running.stdout], [], [], 60)[0], "it does not say where it listens"
    line = running.stdout.readline()
    assert line.startswith("listening on 127.0.0.1:")
    return line.removeprefix("listening on ").strip()


def create(channel: grpc.Channel, name: str) -> None:
    channel.unary_unary(
        "/passageway.v1.StoreService/CreateCollection",
        request_serializer=store_pb2.CreateCollectionRequest.SerializeToString,
        response_deserializer=store_pb2.Collection.FromString,
    )(store_pb2.CreateCollectionRequest(collection=store_pb2.Collection(name=name)), timeout=60)


@dataclass(frozen=True, slots=True)
class Loading:
    """What a test holds of a load in flight."""

    batches: "queue.SimpleQueue[store_pb2.LoadRequest | None]"
    answers: Iterator[store_pb2.LoadResponse]
    watch: Iterator[health_pb2.HealthCheckResponse]


def putting(id: str) -> store_pb2.LoadRequest:
    request = store_pb2.LoadRequest(collection="c")
    request.batch.put_nodes.add(id=id)
    return request


@contextmanager
def loading(running: "subprocess.Popen[str]") -> Generator[Loading]:
    """A load in flight, one batch of it committed, and a watch of the server's health."""
    batches: queue.SimpleQueue[store_pb2.LoadRequest | None] = queue.SimpleQueue()
    with grpc.insecure_channel(address(running)) as channel:
        create(channel, "c")
        load = channel.stream_stream(
            "/passageway.v1.StoreService/Load",
            request_serializer=store_pb2.LoadRequest.SerializeToString,
            response_deserializer=store_pb2.LoadResponse.FromString,
        )
        answers = load(iter(batches.get, None), timeout=60)
        watch = health_pb2_grpc.HealthStub(channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=60
        )
        batches.put(putting("before"))
        next(answers)
        next(watch)
        try:
            yield Loading(batches, answers, watch)
        finally:
            batches.put(None)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_loses_no_call_in_flight(tmp_path: Path, number: signal.Signals) -> None:
    with process(tmp_path / "data") as running, loading(running) as load:
        running.send_signal(number)
        assert next(load.watch).status == NOT_SERVING
        load.batches.put(putting("after"))
        last = next(load.answers)
        load.batches.put(None)

        assert (last.batch, list(load.answers)) == (2, [])
        assert running.wait(60) == 0

    store = Store.open(tmp_path / "data")
    version = store.collection("c").current
    store.close()
    assert version.token == last.version
    assert stored_ids(tmp_path / "data", "before", "after") == ["before", "after"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_process_before_its_grace_has_passed(
    tmp_path: Path, number: signal.Signals
) -> None:
    with process(tmp_path / "data") as running, loading(running) as load:
        running.send_signal(number)
        assert next(load.watch).status == NOT_SERVING
        running.send_signal(number)

        assert running.wait(20) == -number


def test_a_signal_before_the_server_listens_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Server):
        def __init__(self, settings: Settings) -> None:
            signal.raise_signal(signal.SIGTERM)
            super().__init__(settings)

    monkeypatch.setattr(servers, "Server", Interrupted)
    monkeypatch.setattr(servers, "to_stderr", lambda: None)
    before = signal.getsignal(signal.SIGTERM)
    told: list[str] = []

    serve(IN_MEMORY, ready=told.append)

    assert len(told) == 1
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_stop_that_is_broken_off_saves_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(grace: float | None) -> None:
        raise KeyboardInterrupt

    server = Server(Settings(tmp_path / "data", "127.0.0.1:0"))
    with grpc.insecure_channel(server.address) as channel:
        create(channel, "c")
    server._store.collection("c").apply(Batch(put_nodes=(NodeRecord("a"),)))
    with monkeypatch.context() as patched:
        patched.setattr(server._server, "stop", broken)
        with pytest.raises(KeyboardInterrupt):
            server.stop()
    server._server.stop(None)

    assert stored_ids(tmp_path / "data", "a") == ["a"]


def test_a_call_that_outlives_the_grace_is_unavailable_and_commits_nothing(tmp_path: Path) -> None:
    apply = CALLS["StoreService/Apply"]
    assert isinstance(apply, Unary)
    begun, release = threading.Event(), threading.Event()
    refused: queue.SimpleQueue[PassagewayError] = queue.SimpleQueue()

    def late(store: Store, caller: Caller, asked: object) -> object:
        begun.set()
        release.wait(60)
        try:
            return apply.serve(store, caller, asked)
        except PassagewayError as error:
            refused.put(error)
            raise

    calls = {**CALLS, "StoreService/Apply": replace(apply, serve=late)}
    server = Server(Settings(tmp_path / "data", "127.0.0.1:0", grace=0.0), calls=calls)
    wire = Wire(server)
    wire.create("c")
    request = store_pb2.ApplyRequest(collection="c", batch=putting("late").batch)
    send = wire.channel.unary_unary(
        "/passageway.v1.StoreService/Apply",
        request_serializer=store_pb2.ApplyRequest.SerializeToString,
        response_deserializer=store_pb2.ApplyResponse.FromString,
    )
    answer = send.future(request, timeout=60)
    assert begun.wait(60)

    server.stop()
    release.set()

    assert refused.get(timeout=60).code == "UNAVAILABLE"
    with pytest.raises(grpc.RpcError) as failed:
        answer.result()
    assert Failed(failed.value).code == "UNAVAILABLE"
    wire.channel.close()
    assert stored_ids(tmp_path / "data", "late") == []


def stored_ids(data: Path, *ids: str) -> list[str]:
    """Those of *ids* that are nodes of the collection c on the disk."""
    store = Store.open(data)
    try:
        nodes = store.collection("c").current.nodes
        return [id for id, row in zip(ids, nodes.ids.find_all(ids), strict=True) if row >= 0]
    finally:
        store.close()


def test_a_second_server_on_a_port_ends_with_the_reason(tmp_path: Path) -> None:
    with process(tmp_path / "one") as first:
        taken = address(first)
        with process(tmp_path / "two", taken) as second:
            _, error = second.communicate(timeout=60)

            assert second.returncode == 1
            assert f"{taken} cannot be bound" in error
