"""Halts that a test sets once something was done so many times."""

from collections.abc import Callable
from typing import Any

from passageway_server.values.halt import Halt

Stop = Callable[[Halt], None]
LONG = 60_000
"""Milliseconds: the time of a request in which a test sets its halt itself."""


def after(count: int, made: Callable[..., Any], stop: Callable[[], None]) -> Callable[..., Any]:
    """*made*, and a *stop* right after it was called *count* times."""
    left = iter(range(count - 1, -1, -1))

    def counted(*args: Any, **kwargs: Any) -> Any:
        found = made(*args, **kwargs)
        if next(left, -1) == 0:
            stop()
        return found

    return counted
