"""What a folder would be after some changes, without making them: files that are there are read, new ones stand elsewhere."""

import errno
import io
import os
from collections.abc import Iterable
from typing import NamedTuple, NoReturn

import numpy as np

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.directory import (
    ROOT,
    Directory,
    Entry,
    LogFile,
    Mapped,
    NotAFile,
    reading,
)


class _File(NamedTuple):
    """A file: what it holds is that of *path* in *directory*."""

    directory: Directory
    path: str


_Folder = dict[str, "_File | _Folder"]


class Trial:
    """The `Directory` *base* as it becomes by what is done here, while *base* itself stays as it is.

    Names are kept in memory, and what is written in *beside*, an empty directory. No file can be appended to.
    """

    def __init__(self, base: Directory, beside: Directory) -> None:
        """SnapshotDamaged, ReadFailed where *base* cannot be listed."""
        self._beside, self._written = beside, 0
        self._root = _listed(base, ROOT)

    def _at(self, path: str) -> "_File | _Folder":
        there: _File | _Folder = self._root
        for name in path.split("/") if path else ():
            if not isinstance(there, dict):
                _fail(errno.ENOTDIR, path)
            if name not in there:
                _fail(errno.ENOENT, path)
            there = there[name]
        return there

    def _file(self, path: str) -> _File:
        there = self._at(path)
        if isinstance(there, dict):
            raise NotAFile("a folder")
        return there

    def _folder(self, path: str) -> _Folder:
        there = self._at(path)
        return there if isinstance(there, dict) else _fail(errno.ENOTDIR, path)

    def _new(self, path: str) -> tuple[_Folder, str]:
        """The folder that *path* is to come to, and its name there."""
        folder, _, name = path.rpartition("/")
        there = self._folder(folder)
        return _fail(errno.EEXIST, path) if name in there else (there, name)

    def write(self, path: str, parts: Iterable[bytes | memoryview]) -> None:
        folder, name = self._new(path)
        self._written += 1
        self._beside.write(str(self._written), parts)
        folder[name] = _File(self._beside, str(self._written))

    def append_to(self, path: str) -> LogFile:
        raise io.UnsupportedOperation(f"{path}: nothing is appended on trial")

    def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
        file = self._file(path)
        return file.directory.read(file.path, offset=offset, limit=limit)

    def size(self, path: str) -> int:
        file = self._file(path)
        return file.directory.size(file.path)

    def map_file(self, path: str, *, length: int) -> Mapped:
        content = self.read(path, limit=length + 1)
        if len(content) != length:
            raise SnapshotDamaged(path, f"{self.size(path)} bytes, the manifest says {length}")
        return np.frombuffer(content, np.uint8)

    def entries(self, folder: str) -> list[Entry]:
        names = self._folder(folder)
        return sorted(Entry(name, isinstance(there, dict)) for name, there in names.items())

    def make_folder(self, folder: str) -> None:
        above, name = self._new(folder)
        above[name] = {}

    def rename(self, old: str, new: str) -> None:
        moved = self._at(old)
        (was, _, before), (folder, _, name) = old.rpartition("/"), new.rpartition("/")
        there = self._folder(folder).get(name)
        if there is not None and isinstance(there, dict) != isinstance(moved, dict):
            _fail(errno.EISDIR if isinstance(there, dict) else errno.ENOTDIR, new)
        if there and isinstance(there, dict):
            _fail(errno.ENOTEMPTY, new)
        del self._folder(was)[before]
        self._folder(folder)[name] = moved

    def link(self, old: str, new: str) -> None:
        file = self._file(old)
        folder, name = self._new(new)
        folder[name] = file

    def remove(self, path: str) -> None:
        self._file(path)
        self._take_away(path)

    def remove_folder(self, folder: str) -> None:
        if self._folder(folder):
            _fail(errno.ENOTEMPTY, folder)
        self._take_away(folder)

    def _take_away(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        del self._folder(folder)[name]

    def sync(self, folder: str) -> None:
        self._folder(folder)


def _listed(base: Directory, folder: str) -> _Folder:
    with reading(folder):
        entries = base.entries(folder)
    paths = {each: f"{folder}/{each.name}" if folder else each.name for each in entries}
    return {
        each.name: _listed(base, path) if each.is_folder else _File(base, path)
        for each, path in paths.items()
    }


def _fail(code: int, path: str) -> NoReturn:
    raise OSError(code, os.strerror(code), path)
