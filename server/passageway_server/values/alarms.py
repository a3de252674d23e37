"""Alarms that ring when some seconds have passed: one thread for all of them, begun by the first.

To set one and to call it off costs some microseconds, so that each call can have its own.
"""

import threading
import time
from collections.abc import Callable
from heapq import heapify, heappop, heappush

_LISTED = 64  # alarms that are off are thrown out of more than so many, once they are half of them


class Alarm:
    """One that is set. *ring* is called once, in the thread of the alarms, so it is to be short."""

    __slots__ = ("_alarms", "at", "ring")

    def __init__(self, alarms: "Alarms", at: float, ring: Callable[[], None]) -> None:
        self._alarms = alarms
        self.at = at
        self.ring: Callable[[], None] | None = ring

    def __lt__(self, other: "Alarm") -> bool:
        return self.at < other.at

    def cancel(self) -> None:
        """Call it off; it may be ringing."""
        self.ring = None
        self._alarms.tidy()


class Alarms:
    """Any number of alarms, set and called off by any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._set: list[Alarm] = []  # a heap, the next one first
        self._off = 0
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._set)

    def set(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        """Let *ring* be called in so many *seconds*."""
        alarm = Alarm(self, time.monotonic() + seconds, ring)
        with self._changed:
            heappush(self._set, alarm)
            if self._thread is None or not self._thread.is_alive():  # as after a fork
                self._thread = threading.Thread(target=self._run, name="alarms", daemon=True)
                self._thread.start()
            elif self._set[0] is alarm:
                self._changed.notify()
        return alarm

    def tidy(self) -> None:
        """Throw out those that were called off, where they are many: one more is."""
        with self._changed:
            self._off += 1
            if len(self._set) > _LISTED and 2 * self._off > len(self._set):
                self._set = [alarm for alarm in self._set if alarm.ring is not None]
                heapify(self._set)
                self._off = 0

    def _run(self) -> None:
        while True:
            ring = self._next().ring
            if ring is not None:
                ring()

    def _next(self) -> Alarm:
        """Wait for the next alarm, and take it out."""
        with self._changed:
            while True:
                left = self._set[0].at - time.monotonic() if self._set else None
                if left is not None and left <= 0:
                    return heappop(self._set)
                self._changed.wait(None if left is None else min(left, threading.TIMEOUT_MAX))


ALARMS = Alarms()
"""Those of the process."""
