"""A directory, on the disk or in memory, some call of which fails on purpose.

It counts the calls that a test picks out. A log whose sync failed must never be synced or appended to again: that is
an AssertionError, and stays in ``misuses`` where it was caught.
"""

import errno
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from passageway_server.storage.directory import Directory, Entry, LogFile, Mapped

READS = frozenset({"read", "size", "map_file", "entries", "append_to"})
"""Calls that change nothing."""

NEEDS_ROOM = frozenset({"write", "append", "make_folder", "rename", "link"})
"""Calls that a full disk refuses."""


def _every(act: str, path: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Fault:
    """Call number ``at``, from 0, of those that are ``among`` fails; with ``for_good`` all of these after it too.

    Where ``short``, a write or an append has put the first half of the bytes down before it fails, where ``whole`` all of
    them. An act is named as in the protocol, but for ``sync_log``.
    """

    at: int
    code: int = errno.EIO
    for_good: bool = False
    short: bool = False
    whole: bool = False
    among: Callable[[str, str], bool] = _every


NEVER = Fault(-1)


@dataclass(eq=False)
class FaultyDirectory:
    """A Directory of the protocol over another one."""

    inner: Directory
    fault: Fault = NEVER
    calls: int = 0
    failed: list[str] = field(default_factory=list[str])
    misuses: list[str] = field(default_factory=list[str])
    _lost: set[str] = field(default_factory=set[str])

    def _call(self, act: str, path: str) -> None:
        if self.fails(act, path):
            self.refuse(act, path)

    def fails(self, act: str, path: str) -> bool:
        """Count one call, and say whether it is to fail."""
        fault = self.fault
        if not fault.among(act, path):
            return False
        number, self.calls = self.calls, self.calls + 1
        return number == fault.at or (fault.for_good and 0 <= fault.at <= number)

    def part(self, parts: Iterable[bytes | memoryview]) -> bytes:
        """The bytes that are put down before a failure."""
        content = b"".join(bytes(part) for part in parts)
        if self.fault.whole:
            return content
        return content[: len(content) // 2] if self.fault.short else b""

    def refuse(self, act: str, path: str) -> None:
        """Fail, after the call was counted."""
        self.failed.append(f"{act} {path}")
        raise OSError(self.fault.code, os.strerror(self.fault.code), path)

    def write(self, path: str, parts: Iterable[bytes | memoryview]) -> None:
        if self.fails("write", path):
            self.inner.write(path, [self.part(parts)])
            self.refuse("write", path)
        self.inner.write(path, parts)

    def append_to(self, path: str) -> LogFile:
        self._call("append_to", path)
        return _FaultyLog(self, path, self.inner.append_to(path))

    def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
        self._call("read", path)
        return self.inner.read(path, offset=offset, limit=limit)

    def size(self, path: str) -> int:
        self._call("size", path)
        return self.inner.size(path)

    def map_file(self, path: str, *, length: int) -> Mapped:
        self._call("map_file", path)
        return self.inner.map_file(path, length=length)

    def entries(self, folder: str) -> list[Entry]:
        self._call("entries", folder)
        return self.inner.entries(folder)

    def make_folder(self, folder: str) -> None:
        self._call("make_folder", folder)
        self.inner.make_folder(folder)

    def rename(self, old: str, new: str) -> None:
        self._call("rename", old)
        self.inner.rename(old, new)

    def link(self, old: str, new: str) -> None:
        self._call("link", old)
        self.inner.link(old, new)

    def remove(self, path: str) -> None:
        self._call("remove", path)
        self.inner.remove(path)

    def remove_folder(self, folder: str) -> None:
        self._call("remove_folder", folder)
        self.inner.remove_folder(folder)

    def sync(self, folder: str) -> None:
        self._call("sync", folder)
        self.inner.sync(folder)

    def lose(self, path: str) -> None:
        """From now on nothing is known of what *path* holds."""
        self._lost.add(path)

    def check_known(self, path: str, act: str) -> None:
        """Hold the caller to it: a file whose sync failed is left alone."""
        if path in self._lost:
            self.misuses.append(f"{act} of {path}, whose sync failed")
            raise AssertionError(self.misuses[-1])


class _FaultyLog:
    def __init__(self, directory: FaultyDirectory, path: str, inner: LogFile) -> None:
        self._directory = directory
        self._path = path
        self._inner = inner

    def append(self, parts: Iterable[bytes | memoryview]) -> None:
        self._directory.check_known(self._path, "append")
        if self._directory.fails("append", self._path):
            self._inner.append([self._directory.part(parts)])
            self._directory.refuse("append", self._path)
        self._inner.append(parts)

    def sync(self) -> None:
        self._directory.check_known(self._path, "sync")
        if self._directory.fails("sync_log", self._path):
            self._directory.lose(self._path)
            self._directory.refuse("sync_log", self._path)
        self._inner.sync()

    def cut(self, length: int) -> None:
        if self._directory.fails("cut", self._path):
            self._directory.refuse("cut", self._path)
        self._inner.cut(length)

    def close(self) -> None:
        self._inner.close()
