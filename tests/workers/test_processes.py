"""Processes of a server that end: what was acknowledged stays, and others take their places."""

import os
import queue
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import grpc
import pytest

import passageway
from passageway.v1 import query_pb2, read_pb2, store_pb2
from tests.wire.serving import Failed
from tests.workers.serving import PATIENCE, Line, gone, served, started, two_workers, wait_until


def test_a_killed_reader_is_replaced_and_its_calls_are_unavailable(tmp_path: Path) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        lines = server.lines()
        one = lines["reader-1"]
        one.create("c")
        version = one.put("a")
        waiting = awaited(one, version)

        server.kill("reader-1")

        with pytest.raises(grpc.RpcError):
            waiting.result()
        assert waiting.code() is grpc.StatusCode.UNAVAILABLE
        assert server.lines()["reader-1"].found("a", at_least=version) == ["a"]
        assert lines["reader-2"].found("a", at_least=version) == ["a"]
        assert server.stop() == 0


def test_who_waits_for_a_version_that_went_with_the_owner_hears_that_it_is_gone(
    tmp_path: Path,
) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        line = server.lines()["reader-1"]
        line.create("c")
        version = line.put("a")
        waiting = awaited(line, version)

        server.kill("owner")

        with pytest.raises(grpc.RpcError):
            waiting.result()
        assert waiting.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert line.found("a", at_least=version) == ["a"]
        assert server.stop() == 0


def awaited(line: Line, version: str) -> Any:
    """A read under way that waits for a version, long after *version*, which does not come."""
    token = version[:20] + f"{int(version[20:], 16) + 1000:012x}"
    read = query_pb2.ReadOptions(at_least_version=token)
    request = read_pb2.GetRequest(collection="c", ids=["a"], read=read)
    get = line.channel.unary_unary("/passageway.v1.GraphService/Get", bytes, bytes)
    return get.future(request.SerializeToString(), timeout=PATIENCE)


def test_a_client_reads_on_while_readers_are_killed(tmp_path: Path) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        first = Line(server.address)
        first.create("c")
        version = first.put("a")  # another reader may see it a moment later
        client = passageway.connect(server.address).collection("c")
        answers: queue.SimpleQueue[object] = queue.SimpleQueue()
        stopping = threading.Event()

        def read() -> None:
            while not stopping.is_set():
                try:
                    found = client.get(["a"], at_least_version=version)
                    answers.put([node.id for node in found.nodes])
                except passageway.PassagewayError as error:
                    answers.put(error)

        reading = threading.Thread(target=read)
        reading.start()
        for name in ("reader-1", "reader-2"):
            server.kill(name)
        stopping.set()
        reading.join()

        every = [answers.get() for _ in range(answers.qsize())]
        assert every
        assert [answer for answer in every if answer != ["a"]] == []


def test_a_killed_owner_recovers_all_that_was_acknowledged(tmp_path: Path) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        lines = server.lines()
        one, other = lines.values()
        one.create("c")
        acknowledged: dict[str, str] = {}
        refused: list[Failed] = []
        stopping, going = threading.Event(), threading.Event()

        def write() -> None:
            number = 0
            while not stopping.is_set():
                number += 1
                try:
                    acknowledged[f"n{number}"] = one.put(f"n{number}")
                except Failed as error:
                    refused.append(error)
                going.set()

        writing = threading.Thread(target=write)
        writing.start()
        assert going.wait(PATIENCE)
        for _ in range(2):
            before = len(acknowledged)
            wait_until(lambda before=before: len(acknowledged) > before + 3)  # type: ignore[misc]
            server.kill("owner")
            assert other.found(*list(acknowledged)[:1])  # reads go on, whatever the owner does
        after = len(acknowledged)
        # The next answer may have been on its way; the one after it is of the owner that recovered.
        wait_until(lambda: len(acknowledged) > after + 1)
        stopping.set()
        writing.join()
        wait_until(lambda: accepts(other, "settled"))  # until then it may not have found the owner

        last = list(acknowledged.values())[-1]
        for line in (one, other):
            ids = list(acknowledged)
            assert line.found(*ids[-1000:], at_least=last) == ids[-1000:]
        assert {error.code for error in refused} <= {"UNAVAILABLE"}
        assert {error.info.reason for error in refused} <= {"NO_SERVER", "CONNECTION_LOST"}
        assert server.stop() == 0


