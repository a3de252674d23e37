"""Work that is done aside, again and again, in a thread of its own."""

import logging
import threading
from collections.abc import Callable

_LOG = logging.getLogger("passageway.server")


class Repeating:
    """Calls *act* every so many seconds, from `start` to `stop`."""

    def __init__(self, name: str, act: Callable[[], None], *, every: float) -> None:
        self._act = act
        self._every = every
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; what is being done is waited for. One that never began is fine."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._every):
            try:
                self._act()
            except Exception as error:  # a bug of one turn must not end the others
                _LOG.error("%s failed: %s", self._thread.name, type(error).__name__)
