"""Directories that fail on purpose, and what the tests of storage write into them."""

import errno
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np

from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.directory import LogFile
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.log.writer import Log
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.npy import AnyArray
from passageway_server.storage.snapshot import OpenSnapshot, Snapshot

NOON = datetime(2024, 5, 1, 12, 0, 0, 250, tzinfo=UTC)


class Crash(BaseException):
    """The process ended here."""


class FailingDirectory(DiskDirectory):
    """A disk whose change number *fails_at*, from 0, is refused with *code*; a write is left half done.

    Where *stays_dead*, every later change is refused too, and as a Crash: nothing is cleaned up.
    """

    def __init__(
        self, root: Path, *, fails_at: int, code: int = errno.EIO, stays_dead: bool = False
    ) -> None:
        super().__init__(root)
        self.fails_at = fails_at
        self.code = code
        self.stays_dead = stays_dead
        self.changes = 0

    def _change(self) -> None:
        number, self.changes = self.changes, self.changes + 1
        if self.stays_dead and number >= self.fails_at:
            raise Crash
        if number == self.fails_at:
            raise OSError(self.code, os.strerror(self.code))

    def write(self, path: str, parts: Iterable[bytes | memoryview]) -> None:
        content = b"".join(bytes(part) for part in parts)
        if self.changes == self.fails_at:
            super().write(path, [content[: len(content) // 2]])
        self._change()
        super().write(path, [content])

    def append_to(self, path: str) -> LogFile:
        return _FailingLog(super().append_to(path), self._change)

    def make_folder(self, folder: str) -> None:
        self._change()
        super().make_folder(folder)

    def rename(self, old: str, new: str) -> None:
        self._change()
        super().rename(old, new)

    def link(self, old: str, new: str) -> None:
        self._change()
        super().link(old, new)

    def remove(self, path: str) -> None:
        self._change()
        super().remove(path)

    def remove_folder(self, folder: str) -> None:
        self._change()
        super().remove_folder(folder)

    def sync(self, folder: str) -> None:
        self._change()
        super().sync(folder)


class _FailingLog:
    """A file of a `FailingDirectory` that grows; what is refused is left half done."""

    def __init__(self, file: LogFile, change: Callable[[], None]) -> None:
        self._file, self._change = file, change

    def append(self, parts: Iterable[bytes | memoryview]) -> None:
        content = b"".join(bytes(part) for part in parts)
        try:
            self._change()
        except BaseException:
            self._file.append([content[: len(content) // 2]])
            raise
        self._file.append([content])

    def sync(self) -> None:
        self._change()
        self._file.sync()

    def cut(self, length: int) -> None:
        self._change()
        self._file.cut(length)

    def close(self) -> None:
        self._file.close()


class UnlinkedDirectory(DiskDirectory):
    """A disk that has no hard links."""

    def link(self, old: str, new: str) -> None:
        raise OSError(errno.EPERM, f"no links: {old}, {new}")


def frozen(array: AnyArray) -> AnyArray:
    """*array*, read-only."""
    array.flags.writeable = False
    return array


def some_arrays() -> dict[str, AnyArray]:
    """Arrays of several types and shapes, two of them empty."""
    return {
        "nodes.kind": frozen(np.array([0, 1, 2, 1], np.uint8)),
        "nodes.covered": frozen(np.array([True, False, True, True])),
        "out.offsets": frozen(np.arange(40, dtype=np.int64)),
        "out.weights": frozen(np.array([1.5, np.nan, -0.0, np.inf])),
        "vectors.0": frozen(np.arange(12, dtype=np.float32).reshape(3, 4)),
        "links.target": frozen(np.empty(0, np.int32)),
        "vectors.1": frozen(np.empty((0, 4), np.float32)),
        "scalar": frozen(np.array(7, np.int16)),
    }


SETTINGS: dict[str, object] = {"name": "debian", "users": ["group:eng"]}
SOME_META: dict[str, object] = {"settings": SETTINGS, "next": 4}


IDENTITY = "0d3b1a90"
"""How the tokens of all versions begin."""


def version(number: int) -> StoredVersion:
    return StoredVersion(number, f"{IDENTITY}{number}")


def publish(
    collection: StoredCollection,
    number: int,
    *,
    arrays: Mapping[str, AnyArray] | None = None,
    previous: Snapshot | None = None,
) -> Snapshot:
    """Publish a version of some arrays (``some_arrays`` if none are given)."""
    return collection.publish(
        version(number),
        arrays=some_arrays() if arrays is None else arrays,
        meta={**SOME_META, "settings": {**SETTINGS, "name": collection.name}, "number": number},
        created_at=NOON,
        previous=previous,
    )


def opened(folder: DataFolder) -> dict[str, OpenSnapshot]:
    """The snapshot that each collection of *folder* is recovered with; raises what is wrong with one."""
    return {name: folder.collection(name).recover().snapshot for name in folder.names()}


def commit(number: int, size: int = 40) -> dict[str, object]:
    """What the commit *number* of a test holds, in about so many bytes."""
    return {"number": number, "filling": bytes([number % 256]) * size}


def logged(collection: StoredCollection, through: int, *, size: int = 40) -> Log:
    """The log of a collection that has a snapshot, with commits up to *through*, each durable by itself."""
    recovered = collection.recover()
    numbers = [each.number for each in recovered.commits]
    last = numbers[-1] if numbers else recovered.snapshot.version.number
    log = collection.open_log(last, recovered=recovered)
    for number in range(last + 1, through + 1):
        log.append(number, commit(number, size))
        log.sync()
    return log


def numbers_of(collection: StoredCollection) -> list[int]:
    """The numbers of the commits that recovery finds, all of which must hold what was put into them."""
    commits = [*collection.recover().commits]
    for each in commits:
        size = len(bytes(cast("bytes", each.payload["filling"])))
        assert each.payload == commit(each.number, size)
    return [each.number for each in commits]


def assert_same(found: Mapping[str, AnyArray], expected: Mapping[str, AnyArray]) -> None:
    """Equal names, dtypes, shapes and bytes."""
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert (name, found[name].dtype, found[name].shape) == (name, array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()