def test_a_write_that_finds_no_owner_did_nothing_and_may_be_sent_again(tmp_path: Path) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        line = Line(server.address)
        line.create("c")
        seen = len(server.log)
        os.kill(server.pid("owner"), signal.SIGKILL)
        for reader in ("reader-1", "reader-2"):  # until then one sends it to the owner that ended
            server.event("the owner is away", process=reader, after=seen)

        with pytest.raises(Failed) as refused:
            line.put("a")
        assert line.found("a") == []
        server.event("started again", process="owner", after=seen)
        wait_until(lambda: accepts(line, "a"))

        assert (refused.value.code, refused.value.info.reason) == ("UNAVAILABLE", "NO_SERVER")
        assert line.found("a") == ["a"]


def accepts(line: Line, id: str) -> bool:
    try:
        return bool(line.put(id))
    except Failed:
        return False


def test_processes_end_with_their_supervisor(tmp_path: Path) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        Line(server.address).create("c")
        pids = [server.pid(name) for name in ("owner", "reader-1", "reader-2")]

        server.running.kill()

        for pid in pids:
            wait_until(lambda pid=pid: gone(pid))  # type: ignore[misc]
    with served(*two_workers(tmp_path / "data")) as server:
        assert Line(server.address).put("a")


def test_a_stop_loses_no_call_that_is_in_flight(tmp_path: Path) -> None:
    batches: queue.SimpleQueue[store_pb2.LoadRequest | None] = queue.SimpleQueue()
    with served(*two_workers(tmp_path / "data")) as server:
        line = Line(server.address)
        line.create("c")
        answers = line.load(iter(batches.get, None))
        batches.put(loading("before"))
        next(answers)

        server.running.send_signal(signal.SIGTERM)
        wait_until(lambda: refuses_new_lines(server.address))
        batches.put(loading("after"))
        last = next(answers)
        batches.put(None)

        assert (last.batch, list(answers)) == (2, [])
        assert server.running.wait(PATIENCE) == 0
    with passageway.open(tmp_path / "data") as client:
        found = client.collection("c").get(["before", "after"]).nodes
        assert [node.id for node in found] == ["before", "after"]


def loading(id: str) -> store_pb2.LoadRequest:
    request = store_pb2.LoadRequest(collection="c")
    request.batch.put_nodes.add(id=id)
    return request


def refuses_new_lines(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return True
    return False


def test_a_second_signal_ends_the_server_at_once(tmp_path: Path) -> None:
    batches: queue.SimpleQueue[store_pb2.LoadRequest | None] = queue.SimpleQueue()
    with served(*two_workers(tmp_path / "data")) as server:
        line = Line(server.address)
        line.create("c")
        answers = line.load(iter(batches.get, None))
        batches.put(loading("before"))
        next(answers)
        server.running.send_signal(signal.SIGTERM)
        wait_until(lambda: refuses_new_lines(server.address))

        server.running.send_signal(signal.SIGTERM)

        assert server.running.wait(PATIENCE) == -signal.SIGTERM
        batches.put(None)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_second_server_on_the_folder_is_refused_by_name(tmp_path: Path, workers: str) -> None:
    data = tmp_path / "data"
    with (
        served(*two_workers(data)),
        started("--data", str(data), "--workers", workers) as second,
    ):
        _, error = second.communicate(timeout=PATIENCE)

    assert second.returncode == 1
    assert f"passageway: {data} is in use by another process" in error


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("first", ["1", "2"])
def test_a_second_server_on_the_port_is_refused_by_name(
    tmp_path: Path, workers: str, first: str
) -> None:
    with served("--data", str(tmp_path / "one"), "--workers", first) as server:
        options = ("--data", str(tmp_path / "two"), "--workers", workers)
        with started(*options, "--listen", server.address) as second:
            _, error = second.communicate(timeout=PATIENCE)

    assert second.returncode == 1
    assert f"{server.address} cannot be bound" in error
