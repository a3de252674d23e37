"""Who write to servers that are killed, and keep what was acknowledged in files of their own, synced before they go on."""

import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from passageway.v1 import store_pb2
from tests.crash.servers import Calls
from tests.wire.serving import Failed

NAME = "killed"
"""The collection that they write to."""


class Writer:
    """One who commits rows of its own, in order: three nodes and an edge at a time."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._path = folder / name
        self._path.touch()
        self._issued = self._acknowledged = self._written = self._checked = 0

    def _batch(self, number: int) -> store_pb2.Batch:
        """What commit *number* puts. The head of the writer says which was the last, and to whom it is open."""
        batch = store_pb2.Batch()
        batch.put_nodes.add(id=self.name, content=str(number), readers=[self._reader(number)])
        for id_ in self._ids(number):
            batch.put_nodes.add(id=id_, readers=["public"])
        first, second = self._ids(number)
        batch.put_edges.add(id=f"{first}-edge", source=first, target=second, type="T")
        return batch

    def _ids(self, number: int) -> tuple[str, str]:
        return f"{self.name}-{number}-a", f"{self.name}-{number}-b"

    def _reader(self, number: int) -> str:
        return f"group:{number % 3}"

    def write(self, calls: Calls, done: threading.Semaphore, stopping: threading.Event) -> str:
        """Commit until *stopping*, or until a call fails, and keep each acknowledgement before the next; the code of the failure."""
        with self._path.open("ab") as file:
            while not stopping.is_set():
                number = self._issued = self._issued + 1
                try:
                    token = calls.apply(NAME, self._batch(number))
                except Failed as failed:
                    return failed.code
                file.write(f"{number} {token}\n".encode())
                file.flush()
                os.fdatasync(file.fileno())
                self._acknowledged = self._written = number
                done.release()
        return "OK"

    def check(self, every: Sequence[Calls], *, at_least: str = "", anew: bool = False) -> None:
        """To each that is asked, all is there that was acknowledged, in order and whole: of late, or *anew* from the first.

        The writer goes on from there.
        """
        assert self._kept() == self._written
        since = 0 if anew else self._checked
        lasts = {self._last(calls, since, at_least) for calls in every}
        (self._checked,) = lasts
        self._issued = self._acknowledged = self._checked

    def _last(self, calls: Calls, since: int, at_least: str) -> int:
        """The last commit that is there."""
        heads = calls.get(NAME, [self.name], at_least=at_least)
        last = int(heads[self.name].content) if heads else 0
        assert self._acknowledged <= last <= self._issued
        if heads:
            assert list(heads[self.name].readers) == [self._reader(last)]
        asked = [id_ for number in range(since + 1, self._issued + 1) for id_ in self._ids(number)]
        there = {id_ for number in range(since + 1, last + 1) for id_ in self._ids(number)}
        assert calls.get(NAME, asked, at_least=at_least).keys() == there
        return last

    def _kept(self) -> int:
        """The last commit that the file of acknowledgements holds."""
        lines = self._path.read_text().splitlines()
        return int(lines[-1].split()[0]) if lines else 0


@contextmanager
def writing(writers: Sequence[Writer], address: str) -> Generator[threading.Semaphore]:
    """While they write, each over a connection of its own; what is given counts acknowledgements.

    With the end of the block they stop. What they met by then is that the server was gone.
    """
    done, stopping = threading.Semaphore(0), threading.Event()
    lines = [Calls.to(address) for _ in writers]
    with ThreadPoolExecutor(len(writers)) as threads:
        under_way = [
            threads.submit(writer.write, calls, done, stopping)
            for writer, calls in zip(writers, lines, strict=True)
        ]
        try:
            yield done
        finally:
            stopping.set()
        ends = {each.result() for each in under_way}
    for calls in lines:
        calls.close()
    assert ends <= {"OK", "UNAVAILABLE", "CANCELLED"}
