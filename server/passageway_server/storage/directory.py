"""The few acts on files that all of storage is made of, and what each leaves on the disk.

Everything above runs on the protocol, so that a directory in memory which forgets what was not
synced, or one that fails on purpose, can take the disk's place in tests.
"""

import errno
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
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

Mapped = NDArray[np.uint8]
"""The bytes of a file, read-only."""

ROOT = ""
"""The path of the directory itself."""

_READ_AT_ONCE = 1 << 20


class Entry(NamedTuple):
    """One name in a folder."""

    name: str
    is_folder: bool


class NotAFile(OSError):
    """Something else stands under the name of a file: ``strerror`` says what."""

    def __init__(self, what: str) -> None:
        super().__init__(errno.EINVAL, f"{what}, not a file")


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
    FileExistsError for one that should not be, NotAFile for what is opened and is no file (a folder,
    a link, a FIFO, a device); nothing waits for it. They become errors for callers in ``writing``
    and ``reading``.
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
    """Turn an OSError into SnapshotDamaged where something is missing, or no file, else into ReadFailed."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise SnapshotDamaged(path, "missing") from error
    except NotAFile as error:
        raise SnapshotDamaged(path, _found(error)) from error
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


def _found(error: OSError) -> str:
    return error.strerror or type(error).__name__
