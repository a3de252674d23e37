"""Sends the batches of a load, and says what is wrong where a server refuses one, and what is in by then."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import passageway
from passageway import InvalidArgument, LoadResponse, PassagewayError
from passageway.cli import output, stopping
from passageway.cli.batches import Behind, Origin, ReadBatch
from passageway.cli.embedding import Embedding
from passageway.cli.failures import Failure, told
from passageway.cli.progress import Progress
from passageway.v1 import store_pb2

_MOST_FAULTS = 10
_UNTOLD = re.compile(r"and (?P<least>at least )?(?P<number>\d+) more faults?")
"""What a server says at the end of faults that it does not tell."""


@dataclass(slots=True)
class Stream:
    """Sends batches, and keeps where those came from that are not acknowledged yet."""

    read: Iterator[ReadBatch]
    progress: Progress
    behind: Behind
    name: str
    server: str
    embedding: Embedding | None = None
    waiting: deque[Origin] = field(default_factory=deque[Origin])
    done: LoadResponse = LoadResponse()
    bad: Failure | None = None
    made: str = ""
    began: bool = False
    interrupt: KeyboardInterrupt | None = None

    def send(self, collection: passageway.CollectionClient) -> LoadResponse:
        """All batches; Failure tells the place of what is wrong, and what was loaded before."""
        self.began = True
        try:
            collection.load(
                self._batches(),
                name=self.name,
                after=self.behind.batches,
                progress=self._acknowledged,
            )
        except InvalidArgument as fault:
            raise self._stopped(_places(fault, self.waiting)) from fault
        except PassagewayError as fault:
            known = stopping.is_refusal(fault) and not self.behind.with_them(self.done).batch
            lost = self.server if stopping.is_lost(fault) else ""
            raise self._stopped(told(fault), known=known, lost=lost) from fault
        except KeyboardInterrupt as interrupt:
            self.interrupt = interrupt
            output.note(f"passageway: {self._stopped('interrupted', known=False)}")
            raise
        if self.bad is not None:
            raise self._stopped(str(self.bad)) from self.bad
        return self.behind.with_them(self.done)

    def _batches(self) -> Iterator[store_pb2.Batch]:
        # Bad input ends the stream instead of breaking it, so that what was sent before is acknowledged.
        try:
            for batch in self.read:
                if self.embedding is not None:
                    self.embedding.fill(batch.puts)
                self.waiting.append(batch.origin)
                yield batch.puts
        except Failure as fault:
            self.bad = fault

    def _acknowledged(self, answer: LoadResponse) -> None:
        self.waiting.popleft()
        self.done = answer
        self.progress.loaded(self.behind.with_them(answer))

    def left_behind(self) -> str:
        """What an interrupt leaves that came before the first batch, or after the last."""
        if not self.began:
            return "interrupted before anything was loaded"
        return (
            f"interrupted after all was loaded: {stopping.counts(self.behind.with_them(self.done))}"
        )

    def _stopped(self, what: str, *, known: bool = True, lost: str = "") -> Failure:
        """*What* ended the load, with what is loaded; *known* and *lost* as of `stopping.left`."""
        done = self.behind.with_them(self.done)
        left = stopping.left(done, known=known, named=bool(self.name), made=self.made, lost=lost)
        return Failure(f"{what}\n{left}")


def _places(fault: InvalidArgument, waiting: deque[Origin]) -> str:
    """The faults by file, line and column: they are of the first batch without an answer."""
    lines: list[str] = []
    for each in fault.faults:
        place = waiting[0].place(each.field) if waiting else None
        where, path = place or (each.field, "")
        lines.append(": ".join(part for part in (where, path, each.message) if part))
    told = _UNTOLD.fullmatch(lines[-1]) if lines else None
    if told is not None:
        lines.pop()
    more = max(len(lines) - _MOST_FAULTS, 0) + (int(told["number"]) if told else 0)
    least = (told["least"] or "") if told else ""
    rest = [f"and {least}{output.counted(more, 'more fault')}"] if more else []
    return "\n".join(lines[:_MOST_FAULTS] + rest) or fault.message
