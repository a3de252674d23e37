"""One server to a data folder: a lock that the kernel drops when its holder ends, however it ends.

The lock belongs to the opened file, not to the process, so a second open within one process is
refused too. The file stays: were it removed, two servers could hold locks of two files under one
name.
"""

import errno
import fcntl
import os
from pathlib import Path
from typing import Final, Self

from passageway_server.errors import FolderInUse
from passageway_server.storage.directory import writing
from passageway_server.storage.disk import open_file

LOCK: Final = "LOCK"


class FolderLock:
    """Holds a data folder until ``release`` or the end of the process."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        """Take the lock of *folder*; FolderInUse if another has it, StorageFailed if none can.

        With *read_only* a disk will do that takes no writes.
        """
        with writing(LOCK):
            self._file = _opened(folder / LOCK, read_only=read_only)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                holder = _holder(self._file)
                os.close(self._file)
                here = holder == os.getpid()
                raise FolderInUse(str(folder), holder=holder, here=here) from error
            except OSError:
                os.close(self._file)
                raise

    def release(self) -> None:
        """Let another take the folder. Once is enough, twice does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _opened(path: Path, *, read_only: bool) -> int:
    try:
        return open_file(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if not read_only or error.errno != errno.EROFS:
            raise
        return open_file(path, os.O_RDONLY)


def _holder(file: int) -> int | None:
    """The process that has the opened *file* locked, where the system tells: Linux does in /proc/locks."""
    found = os.fstat(file)
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    try:
        lines = Path("/proc/locks").read_text("ascii").splitlines()
    except (OSError, ValueError):
        return None
    for words in map(str.split, lines):
        if words[1:2] == ["FLOCK"] and words[5:6] == [device] and words[4].isdecimal():
            return int(words[4]) or None  # 0 is one of another container
    return None
