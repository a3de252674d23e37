"""A version that commits left as it is, worked out for readers: by one thread, once, while any number of calls wait.

Batches of a load leave to whoever reads first what readers need. No call works that out itself: it would do so beside
others, and could not be stopped meanwhile.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

from passageway_server.values.halt import Halt
from passageway_server.version.version import Version


class Readying:
    """Has *work_out* give the newest version that can be read, worked out, and shares it among those who ask."""

    def __init__(self, work_out: Callable[[], Version]) -> None:
        self._work_out = work_out
        self._lock = threading.Lock()
        self._under_way: Future[Version] | None = None

    def wait_for(self, number: int, halt: Halt) -> Version:
        """A version worked out that is not older than commit *number*, which can be read. Raises DeadlineExceeded, Cancelled.

        What others wait for goes on when one of them has gone.
        """
        while True:
            version = self._awaited(self._begun(), halt)
            if version.identity.number >= number:
                return version

    def _begun(self) -> "Future[Version]":
        """What is under way, or else begins now."""
        with self._lock:
            if self._under_way is None:
                begun = Future[Version]()
                threading.Thread(target=self._run, args=(begun,), name="ready", daemon=True).start()
                self._under_way = (
                    begun  # not before: a thread that cannot be had is asked for again
                )
            return self._under_way

    def _run(self, under_way: "Future[Version]") -> None:
        try:
            version = self._work_out()
        except BaseException as error:
            self._end()
            under_way.set_exception(error)
        else:
            self._end()
            under_way.set_result(version)

    def _end(self) -> None:
        with self._lock:
            self._under_way = None

    @staticmethod
    def _awaited(under_way: "Future[Version]", halt: Halt) -> Version:
        halt.wait_for(lambda moment: wait([under_way], moment).done)
        return under_way.result()
