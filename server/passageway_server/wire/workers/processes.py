"""A process that is to run for as long as its server does: when it ends it is started again, after a pause that grows."""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from logging import WARNING
from typing import IO, cast

from passageway_server.errors import NotStarted
from passageway_server.wire.journal import write
from passageway_server.wire.workers.tasks import MODULE, Begun, Task, decoded, send

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 10.0  # seconds
_LONG = 10.0
"""Seconds after which a process that ends is started with the first pause again."""


class Kept:
    """The process of one task."""

    def __init__(self, task: Task) -> None:
        """Start it; `started` waits until it has."""
        self._task = task
        self._lock = threading.Lock()  # held while it is started and while it is told to stop
        self._stopping = threading.Event()
        self._running = self._spawned()
        self._keeping = threading.Thread(target=self._keep, name=task.name, daemon=True)

    def started(self) -> None:
        """Wait until it serves, and keep it from then on. Raises NotStarted with what it said."""
        begun = _begun(self._running)
        if begun.fault:
            self._running.wait()
            raise NotStarted(begun.fault)
        self._keeping.start()

    def ask_to_stop(self) -> None:
        """Tell it to drain; it is not started again."""
        with self._lock:
            self._stopping.set()
            self._running.terminate()

    def stopped(self, within: float) -> int:
        """What it ended with, after it was asked to; after *within* seconds it is killed."""
        try:
            status = self._running.wait(within)
        except subprocess.TimeoutExpired:
            self._running.kill()
            status = self._running.wait()
        if self._keeping.ident is not None:
            self._keeping.join()
        _close(self._running)
        return status

    def _keep(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            since = time.monotonic()
            status = self._running.wait()
            with self._lock:
                if self._stopping.is_set():
                    return
            pause = _FIRST_PAUSE if time.monotonic() - since > _LONG else pause
            write("process ended", level=WARNING, process=self._task.name, status=status)
            if self._stopping.wait(pause):
                return
            pause = min(2 * pause, _LONGEST_PAUSE)
            self._start_again()

    def _start_again(self) -> None:
        with self._lock:
            if self._stopping.is_set():
                return
            _close(self._running)
            self._running = self._spawned()
        begun = _begun(self._running)
        if begun.fault:
            write("not started", level=WARNING, process=self._task.name, fault=begun.fault)
        else:
            write("started again", process=self._task.name)

    def _spawned(self) -> "subprocess.Popen[bytes]":
        """The process, that finds what this one imports, apart from this terminal's Ctrl-C."""
        known = os.pathsep.join(filter(None, sys.path))
        running = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": known},
            start_new_session=True,
        )
        with suppress(BrokenPipeError):  # one that ended already says so by its silence
            send(self._task, cast(IO[bytes], running.stdin))
        return running


def _begun(running: "subprocess.Popen[bytes]") -> Begun:
    assert running.stdout is not None
    return decoded(running.stdout.readline())


def _close(running: "subprocess.Popen[bytes]") -> None:
    for pipe in (running.stdin, running.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
