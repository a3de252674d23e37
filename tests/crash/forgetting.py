"""A directory in memory that records what is done to it, and forgets in a crash what was not synced.

After any of its operations, past ones too, `crashed` builds what the machine may find when it is up again. It also holds
its user to the protocol: an AssertionError says which promise was broken, and stays in ``misuses`` where that was caught.
"""

import errno
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import NoReturn

import numpy as np

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.directory import Entry, Mapped
from tests.crash.states import (
    EMPTY,
    ROOT,
    Change,
    FileState,
    FolderState,
    State,
    survivor,
)

_MOST_REMAINS = 20
"""Files of which something is remembered."""


def _nothing(path: str) -> None:
    """What happens while a log is synced, unless a test says otherwise."""


class ForgettingDirectory:
    """A Directory of the protocol; ``history[n]`` is the state after its first n operations.

    ``while_syncing`` is called with the path of a log between the moment that fixes what a sync is about and its end:
    what is appended by then is not part of it.
    """

    def __init__(self, state: State = EMPTY, *, remains: Sequence[bytes] = ()) -> None:
        """Begin with *state*; *remains* is what may stand in blocks that are not in use."""
        self.history: list[State] = [state]
        self._remains = remains
        self.misuses: list[str] = []
        self.while_syncing: Callable[[str], None] = _nothing
        self._lock = threading.RLock()
        self._next = max(state) + 1
        self._logs: set[int] = set()
        self._mapped: set[int] = set()
        self._appending: set[int] = set()

    @property
    def operations(self) -> int:
        """How many operations there were. One that takes time, as `write`, is several."""
        return len(self.history) - 1

    def crashed(self, draw: Random, *, after: int | None = None) -> "ForgettingDirectory":
        """What may be found after a crash that came when *after* operations were done, all of them if not given."""
        state = self.history[-1 if after is None else after]
        logs = [there for there in state.values() if isinstance(there, FileState) and there.since]
        remains = [*self._remains, *(log.content for log in logs)][-_MOST_REMAINS:]
        return ForgettingDirectory(survivor(state, draw, self._remains), remains=remains)

    def whole(self, *, after: int | None = None) -> "ForgettingDirectory":
        """What is found after the process alone ended: everything that was done."""
        state = self.history[-1 if after is None else after]
        return ForgettingDirectory(state, remains=self._remains)

    def altered(self, path: str, content: bytes) -> "ForgettingDirectory":
        """The same files with other bytes in one of them, as a disk may have it that is not sound."""
        return ForgettingDirectory({**self.history[-1], self._file(path)[0]: FileState(content)})

    def files(self, folder: str = "") -> dict[str, bytes]:
        """The content of every file in a folder, and in those inside it, by path."""
        found: dict[str, bytes] = {}
        for entry in self.entries(folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_folder:
                found |= self.files(path)
            else:
                found[path] = self._file(path)[1].content
        return found

    def misused(self, promise: str) -> NoReturn:
        """Say that *promise* was broken."""
        self.misuses.append(promise)
        raise AssertionError(promise)

    # What it is made of. Each change is one more state.

    def _number(self, path: str) -> int:
        number = ROOT
        for name in path.split("/") if path else ():
            there = self.history[-1][number]
            if isinstance(there, FileState):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
            found = there.names.get(name)
            if found is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            number = found
        return number

    def _folder(self, path: str) -> tuple[int, FolderState]:
        number = self._number(path)
        there = self.history[-1][number]
        if isinstance(there, FileState):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return number, there

    def _file(self, path: str) -> tuple[int, FileState]:
        number = self._number(path)
        there = self.history[-1][number]
        if isinstance(there, FolderState):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        return number, there

    def _become(self, changed: State) -> None:
        self.history.append({**self.history[-1], **changed})

    def _renamed(self, folder: int, names: Mapping[str, int | None]) -> State:
        """The folder after a change of its names, which is one act with what else this operation changes."""
        there = self.history[-1][folder]
        assert isinstance(there, FolderState)
        return {folder: there.changed(Change(len(self.history), names))}

    def _add(self, path: str, new: FileState | FolderState) -> int:
        folder, _, name = path.rpartition("/")
        number, inside = self._folder(folder)
        if name in inside.names:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        made, self._next = self._next, self._next + 1
        self._become({made: new, **self._renamed(number, {name: made})})
        return made

    # Files.

    def write(self, path: str, parts: Iterable[bytes | memoryview]) -> None:
        content = b"".join(bytes(part) for part in parts)
        with self._lock:
            folder, _, name = path.rpartition("/")
            if name in self._folder(folder)[1].names:
                self.misused(f"{path} is written over")
            made = self._add(path, FileState())
            self._become({made: FileState(since=(content,))})
            self._become({made: FileState(content)})

    def append_to(self, path: str) -> "ForgettingLog":
        with self._lock:
            number = self._file(path)[0]
            if number in self._appending:
                self.misused(f"{path} is opened by two who append")
            if number in self._mapped:
                self.misused(f"{path} is mapped and appended to")
            self._logs.add(number)
            self._appending.add(number)
        return ForgettingLog(self, number, path)

    def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
        with self._lock:
            return self._file(path)[1].content[offset : offset + limit]

    def size(self, path: str) -> int:
        with self._lock:
            return len(self._file(path)[1].content)

    def map_file(self, path: str, *, length: int) -> Mapped:
        with self._lock:
            number, file = self._file(path)
            if number in self._logs:
                self.misused(f"{path} is a log and is mapped")
            self._mapped.add(number)
        if len(file.content) != length:
            raise SnapshotDamaged(path, f"{len(file.content)} bytes, the manifest says {length}")
        return np.frombuffer(file.content, np.uint8)

    # Folders.

    def entries(self, folder: str) -> list[Entry]:
        with self._lock:
            state, names = self.history[-1], self._folder(folder)[1].names
        return sorted(
            Entry(name, isinstance(state[there], FolderState)) for name, there in names.items()
        )

    def make_folder(self, folder: str) -> None:
        with self._lock:
            self._add(folder, FolderState())

    def rename(self, old: str, new: str) -> None:
        with self._lock:
            (source, _, was), (target, _, name) = old.rpartition("/"), new.rpartition("/")
            moved, from_, to = self._number(old), self._folder(source)[0], self._folder(target)[0]
            there = self.history[-1].get(self._folder(target)[1].names.get(name, -1))
            if isinstance(there, FolderState) and there.names:
                raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), new)
            if from_ == to:
                self._become(self._renamed(to, {was: None, name: moved}))
            else:
                left = self._renamed(from_, {was: None})
                self._become({**left, **self._renamed(to, {name: moved})})

    def link(self, old: str, new: str) -> None:
        with self._lock:
            number, _ = self._file(old)
            folder, _, name = new.rpartition("/")
            into, inside = self._folder(folder)
            if name in inside.names:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
            self._become(self._renamed(into, {name: number}))

    def remove(self, path: str) -> None:
        with self._lock:
            self._file(path)
            self._take_away(path)

    def remove_folder(self, folder: str) -> None:
        with self._lock:
            if self._folder(folder)[1].names:
                raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), folder)
            self._take_away(folder)

    def _take_away(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self._become(self._renamed(self._folder(folder)[0], {name: None}))

    def sync(self, folder: str) -> None:
        with self._lock:
            number, there = self._folder(folder)
            self._become({number: there.synced()})


class ForgettingLog:
    """A LogFile of a `ForgettingDirectory`."""

    def __init__(self, directory: ForgettingDirectory, number: int, path: str) -> None:
        self._directory = directory
        self._number = number
        self._path = path
        self._open = True

    def _state(self) -> FileState:
        if not self._open:
            self._directory.misused(f"{self._path} is used after it was closed")
        there = self._directory.history[-1][self._number]
        assert isinstance(there, FileState)
        return there

    def append(self, parts: Iterable[bytes | memoryview]) -> None:
        content = b"".join(bytes(part) for part in parts)
        with self._directory._lock:
            there = self._state()
            self._directory._become({self._number: FileState(there.kept, (*there.since, content))})

    def sync(self) -> None:
        with self._directory._lock:
            about = len(self._state().since)
        self._directory.while_syncing(self._path)
        with self._directory._lock:
            self._directory._become({self._number: self._state().synced(about)})

    def cut(self, length: int) -> None:
        with self._directory._lock:
            there = self._state()
            if length > len(there.content):
                self._directory.misused(f"{self._path} is made longer by a cut")
            self._directory._become({self._number: FileState(there.kept, (*there.since, length))})

    def close(self) -> None:
        with self._directory._lock:
            self._open = False
            self._directory._appending.discard(self._number)
