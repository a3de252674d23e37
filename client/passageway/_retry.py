"""When to send a call again: after UNAVAILABLE, and never past the deadline.

One that is idempotent always, and so is a write under a key by which the server knows it again; another where nothing was
done: no connection was made, or what takes the writes of the server was not there. A server that answered before will be
back, and is waited for until the deadline. Tried a few times are an address at which nobody ever answered, which may be
wrong, and what the server cannot do for a reason that may stay, as of a disk.
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.message import Message

from passageway._errors import (
    CONNECTION_LOST,
    NO_SERVER,
    STOPPING,
    VERSION_LATE,
    PassagewayError,
    Unavailable,
)
from passageway._transport import Method

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
ATTEMPTS = 6
"""Of a call that may go on in vain."""

STREAM_PATIENCE = 30.0
"""Seconds in which a stream may begin: its deadline is far."""

_PASSING = frozenset((NO_SERVER, CONNECTION_LOST, STOPPING, VERSION_LATE))

Clock = Callable[[], float]


class Deadline:
    """The end of a call, in seconds of *clock*, and the pauses that still fit before it."""

    __slots__ = ("_clock", "_end", "_idempotent", "_paused", "_pauses")

    def __init__(self, timeout: float, *, idempotent: bool, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + timeout
        self._idempotent = idempotent
        self._paused = 0
        self._pauses = pauses()

    def left(self) -> float:
        """Seconds until the end, 0 when it has passed."""
        return max(0.0, self._end - self._clock())

    def pause_after(self, failure: PassagewayError, *, met: bool) -> float:
        """Seconds to wait before the next attempt; raises *failure* when there is none.

        *met* says that a server has answered at that address, be it that it could not do this.
        """
        again = isinstance(failure, Unavailable) and (
            self._idempotent or failure.reason == NO_SERVER
        )
        passing = met and failure.reason in _PASSING
        if again and (passing or self._paused < ATTEMPTS - 1):
            self._paused += 1
            pause = next(self._pauses)
            if pause < self.left():
                return pause
        raise failure


def repeatable(method: Method[Any, Any], request: Message) -> bool:
    """Whether *request* of *method* may be sent again although it may have come through."""
    return method.idempotent or bool(getattr(request, "idempotency_key", ""))


def pauses() -> Iterator[float]:
    """Doubling pauses with jitter, so that callers who failed together do not return together."""
    longest = FIRST_PAUSE
    while True:
        yield longest * random.uniform(0.5, 1.0)
        longest = min(LONGEST_PAUSE, 2 * longest)
