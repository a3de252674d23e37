"""Versions as readers take them: worked out, by a commit where somebody read lately, and else when they are asked for."""

import threading
import time
from collections.abc import Callable

from passageway_server.columns.times import LATEST
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version.carry import bring_up
from passageway_server.version.lines import Lines
from passageway_server.version.memory import give_back
from passageway_server.version.readying import Readying
from passageway_server.version.version import Version
from passageway_server.version.versions import Versions

_LATELY = 10_000_000
"""Microseconds after a read in which every version is worked out as it comes, for there will be more reads."""


def clock() -> int:
    """Microseconds since 1970; a clock that is out of the years 1970 to 9999 stands at their end."""
    return min(max(time.time_ns() // 1000, 0), LATEST)


class Readable(Versions):
    """Works out what readers need of the newest version, one at a time with the commits that make the next."""

    def __init__(self, first: Version, *, lines: Lines | None, now: Callable[[], int]) -> None:
        super().__init__(first, lines)
        self._writing = threading.Lock()
        self._now = now
        self._readying = Readying[Version]()
        self._read_at: int | None = None  # by the clock

    def readable(self, halt: Halt = UNHALTED) -> Version:
        """The newest version that can be read, worked out for readers; of batches that came without, the first read waits for that.

        Raises DeadlineExceeded, Cancelled.
        """
        self._read_at = self._now()
        version = self.current
        if version.past is None:
            return version
        number = version.identity.number
        return self._readying.wait_for(
            self._ready, halt, fits=lambda made: made.identity.number >= number
        )

    def prepare(self) -> None:
        """Work out what readers need of the newest version, where batches came without."""
        with self._writing:
            newest = self._committing.newest
            if newest.past is not None:
                give_back()  # what the batches took: a version that is derived takes as much
                self._bring_up(newest)

    def _ready(self) -> Version:
        with self._writing:
            version = self.current
            return version if version.past is None else self._bring_up(version)

    def _bring_up(self, version: Version) -> Version:
        """*version*, prepared; those before it, which may not have been, share its edge documents."""
        put = version.docs
        bring_up(version)
        if version.docs is not put:
            self.retained.stand_with(put, version.docs)
        return version

    @property
    def _is_read(self) -> bool:
        """Whether somebody read lately, so that a version is worth to be worked out before it is asked for."""
        return self._read_at is not None and abs(self._now() - self._read_at) < _LATELY
