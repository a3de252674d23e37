"""Who starts the owner and the readers of a server, keeps their port, and starts again what ends.

It makes no gRPC object, opens no folder and serves nothing itself, so that there is little in it that could end it.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from passageway_server.authz.identity import check_listen, identity
from passageway_server.errors import SettingInvalid
from passageway_server.wire.journal import to_stderr, write
from passageway_server.wire.ports import HeldPort
from passageway_server.wire.running import Ready, until_told
from passageway_server.wire.settings import Settings
from passageway_server.wire.workers.processes import Kept
from passageway_server.wire.workers.tasks import Task

_MARGIN = 30.0
"""Seconds that a process has after its grace, to write what is left to write."""
_LONGEST_PATH = 100  # bytes; a unix socket has no more than 107


class Supervisor:
    """A server of several processes that is running, from construction on until `stop`."""

    def __init__(self, settings: Settings) -> None:
        """Hold the port, start all, wait until they serve. Raises SettingInvalid, NotStarted."""
        known = identity(settings.auth, tokens=settings.tokens)
        check_listen(settings.listen, mode=known.mode)
        if settings.data is None:
            raise SettingInvalid("workers", ["several processes need a folder; give --data"])
        self._grace = settings.grace
        self._port = HeldPort(settings.listen)
        self._folder = _private_folder()
        self._processes: list[Kept] = []
        self.address = self._port.address
        settings = replace(settings, listen=self.address)
        socket = f"unix:{self._folder}/owner"
        try:
            for number in range(settings.workers + 1):
                self._processes.append(Kept(Task(number, settings, socket)))
            for process in self._processes:
                process.started()
        except BaseException:
            self._end(grace=0.0)
            raise
        write("supervising", address=self.address, workers=settings.workers)

    def stop(self) -> None:
        """Drain the readers, then the owner: what they passed on is answered first."""
        self._end(grace=self._grace)
        write("stopped", address=self.address)

    def _end(self, *, grace: float) -> None:
        owner, readers = self._processes[:1], self._processes[1:]
        try:
            for part in (readers, owner):
                for process in part:
                    process.ask_to_stop()
                for process in part:
                    process.stopped(grace + _MARGIN)
        finally:
            self._port.close()
            shutil.rmtree(self._folder, ignore_errors=True)


def supervise(settings: Settings, *, ready: Ready = print) -> None:
    """Serve by several processes until it is told to stop, as ``running.until_told`` does."""
    to_stderr(process="supervisor")
    until_told(lambda: Supervisor(settings), ready=ready)


def _private_folder() -> Path:
    """A new folder for this user alone, whose path is short enough for that of a socket."""
    folder = Path(tempfile.mkdtemp(prefix="passageway-"))
    if len(str(folder)) <= _LONGEST_PATH - len("/owner"):
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix="passageway-", dir="/tmp"))
