"""Adjacencies with a property of the edges as weight: those of the properties that were named lately.

Who may name a property makes a version build a pair of them, as large as its own. So they are bounded, in number and in
bytes, and built one at a time; a commit brings them up for the version that it makes, as long as somebody asks. Who walks over a pair holds it, also when another one has taken its place here.
"""

import threading
from collections.abc import Callable
from typing import NamedTuple

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.remembered import Remembered
from passageway_server.values.halt import Halt

_ENTRIES = 8
_BYTES, _OWN = 256 << 20, 2  # or so often the adjacencies of the version, where these are larger
_IDLE = 32  # versions for which they are brought up though nobody asks


class Ways(NamedTuple):
    """Both directions of the same edges."""

    out: Adjacency
    into: Adjacency


class Weighted:
    """What one version keeps, whose own adjacencies have *own* bytes. Any number of threads may ask."""

    def __init__(self, *, own: int) -> None:
        self._kept = Remembered[str, Ways](entries=_ENTRIES, bytes=max(_BYTES, _OWN * own))
        self._building = threading.Lock()
        # Versions since somebody asked, of those that came from the one before.
        self._idle: dict[str, int] = {}

    @property
    def empty(self) -> bool:
        """Whether it keeps none."""
        return not len(self._kept)

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept."""
        return self._kept.nbytes

    def of(self, name: str, build: Callable[[], Ways], halt: Halt) -> Ways:
        """Those of the property *name*, as *build* makes them. Raises DeadlineExceeded, Cancelled."""
        self._idle[name] = 0
        ways = self._kept.get(name)
        if ways is not None:
            return ways
        halt.wait_for(lambda moment: self._building.acquire(timeout=moment))
        try:
            ways = self._kept.get(name)  # the one before may have built it
            if ways is None:
                ways = build()
                self._keep(name, ways)
            return ways
        finally:
            self._building.release()

    def following(self, bring_up: Callable[[str, Ways], Ways], *, own: int) -> "Weighted":
        """What the next version keeps from the outset, whose own adjacencies have *own* bytes: each pair as *bring_up* gives it."""
        after = Weighted(own=own)
        for name, ways in self._kept.items():
            idle = self._idle.get(name, 0) + 1
            if idle <= _IDLE:
                after._idle[name] = idle
                after._keep(name, bring_up(name, ways))
        return after

    def _keep(self, name: str, ways: Ways) -> None:
        self._kept.put(name, ways, size=ways.out.nbytes + ways.into.nbytes)
