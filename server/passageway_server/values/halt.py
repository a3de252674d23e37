"""When a call has to stop: one byte that its kernels look at, set from another thread.

A call that is out of time stops where it is and answers with what it has. A call that is over (its deadline has
passed, its caller is gone) stops and answers nothing.

Kernels leave their loops when the byte is set (`halted`), or, where half a result is none and an answer still needs
it, when the call is over (`abandoned`). What runs them looks then: `spent` where what there is can be kept, `check`
where it cannot. A filter lets nothing more through once time is spent; a walk starts no further hop. The time of a
request is over with the block of `within`: what is done behind it, to answer with what there is, is halted by the
end of the call alone.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from math import inf

import numpy as np
from numpy.typing import NDArray

from passageway_server.errors import Cancelled, DeadlineExceeded
from passageway_server.values.alarms import ALARMS

_MOMENT = 0.02  # seconds between two looks of one who waits

GOES_ON, OUT_OF_TIME, DEADLINE_PASSED, CALLER_GONE = 0, 1, 2, 3


class OutOfTime(Exception):
    """The time of a request is spent in the middle of something of which a half is of no use.

    It never leaves the engine: whoever asked for the whole goes on without it.
    """


class Halt:
    """Whether one call is to stop.

    ``flag`` is what kernels poll: uint8[1], read-only, 0 while the call goes on.
    """

    __slots__ = ("_byte", "_ends", "_lock", "flag")

    def __init__(self, *, seconds: float = inf) -> None:
        """*seconds*: until the deadline of the call, at which somebody sets this."""
        self._ends = time.monotonic() + seconds
        self._byte: NDArray[np.uint8] = np.zeros(1, dtype=np.uint8)
        self._lock = threading.Lock()
        self.flag = self._byte.view()
        self.flag.flags.writeable = False

    @property
    def left(self) -> float:
        """Seconds until the deadline of the call, as it was told; infinite where it has none."""
        return max(0.0, self._ends - time.monotonic())

    def cancel(self) -> None:
        """The caller has gone."""
        self._end(CALLER_GONE)

    def expire(self) -> None:
        """The deadline of the whole call has passed."""
        self._end(DEADLINE_PASSED)

    def _end(self, cause: int) -> None:
        with self._lock:
            if self._byte[0] < DEADLINE_PASSED:  # a call ends once
                self._byte[0] = cause

    def time_out(self) -> None:
        """The time is spent that the request gave for its answer."""
        with self._lock:
            self._spend()

    def _spend(self) -> None:
        if self._byte[0] == GOES_ON:
            self._byte[0] = OUT_OF_TIME

    def spent(self) -> bool:
        """Whether to stop and answer with what there is; raises `DeadlineExceeded`, `Cancelled`."""
        state = self._byte[0]
        if state <= OUT_OF_TIME:
            return bool(state)
        raise DeadlineExceeded if state == DEADLINE_PASSED else Cancelled

    def wait_for(self, comes: Callable[[float], object], *, seconds: float = inf) -> bool:
        """Whether it *comes* within *seconds*, which is asked to wait for so many seconds as it is given.

        Raises `DeadlineExceeded`, `Cancelled` where the call is over meanwhile; time that is spent ends no wait.
        """
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            if comes(min(left, _MOMENT)):
                return True
            self.spent()
            if not left:
                return False

    def check(self) -> None:
        """Raise `OutOfTime`, `DeadlineExceeded` or `Cancelled` where the call is to stop."""
        if self.spent():
            raise OutOfTime

    @contextmanager
    def within(self, timeout_ms: int) -> Generator[None, None, None]:
        """Give what is done inside *timeout_ms* milliseconds; 0 sets no bound."""
        if not timeout_ms:
            yield
            return
        running = True

        def spend() -> None:
            with self._lock:
                if running:
                    self._spend()

        alarm = ALARMS.set(timeout_ms / 1000, spend)
        try:
            yield
        finally:
            alarm.cancel()
            with self._lock:
                running = False
                if self._byte[0] == OUT_OF_TIME:
                    self._byte[0] = GOES_ON


UNHALTED = Halt()
"""Of work that nobody stops; never set."""
