"""A server that is killed, over and over, while several write: what it acknowledged is there when it is up again.

The writers keep what was acknowledged in files of their own, which they sync before they go on.
"""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from passageway.v1 import store_pb2
from tests.crash.servers import Calls, Hatchery, hatchery
from tests.crash.sizes import KILLS, seed_of
from tests.wire.serving import Failed

WRITERS = 3
NAME = "killed"


@pytest.fixture(scope="module")
def servers() -> Iterator[Hatchery]:
    with hatchery() as servers:
        yield servers


class Writer:
    """One who commits rows of its own, in order: three nodes and an edge at a time."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.issued = 0
        self.acknowledged = self.written = 0
        self.ended_by = ""
        self.file = (folder / name).open("ab")

    def batch(self, number: int) -> store_pb2.Batch:
        """What commit *number* puts. The head of the writer says which was the last, and to whom it is open."""
        batch = store_pb2.Batch()
        batch.put_nodes.add(id=self.name, content=str(number), readers=[self.reader(number)])
        for id_ in self.ids(number):
            batch.put_nodes.add(id=id_, readers=["public"])
        first, second = self.ids(number)
        batch.put_edges.add(id=f"{first}-edge", source=first, target=second, type="T")
        return batch

    def ids(self, number: int) -> tuple[str, str]:
        return f"{self.name}-{number}-a", f"{self.name}-{number}-b"

    def reader(self, number: int) -> str:
        return f"group:{number % 3}"

    def write(self, calls: Calls, more: threading.Semaphore) -> None:
        """Commit until the server is gone, and keep each acknowledgement before the next commit."""
        while True:
            number = self.issued = self.issued + 1
            try:
                token = calls.apply(NAME, self.batch(number))
            except Failed as failed:
                self.ended_by = failed.code
                return
            self.file.write(f"{number} {token}\n".encode())
            self.file.flush()
            os.fdatasync(self.file.fileno())
            self.acknowledged = self.written = number
            more.release()

    def check(self, calls: Calls, since: int) -> None:
        """What is there is all that was acknowledged, in order and whole, and the writer goes on from there."""
        heads = calls.get(NAME, [self.name])
        last = int(heads[self.name].content) if heads else 0
        assert self.acknowledged <= last <= self.issued
        if heads:
            assert list(heads[self.name].readers) == [self.reader(last)]
        asked = [id_ for number in range(since + 1, self.issued + 1) for id_ in self.ids(number)]
        there = {id_ for number in range(since + 1, last + 1) for id_ in self.ids(number)}
        assert calls.get(NAME, asked).keys() == there
        self.issued = self.acknowledged = last


def kept(file: Path) -> int:
    """The last commit that a file of acknowledgements holds."""
    lines = file.read_text().splitlines()
    return int(lines[-1].split()[0]) if lines else 0


def test_no_acknowledged_commit_is_lost_however_often_the_server_is_killed(
    servers: Hatchery, tmp_path: Path
) -> None:
    draw = Random(seed_of(4))
    data, acks = tmp_path / "data", tmp_path / "acks"
    acks.mkdir()
    writers = [Writer(f"w{number}", acks) for number in range(WRITERS)]
    began_at = [0] * WRITERS
    running = servers.serve(data)
    with Calls(running.address) as calls:
        calls.create(NAME)

    for _ in range(KILLS):
        more = threading.Semaphore(0)
        with Calls(running.address) as calls:
            threads = [
                threading.Thread(target=writer.write, args=(calls, more)) for writer in writers
            ]
            for thread in threads:
                thread.start()
            for _ in range(draw.choice((0, 1, 2, 5, 15))):
                more.acquire()
            running.kill()
            for thread in threads:
                thread.join()
            assert {writer.ended_by for writer in writers} <= {"UNAVAILABLE", "CANCELLED"}

        running = servers.serve(data)
        with Calls(running.address) as calls:
            for writer, since in zip(writers, began_at, strict=True):
                assert kept(acks / writer.name) == writer.written
                writer.check(calls, since)
        began_at = [writer.issued for writer in writers]

    with Calls(running.address) as calls:
        for writer in writers:
            writer.check(calls, 0)
            writer.file.close()
    running.kill()
