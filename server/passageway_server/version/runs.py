"""Which run of a named load may go on: of two at once, the one that began last.

A run that goes on after what is in must be the only one: batches of an older run, still on their way, would put older
records over newer ones.
"""

import threading

from passageway_server.errors import LoadOvertaken


class Run:
    """One run of a load, from its first batch to the end of its stream; ``place`` is that of its latest batch."""

    __slots__ = ("_key", "overtaken", "place")

    def __init__(self, sub: str, name: str) -> None:
        self._key = sub, name
        self.overtaken = False
        self.place = 0

    @property
    def key(self) -> tuple[str, str]:
        """The writer, and the name of the load."""
        return self._key

    def check(self) -> None:
        """Raise LoadOvertaken where another run of the load began later."""
        if self.overtaken:
            raise LoadOvertaken(self._key[1])


class Runs:
    """The runs under way of the named loads into one collection; any number of threads may begin and end them."""

    def __init__(self) -> None:
        self._latest: dict[tuple[str, str], Run] = {}
        self._lock = threading.Lock()

    def begin(self, sub: str, name: str) -> Run:
        """A run of the load *name* of the writer *sub*, which overtakes the one under way."""
        run = Run(sub, name)
        with self._lock:
            before = self._latest.get(run.key)
            if before is not None:
                before.overtaken = True
            self._latest[run.key] = run
        return run

    def end(self, run: Run) -> None:
        """Know *run* no more."""
        with self._lock:
            if self._latest.get(run.key) is run:
                del self._latest[run.key]
