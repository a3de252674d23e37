"""A directory in memory that forgets, when it crashes, what was not synced.

A folder is the names that are on the disk and the changes since its last sync. A crash keeps any of these changes and
loses the others, folder by folder: a rename as a whole, a name over another one or not at all.
"""

import errno
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

import numpy as np

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.directory import Entry, Mapped
from tests.unit.storage.disks import Crash


@dataclass(eq=False)
class File:
    """What was written and synced in one go; a file that was not is never seen, for `write` does both."""

    content: bytes


@dataclass(eq=False)
class Folder:
    """The names that a crash cannot touch, and what was done to them since, oldest first."""

    synced: "dict[str, File | Folder]" = field(default_factory=dict[str, "File | Folder"])
    changes: "list[Change]" = field(default_factory=list["Change"])

    def names(self, keeps: Callable[[], bool] = lambda: True) -> "dict[str, File | Folder]":
        """The names after those changes that *keeps* says yes to, in their order; None takes a name away."""
        names: dict[str, File | Folder | None] = {**self.synced}
        for change in self.changes:
            if keeps():
                names |= change
        return {name: there for name, there in names.items() if there is not None}


class ForgetfulDirectory:
    """A Directory of the protocol, whose change number *fails_at*, from 0, is a Crash and every later one too."""

    def __init__(self, root: Folder | None = None, *, fails_at: int = -1) -> None:
        self._root = root or Folder()
        self.fails_at = fails_at
        self.changes = 0

    def after_crash(self, keeps: Callable[[], bool]) -> "ForgetfulDirectory":
        """What is found when the machine is up again; each change that was not synced *keeps* or loses."""
        return ForgetfulDirectory(_survivor(self._root, keeps, {}))

    def _at(self, path: str) -> "File | Folder":
        there: File | Folder = self._root
        for name in path.split("/") if path else ():
            if isinstance(there, File):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
            found = there.names().get(name)
            if found is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            there = found
        return there

    def _folder(self, path: str) -> Folder:
        there = self._at(path)
        if isinstance(there, File):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return there

    def _file(self, path: str) -> File:
        there = self._at(path)
        if isinstance(there, Folder):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        return there

    def _change(self) -> None:
        number, self.changes = self.changes, self.changes + 1
        if 0 <= self.fails_at <= number:
            raise Crash

    def _add(self, path: str, new: "File | Folder") -> None:
        folder, _, name = path.rpartition("/")
        inside = self._folder(folder)
        if name in inside.names():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        self._change()
        inside.changes.append({name: new})

    def write(self, path: str, parts: Iterable[bytes | memoryview]) -> None:
        self._add(path, File(b"".join(bytes(part) for part in parts)))

    def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
        return self._file(path).content[offset : offset + limit]

    def size(self, path: str) -> int:
        return len(self._file(path).content)

    def map_file(self, path: str, *, length: int) -> Mapped:
        content = self._file(path).content
        if len(content) != length:
            raise SnapshotDamaged(path, f"{len(content)} bytes, the manifest says {length}")
        return np.frombuffer(content, np.uint8)

    def entries(self, folder: str) -> list[Entry]:
        names = self._folder(folder).names().items()
        return sorted(Entry(name, isinstance(there, Folder)) for name, there in names)

    def make_folder(self, folder: str) -> None:
        self._add(folder, Folder())

    def rename(self, old: str, new: str) -> None:
        folder, _, name = new.rpartition("/")
        assert old.rpartition("/")[0] == folder, "storage renames within one folder"
        moved, inside = self._at(old), self._folder(folder)
        there = inside.names().get(name)
        if isinstance(there, Folder) and there.names():
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), new)
        self._change()
        inside.changes.append({old.rpartition("/")[2]: None, name: moved})

    def link(self, old: str, new: str) -> None:
        self._add(new, self._file(old))

    def remove(self, path: str) -> None:
        self._file(path)
        self._take_away(path)

    def remove_folder(self, folder: str) -> None:
        if self._folder(folder).names():
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), folder)
        self._take_away(folder)

    def _take_away(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self._change()
        self._folder(folder).changes.append({name: None})

    def sync(self, folder: str) -> None:
        there = self._folder(folder)
        self._change()
        there.synced, there.changes = there.names(), []


Change = dict[str, File | Folder | None]
"""What one act did to the names of a folder."""


def some_of(seed: int) -> Callable[[], bool]:
    """Keeps nothing for seed 0, everything for seed 1, and half of the changes for the others."""
    draw = Random(seed)
    share = {0: 0.0, 1: 1.0}.get(seed, 0.5)
    return lambda: draw.random() < share


def _survivor(folder: Folder, keeps: Callable[[], bool], known: dict[Folder, Folder]) -> Folder:
    """A copy of *folder* in which all that survived is synced; one that two names lead to stays one."""
    if folder not in known:
        survivor = known[folder] = Folder()
        for name, there in folder.names(keeps).items():
            survivor.synced[name] = (
                there if isinstance(there, File) else _survivor(there, keeps, known)
            )
    return known[folder]
