"""How many streams may be open at once: each holds a thread, and calls of one answer keep the others."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from passageway_server.errors import LimitExceeded


class Streams:
    """Places for streams."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = threading.BoundedSemaphore(most)

    @contextmanager
    def place(self) -> Generator[None]:
        """Hold a place; raises LimitExceeded, and waits for nobody, when all are taken."""
        if not self._free.acquire(blocking=False):
            raise LimitExceeded(
                "MAX_STREAMS",
                limit=self._most,
                parameter="streams",
                advice="call again when another stream has ended",
            )
        try:
            yield
        finally:
            self._free.release()
