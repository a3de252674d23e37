"""When a call has to stop: one byte that its kernels look at, set from another thread.

A call that is out of time stops where it is and answers with what it has. A call that is over (its deadline has
passed, its caller is gone) stops and answers nothing.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from passageway_server.errors import Cancelled, DeadlineExceeded

GOES_ON, OUT_OF_TIME, DEADLINE_PASSED, CALLER_GONE = 0, 1, 2, 3


class Halt:
    """Whether one call is to stop. ``flag`` is what kernels poll: uint8[1], 0 while the call goes on."""

    __slots__ = ("flag",)

    def __init__(self) -> None:
        self.flag: NDArray[np.uint8] = np.zeros(1, dtype=np.uint8)

    def cancel(self) -> None:
        """The caller has gone."""
        self.flag[0] = CALLER_GONE

    def expire(self) -> None:
        """The deadline of the whole call has passed."""
        if self.flag[0] < DEADLINE_PASSED:
            self.flag[0] = DEADLINE_PASSED

    def time_out(self) -> None:
        """The time is spent that the request gave for its answer."""
        if self.flag[0] == GOES_ON:
            self.flag[0] = OUT_OF_TIME

    def spent(self) -> bool:
        """Whether to stop and answer with what there is; raises `DeadlineExceeded`, `Cancelled`."""
        if self.flag[0] == GOES_ON:
            return False
        if self.flag[0] == OUT_OF_TIME:
            return True
        raise DeadlineExceeded if self.flag[0] == DEADLINE_PASSED else Cancelled

    @contextmanager
    def within(self, timeout_ms: int) -> Generator[None, None, None]:
        """Give what is done inside *timeout_ms* milliseconds; 0 sets no bound."""
        if not timeout_ms:
            yield
            return
        timer = threading.Timer(timeout_ms / 1000, self.time_out)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


UNHALTED = Halt()
"""Of work that nobody stops; never set."""
