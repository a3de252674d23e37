"""When to send a call again: after UNAVAILABLE, a few times, and never past the deadline.

One that is idempotent always, and so is a write under a key by which the server knows it again; another where no
connection was made, so that it never left this process.
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.message import Message

from passageway._errors import NO_SERVER, PassagewayError, Unavailable
from passageway._transport import Method

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
ATTEMPTS = 6

Clock = Callable[[], float]


class Deadline:
    """The end of a call, in seconds of *clock*, and the pauses that still fit before it."""

    __slots__ = ("_clock", "_end", "_idempotent", "_pauses")

    def __init__(self, timeout: float, *, idempotent: bool, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + timeout
        self._idempotent = idempotent
        self._pauses = pauses()

    def left(self) -> float:
        """Seconds until the end, 0 when it has passed."""
        return max(0.0, self._end - self._clock())

    def pause_after(self, failure: PassagewayError) -> float:
        """Seconds to wait before the next attempt; raises *failure* when there is none."""
        if isinstance(failure, Unavailable) and (self._idempotent or failure.reason == NO_SERVER):
            pause = next(self._pauses, None)
            if pause is not None and pause < self.left():
                return pause
        raise failure


def repeatable(method: Method[Any, Any], request: Message) -> bool:
    """Whether *request* of *method* may be sent again although it may have come through."""
    return method.idempotent or bool(getattr(request, "idempotency_key", ""))


def pauses() -> Iterator[float]:
    """Doubling pauses with jitter, so that callers who failed together do not return together."""
    for attempt in range(ATTEMPTS - 1):
        yield min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1.0)
