"""The end of a call, as gRPC tells it, halts the work for it.

A server learns in one way that a caller has cancelled and that its deadline has passed: the call is over.
Which of the two it was, the time that was left tells.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TypeVar

import grpc

from passageway_server.values.alarms import ALARMS
from passageway_server.values.halt import Halt

_Item = TypeVar("_Item")

_EARLY = 0.01, 0.025
"""A client whose deadline passes cancels, a little before the server's own: this part of the time that the call was
given, which is rounded up on its way, and so many seconds."""
_AT_ONCE = 256  # parts of a message that are made between two looks at the halt
FOR_EVER = 1e9
"""So many seconds left say that there is no deadline."""


def halted_by(context: grpc.ServicerContext) -> Halt:
    """A halt that the end of the call sets, also where it has ended already."""
    given = context.time_remaining()
    halt = Halt(seconds=given if given < FOR_EVER else inf)

    def ended() -> None:
        if given < FOR_EVER and context.time_remaining() <= _EARLY[0] * given + _EARLY[1]:
            halt.expire()
        else:
            halt.cancel()

    if not context.add_callback(ended):
        ended()
    return halt


def paced(items: Iterable[_Item], halt: Halt) -> Iterator[_Item]:
    """*items* one by one, for as long as the call goes on; raises `DeadlineExceeded`, `Cancelled`."""
    for place, item in enumerate(items):
        if place % _AT_ONCE == 0:
            halt.spent()
        yield item


@contextmanager
def halted_after(seconds: float) -> Generator[Halt]:
    """A halt for a call of the same process that has so many *seconds*, or all that there are."""
    halt = Halt(seconds=seconds)
    if seconds == inf:
        yield halt
        return
    alarm = ALARMS.set(seconds, halt.expire)
    try:
        yield halt
    finally:
        alarm.cancel()
