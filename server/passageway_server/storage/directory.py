"""The few acts on files that all of storage is made of, and what each leaves on the disk.

Everything above runs on the protocol, so that a directory in memory which forgets what was not
synced, or one that fails on purpose, can take the disk's place in tests.
"""

import errno
import os
import resource
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from passageway_server.errors import (
    DiskFull,
    NotDurable,
    ReadFailed,
    SnapshotDamaged,
    StorageFailed,
)
from passageway_server.storage.mapping import mapped

Mapped = NDArray[np.uint8]
"""The bytes of a file, read-only."""

ROOT = ""
"""The path of the directory itself."""

_READ_AT_ONCE = 1 << 20


class Entry(NamedTuple):
    """One name in a folder."""

    name: str
    is_folder: bool


class LogFile(Protocol):
    """A file that grows at its end, for one writer. Errors are OSError, as those of `Directory`."""

    def append(self, parts: Iterable[bytes | memoryview]) -> None:
        """Write *parts* behind what the file holds; on the disk once `sync` has returned.

        Before that a crash may keep any part of them, with zeros or other bytes in between. When it
        raises, some of them may stand there, for the caller to `cut`.
        """
        ...

    def sync(self) -> None:
        """Put on the disk all that was appended before the call; any thread may.

        When it raises, nothing is known of that, and asking again would not tell.
        """
        ...

    def cut(self, length: int) -> None:
        """Drop what stands behind the first *length* bytes; on the disk with the next `sync`."""
        ...

    def close(self) -> None:
        """Let the file go; nothing is synced."""
        ...


class Directory(Protocol):
    """A tree of files. Paths are relative to its root, ``""``, with ``/`` between names.

    **What is durable.** A file's bytes and a folder's names reach the disk apart from each other.

    - When ``write`` returns, the bytes are on the disk; the name that leads to them need not be.
    - A name that was made, linked, renamed or removed is on the disk once ``sync`` of the folder
      that holds it has returned (of both folders, for a rename between two). A new folder is such a
      name of its parent.
    - Before that sync a crash may keep or lose each of these changes, in any order. None is ever
      seen half done: a rename over an existing file leaves the old one or the new one under that
      name.
    - When ``write`` or ``sync`` raises, nothing is known of what it should have made durable, and
      asking again would not tell: what was being made is thrown away and made anew under a new
      name.

    **What stays.** A mapped file keeps its bytes for as long as the array is referenced, also after
    it was renamed or removed. Files are never changed in place: ``write`` refuses a name that
    exists, and only a log grows (`append_to`), which is never mapped.

    **Errors** are OSError with its errno: FileNotFoundError for a path that is not there,
    FileExistsError for one that should not be. They become errors for callers in ``writing`` and
    ``reading``.
    """

    def write(self, path: str, parts: Iterable[bytes | memoryview]) -> None:
        """Make a new file of *parts*, one after the other, and put its bytes on the disk.

        When it raises, part of the file may stand there, for the caller to remove.
        """
        ...

    def append_to(self, path: str) -> LogFile:
        """Open a file that `write` made, to be appended to: the one kind that changes after it was made."""
        ...

    def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
        """At most *limit* bytes of a file from *offset*; fewer only where it ends."""
        ...

    def size(self, path: str) -> int:
        """The length of a file in bytes."""
        ...

    def map_file(self, path: str, *, length: int) -> Mapped:
        """The bytes of a file, not read yet; SnapshotDamaged unless it has *length* (> 0) of them.

        The length is looked at before the file is mapped: touching a page that is not there kills
        the process.
        """
        ...

    def entries(self, folder: str) -> list[Entry]:
        """What a folder holds, by name. A link to elsewhere is no folder."""
        ...

    def make_folder(self, folder: str) -> None:
        """Make one empty folder in a folder that exists."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Give a file or folder another path at one stroke; a file at *new* is replaced."""
        ...

    def link(self, old: str, new: str) -> None:
        """Give a file a second name. OSError where the disk has no such links."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file's name."""
        ...

    def remove_folder(self, folder: str) -> None:
        """Remove an empty folder."""
        ...

    def sync(self, folder: str) -> None:
        """Put the names in a folder on the disk (not those in the folders inside it)."""
        ...


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
        return _DiskLog(os.open(self._at(path), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC))

    def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
        with self._at(path).open("rb") as file:
            file.seek(offset)
            return file.read(limit)

    def size(self, path: str) -> int:
        return self._at(path).lstat().st_size

    def map_file(self, path: str, *, length: int) -> Mapped:
        file = os.open(self._at(path), os.O_RDONLY | os.O_CLOEXEC)
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


def parent(path: str) -> str:
    """The folder that holds *path*."""
    return path.rpartition("/")[0]


def holds_folder(directory: Directory, folder: str) -> bool:
    """Whether *folder* is there, and is a folder; ReadFailed where the disk will not say."""
    try:
        directory.entries(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ReadFailed(folder, _found(error)) from error
    return True


def remove_tree(directory: Directory, path: str) -> None:
    """Remove a file, or a folder with all that is in it, if it is there. Nothing is synced."""
    try:
        inside = directory.entries(path)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        directory.remove(path)
        return
    for entry in inside:
        within = f"{path}/{entry.name}"
        if entry.is_folder:
            remove_tree(directory, within)
        else:
            directory.remove(within)
    directory.remove_folder(path)


def copy_tree(directory: Directory, old: str, new: str, *, start: int = 0) -> None:
    """Copy a file, or a folder with all that is in it, by second names where that can be. OSError.

    A file is copied from offset *start* on. All is on the disk but the name *new* itself.
    """
    try:
        inside = directory.entries(old)
    except NotADirectoryError:
        if not start:
            with suppress(OSError):
                directory.link(old, new)
                return
        directory.write(new, parts_of(directory, old, start=start))
        return
    directory.make_folder(new)
    for entry in inside:
        copy_tree(directory, f"{old}/{entry.name}", f"{new}/{entry.name}")
    directory.sync(new)


def parts_of(directory: Directory, file: str, *, start: int = 0) -> Iterator[bytes]:
    """The bytes of a file from offset *start* on, a part at a time. OSError."""
    while part := directory.read(file, offset=start, limit=_READ_AT_ONCE):
        yield part
        start += len(part)


@contextmanager
def writing(path: str) -> Generator[None]:
    """Turn an OSError into DiskFull where there is no room, else into StorageFailed."""
    try:
        yield
    except OSError as error:
        kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StorageFailed
        raise kind(path, _found(error)) from error


@contextmanager
def reading(path: str) -> Generator[None]:
    """Turn an OSError into SnapshotDamaged where something is missing, else into ReadFailed."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise SnapshotDamaged(path, "missing") from error
    except OSError as error:
        raise ReadFailed(path, _found(error)) from error


def settle(directory: Directory, path: str) -> None:
    """Put on the disk that *path* was made, replaced or taken away, past the point of no return.

    Raises NotDurable when the disk refuses: what was done stands, though a crash may undo it.
    """
    try:
        directory.sync(parent(path))
    except OSError as error:
        raise NotDurable(path, _found(error)) from error


def make_root(folder: Path) -> None:
    """Make *folder*, for its owner alone, and what is missing above it, all on the disk. OSError."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(0o700 if each == folder else 0o777, exist_ok=True)
        DiskDirectory(each.parent).sync(ROOT)


def _found(error: OSError) -> str:
    return error.strerror or type(error).__name__


def allow_open_files() -> None:
    """Let this process open as many files as it may: each mapped array holds one of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(OSError, ValueError):  # some systems have a lower limit that they do not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
