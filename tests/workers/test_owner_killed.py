"""Clients write while the process that takes writes is killed again and again: every call succeeds, and none twice."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import passageway
from passageway import Batch, Node
from tests.workers.serving import PROGRAM, Served, served, two_workers

WRITERS, KILLS = 4, 3
NAME = "c"


def number(token: str) -> int:
    """The number of the commit that made a version."""
    return int(token[20:], 16)


class Writers:
    """Threads that put nodes one after another, each under ids of its own, until they are told to stop."""

    def __init__(self, server: Served) -> None:
        self._server = server
        self._stopping = threading.Event()
        self._one_more = threading.Condition()
        self.written = 0

    def write(self, writer: int) -> list[str]:
        """The ids of what was put; a call that fails ends it with its error."""
        ids: list[str] = []
        with passageway.connect(self._server.address, timeout=120) as client:
            while not self._stopping.is_set():
                id = f"w{writer}-{len(ids)}"
                client.collection(NAME).apply(Batch(put_nodes=[Node(id)]))
                ids.append(id)
                with self._one_more:
                    self.written += 1
                    self._one_more.notify_all()
        return ids

    def go_on(self, more: int) -> None:
        """Wait until so many more writes are done."""
        with self._one_more:
            wanted = self.written + more
            assert self._one_more.wait_for(lambda: self.written >= wanted, timeout=120)

    def stop(self) -> None:
        self._stopping.set()


def test_writes_outlive_the_process_that_takes_them(tmp_path: Path) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        with passageway.connect(server.address) as client:
            first = client.create_collection(NAME).version
        writers = Writers(server)
        with ThreadPoolExecutor(WRITERS) as pool:
            writing = [pool.submit(writers.write, each) for each in range(WRITERS)]
            try:
                for _ in range(KILLS):
                    writers.go_on(3 * WRITERS)
                    server.kill("owner")
                writers.go_on(WRITERS)
            finally:
                writers.stop()
            ids = [id for each in writing for id in each.result()]

        with passageway.connect(server.address) as client:
            last = client.collection(NAME).apply(
                Batch(put_nodes=[Node("last")]), idempotency_key=""
            )
            found = client.collection(NAME).get(ids, at_least_version=last.version)
    assert [node.id for node in found.nodes] == ids
    assert number(last.version) - number(first) == len(ids) + 1


def test_a_load_goes_on_after_what_was_acknowledged_when_its_owner_ended(tmp_path: Path) -> None:
    batches = [Batch(put_nodes=[Node(f"n{number}")]) for number in range(200)]
    with (
        served(*two_workers(tmp_path / "data")) as server,
        passageway.connect(server.address) as client,
    ):
        client.create_collection(NAME)
        notes, acknowledged = client.collection(NAME), list[int]()

        def note(answer: passageway.LoadResponse) -> None:
            acknowledged.append(answer.batch)
            if answer.batch == 3:
                os.kill(server.pid("owner"), signal.SIGKILL)

        with pytest.raises(passageway.Unavailable):
            notes.load(batches, name="monday", progress=note)
        server.event("started again", process="owner")
        came = notes.loaded("monday").batch
        last = notes.load(batches[came:], name="monday", after=came)
        found = notes.get([f"n{number}" for number in range(200)], at_least_version=last.version)

    assert acknowledged[-1] <= came < 200
    assert last.batch == 200 - came
    assert len(found.nodes) == 200


def test_a_command_that_writes_waits_for_it_too(tmp_path: Path) -> None:
    with served(*two_workers(tmp_path / "data")) as server:
        with passageway.connect(server.address) as client:
            client.create_collection(NAME)
        with ThreadPoolExecutor(1) as pool:
            killing = pool.submit(server.kill, "owner")
            for reader in ("reader-1", "reader-2"):
                server.event("the owner is away", process=reader)

            # It bears no key: until the owner is back, nothing is done.
            told = run("collection", "delete", NAME, "--yes", "--server", server.address)

            killing.result()
        with passageway.connect(server.address) as client:
            assert client.describe().collections == ()
    assert (told.returncode, told.stderr) == (0, "")


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """One command, with time enough."""
    command = [sys.executable, "-c", PROGRAM, *arguments, "--timeout", "120"]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
