"""A collection as it stands on the disk: the newest snapshot, and every commit of the log after it.

What cannot be recovered raises an error of that collection alone.
"""

import gc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.manifest import MANIFEST
from passageway_server.storage.recovery import Recovered
from passageway_server.storage.snapshot import OpenSnapshot
from passageway_server.version import persist
from passageway_server.version.collection import Collection
from passageway_server.version.derivatives import within
from passageway_server.version.keys import Keys
from passageway_server.version.lines import Lines
from passageway_server.version.readable import clock
from passageway_server.version.version import Version

KEYS = "keys"
"""What the arrays of idempotency keys are under in a snapshot."""

LINES = "lines"
"""What those are under that say which lines led to it."""

_Part = TypeVar("_Part")


def opened_version(name: str, snapshot: OpenSnapshot) -> Version:
    """The version in a *snapshot* of the collection *name*. Raises SnapshotDamaged where its parts do not fit together."""
    return _fitting(name, lambda: persist.from_arrays(snapshot.arrays, snapshot.meta))


def opened_lines(name: str, snapshot: OpenSnapshot, version: Version) -> Lines:
    """The lines that led to *version*, which is that of *snapshot*. Raises SnapshotDamaged."""
    arrays, here = within(snapshot.arrays, LINES), version.identity
    return _fitting(name, lambda: Lines.from_arrays(arrays, here.line, here.number))


def opened(name: str, snapshot: OpenSnapshot, *, now: Callable[[], int] = clock) -> Collection:
    """The collection *name* as a *snapshot* has it, with keys and lines. Raises SnapshotDamaged."""
    version = opened_version(name, snapshot)
    keys = _fitting(name, lambda: Keys.from_arrays(within(snapshot.arrays, KEYS)))
    return Collection(version, keys=keys, lines=opened_lines(name, snapshot, version), now=now)


def recovered(stored: StoredCollection, *, now: Callable[[], int]) -> tuple[Collection, Recovered]:
    """The collection that is *stored*, ready to be read, and what it was recovered from.

    Raises SnapshotDamaged, LogDamaged, FormatTooNew, ReadFailed.
    """
    found = stored.recover()
    collection = opened(stored.name, found.snapshot, now=now)
    with _uncollected():
        for logged in found.commits:
            collection.replay(logged, prepare=False)
    collection.prepare()
    return collection, found


@contextmanager
def _uncollected() -> Generator[None]:
    """Look for no cycles meanwhile: a million records are made and let go, and to go through them again took half as long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def own(
    stored: StoredCollection,
    collection: Collection,
    *,
    found: Recovered | None = None,
    sync_each: bool,
) -> None:
    """Let *collection* keep its commits in the log that is *stored*; *found* is what it was recovered from.

    Where the disk refuses, it can be read, and takes no commits: until there is room, or else until a restart.
    """
    number = collection.current.identity.number
    collection.keep_once_open(lambda: stored.open_log(number, recovered=found), sync_each=sync_each)


def _fitting(name: str, make: Callable[[], _Part]) -> _Part:
    try:
        return make()
    except Exception as cause:  # whatever foreign bytes lead to, it is this collection's alone
        what = f"its arrays and settings do not fit together ({cause!r})"
        raise SnapshotDamaged(f"{name}/{MANIFEST}", what) from cause
