"""Servers of several processes for tests, started by the command line, on a port that the system picks."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from passageway.v1 import query_pb2, read_pb2, store_pb2
from tests.wire.serving import Metadata, Wire

PROGRAM = "import sys; from passageway.cli import main; sys.exit(main())"
PATIENCE = 60.0
"""Seconds after which what is waited for will not come."""


class Line(Wire):
    """One connection of its own: another line may lead to another process."""

    def __init__(self, address: str, metadata: Metadata = ()) -> None:
        self.metadata = metadata
        self.channel = grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])

    def put(self, id: str, *, collection: str = "c") -> str:
        """Put one node; the version that has it."""
        request = store_pb2.ApplyRequest(collection=collection)
        request.batch.put_nodes.add(id=id, name=id)
        return self.unary(
            "StoreService/Apply", request, store_pb2.ApplyResponse, self.metadata
        ).version

    def get(
        self, *ids: str, collection: str = "c", at_least: str = "", at: str = ""
    ) -> read_pb2.GetResponse:
        """The nodes of some ids, at a version that is told."""
        read = query_pb2.ReadOptions()
        if at_least:
            read.at_least_version = at_least
        if at:
            read.at_version = at
        request = read_pb2.GetRequest(collection=collection, ids=ids, read=read)
        return self.unary("GraphService/Get", request, read_pb2.GetResponse, self.metadata)

    def found(
        self, *ids: str, collection: str = "c", at_least: str = "", at: str = ""
    ) -> list[str]:
        """Those of *ids* that there are."""
        answer = self.get(*ids, collection=collection, at_least=at_least, at=at)
        return [node.id for node in answer.nodes]

    def delete(self, name: str) -> None:
        """Delete a collection."""
        self.unary(
            "StoreService/DeleteCollection",
            store_pb2.DeleteCollectionRequest(name=name),
            store_pb2.DeleteCollectionResponse,
            self.metadata,
        )


class Served:
    """A server that runs, and its log."""

    def __init__(self, running: "subprocess.Popen[str]") -> None:
        self.running = running
        self.log: list[dict[str, Any]] = []
        self._grown = threading.Condition()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        self.address = _address(running, self)

    def _read(self) -> None:
        assert self.running.stderr is not None
        for text in self.running.stderr:
            line = json.loads(text) if text.startswith("{") else {"event": text.rstrip()}
            with self._grown:
                self.log.append(line)
                self._grown.notify_all()

    def wait_for(
        self, wanted: Callable[[dict[str, Any]], bool], *, after: int = 0
    ) -> dict[str, Any]:
        """The first line of the log that is *wanted*, of those after the first so many."""
        with self._grown:
            ends = time.monotonic() + PATIENCE
            while True:
                found = next((line for line in self.log[after:] if wanted(line)), None)
                if found is not None:
                    return found
                assert self._grown.wait(ends - time.monotonic()), self.log[-20:]

    def event(self, name: str, *, process: str = "", after: int = 0) -> dict[str, Any]:
        """The line of an event, once it is in the log."""
        return self.wait_for(
            lambda line: line["event"] == name and process in ("", line.get("process")), after=after
        )

    def ended(self, call: str, *, by: str, after: int = 0) -> str:
        """The status of a call at a process, once it has ended there."""
        return str(
            self.wait_for(
                lambda line: (line.get("process"), line.get("call")) == (by, call), after=after
            )["status"]
        )

    def pid(self, process: str) -> int:
        """The number of the process that was started last under a name."""
        started = [
            line
            for line in self.log
            if (line["event"], line.get("process")) == ("started", process)
        ]
        return int(started[-1]["pid"])

    def kill(self, process: str) -> None:
        """End a process as a crash would, and wait until another one has taken its place."""
        seen = len(self.log)
        os.kill(self.pid(process), signal.SIGKILL)
        self.event("started again", process=process, after=seen)

    def lines(self, metadata: Metadata = ()) -> dict[str, Line]:
        """A line to each of two readers, by its name."""
        found: dict[str, Line] = {}
        ends = time.monotonic() + PATIENCE
        while len(found) < 2:
            assert time.monotonic() < ends, "all lines lead to one reader"
            line, seen = Line(self.address, metadata), len(self.log)
            line.unary("GraphService/Describe", b"", read_pb2.DescribeResponse, metadata)
            told = self.wait_for(_described, after=seen)
            if told["process"] in found:
                line.channel.close()
            else:
                found[told["process"]] = line
        return found

    def stop(self) -> int:
        """Drain it; its exit status."""
        self.running.send_signal(signal.SIGTERM)
        return self.running.wait(PATIENCE)


def _described(line: dict[str, Any]) -> bool:
    reader = line.get("process", "").startswith("reader")
    return reader and line.get("call") == "GraphService/Describe"


@contextmanager
def served(*options: str) -> Generator[Served]:
    """``passageway serve`` with *options*, once it listens; killed in the end, with all its processes."""
    with started(*options) as running:
        yield Served(running)


@contextmanager
def started(*options: str) -> "Generator[subprocess.Popen[str]]":
    """``passageway serve`` with *options*, that may or may not come to listen."""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "--listen", "127.0.0.1:0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def two_workers(data: Path) -> tuple[str, ...]:
    """Options of a server of two readers over *data*."""
    return ("--data", str(data), "--workers", "2")


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until *holds*; fails where it does not come to."""
    ends = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < ends, "what was waited for did not come"
        pause.wait(0.01)


def _address(running: "subprocess.Popen[str]", server: Served) -> str:
    assert running.stdout is not None
    assert select.select([running.stdout], [], [], PATIENCE)[0], "it does not say where it listens"
    line = running.stdout.readline()
    assert line.startswith("listening on 127.0.0.1:"), server.log[-20:]
    return line.removeprefix("listening on ").strip()
