"""The real files: a `Directory` on the disk.

Whatever stands under the name of a file, nothing waits for it: what is no file is an error as it is opened.
"""

import os
import resource
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.directory import ROOT, Entry, LogFile, Mapped, NotAFile
from passageway_server.storage.mapping import mapped

_OTHERS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


def open_file(path: Path, flags: int) -> int:
    """Open a file, and nothing else that may stand there; a FIFO or a device is not waited for. OSError, NotAFile."""
    try:
        file = os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        _check_file(path.lstat())
        raise
    try:
        _check_file(os.fstat(file))
    except BaseException:
        os.close(file)
        raise
    return file


def _check_file(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotAFile(_OTHERS.get(stat.S_IFMT(found.st_mode), "a device"))


_FOLDER_ITSELF = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class DiskDirectory:
    """A Directory on the disk; what it makes is for the server's own user alone."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()  # the folder itself may be a link

    def _at(self, path: str) -> Path:
        if path.startswith("/") or ".." in path or "\0" in path:
            raise ValueError(f"{path!r} leads out of the folder")
        return self._root / path

    def write(self, path: str, parts: Iterable[bytes | memoryview]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        file = os.open(self._at(path), flags, 0o600)
        try:
            for part in parts:
                rest = memoryview(part)
                while rest:
                    rest = rest[os.write(file, rest) :]
            os.fsync(file)
        finally:
            os.close(file)

    def append_to(self, path: str) -> LogFile:
        return _DiskLog(open_file(self._at(path), os.O_WRONLY | os.O_APPEND))

    def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
        file = open_file(self._at(path), os.O_RDONLY)
        try:
            parts: list[bytes] = []
            while limit and (part := os.pread(file, limit, offset)):
                parts.append(part)
                offset, limit = offset + len(part), limit - len(part)
            return b"".join(parts)
        finally:
            os.close(file)

    def size(self, path: str) -> int:
        found = self._at(path).lstat()
        _check_file(found)
        return found.st_size

    def map_file(self, path: str, *, length: int) -> Mapped:
        file = open_file(self._at(path), os.O_RDONLY)
        try:
            found = os.fstat(file).st_size
            if found != length:
                raise SnapshotDamaged(path, f"{found} bytes, the manifest says {length}")
            return mapped(file, length)
        finally:
            os.close(file)

    def entries(self, folder: str) -> list[Entry]:
        # A link in the place of a folder is none: what it leads to is not ours to list or remove.
        opened = os.open(self._at(folder), _FOLDER_ITSELF)
        try:
            with os.scandir(opened) as found:
                return sorted(Entry(e.name, e.is_dir(follow_symlinks=False)) for e in found)
        finally:
            os.close(opened)

    def make_folder(self, folder: str) -> None:
        self._at(folder).mkdir(0o700)

    def rename(self, old: str, new: str) -> None:
        self._at(old).rename(self._at(new))

    def link(self, old: str, new: str) -> None:
        os.link(self._at(old), self._at(new), follow_symlinks=False)

    def remove(self, path: str) -> None:
        self._at(path).unlink()

    def remove_folder(self, folder: str) -> None:
        self._at(folder).rmdir()

    def sync(self, folder: str) -> None:
        opened = os.open(self._at(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


_sync_bytes = getattr(os, "fdatasync", os.fsync)
"""What makes a file's bytes and length durable, without its times where the system knows how."""


class _DiskLog:
    """A LogFile on the disk."""

    def __init__(self, file: int) -> None:
        self._file = file

    def append(self, parts: Iterable[bytes | memoryview]) -> None:
        rest = memoryview(b"".join(parts))
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def sync(self) -> None:
        _sync_bytes(self._file)

    def cut(self, length: int) -> None:
        os.ftruncate(self._file, length)

    def close(self) -> None:
        os.close(self._file)


def make_root(folder: Path) -> None:
    """Make *folder*, for its owner alone, and what is missing above it, all on the disk. OSError."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(0o700 if each == folder else 0o777, exist_ok=True)
        DiskDirectory(each.parent).sync(ROOT)


def allow_open_files() -> None:
    """Let this process open as many files as it may: each mapped array holds one of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(OSError, ValueError):  # some systems have a lower limit that they do not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
