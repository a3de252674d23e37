"""What readers need and no commit has worked out: worked out by one thread, once, while any number of calls wait.

Batches of a load leave to whoever reads first what readers need, and so does every commit what of older versions may
still be read. No call works that out itself: it would do so beside others, and could not be stopped meanwhile.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

from passageway_server.values.halt import Halt

_Made = TypeVar("_Made")


class Readying(Generic[_Made]):
    """One thing that is worked out again and again, and shared among those who ask for it at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: Future[_Made] | None = None

    def wait_for(
        self, work_out: Callable[[], _Made], halt: Halt, *, fits: Callable[[_Made], bool]
    ) -> _Made:
        """What *work_out* gives, once it *fits*: what began before the call may not. Raises DeadlineExceeded, Cancelled.

        What others wait for goes on when one of them has gone.
        """
        while True:
            made = self._awaited(self._begun(work_out), halt)
            if fits(made):
                return made

    def _begun(self, work_out: Callable[[], _Made]) -> "Future[_Made]":
        """What is under way, or else begins now."""
        with self._lock:
            if self._under_way is None:
                begun = Future[_Made]()
                threading.Thread(
                    target=self._run, args=(work_out, begun), name="ready", daemon=True
                ).start()
                # Not before: a thread that cannot be had is asked for again.
                self._under_way = begun
            return self._under_way

    def _run(self, work_out: Callable[[], _Made], under_way: "Future[_Made]") -> None:
        try:
            made = work_out()
        except BaseException as error:
            self._end()
            under_way.set_exception(error)
        else:
            self._end()
            under_way.set_result(made)

    def _end(self) -> None:
        with self._lock:
            self._under_way = None

    @staticmethod
    def _awaited(under_way: "Future[_Made]", halt: Halt) -> _Made:
        halt.wait_for(lambda moment: wait([under_way], moment).done)
        return under_way.result()
