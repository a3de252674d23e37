"""Random programs over whole stores, and how what is served after a crash compares with what was served before it.

Each version that a program makes is looked at when it is made: its records, its settings, and what several callers read of it.
A version that is recovered must be one of these, by its token and by all that can be seen of it.
"""

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from random import Random
from typing import Final

import numpy as np

from passageway.v1 import store_pb2
from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.authz.membership import with_membership
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.directory import Directory
from passageway_server.values.collections import Acknowledgement, CollectionSettings
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, Guard
from passageway_server.version.durability import USUAL, Durability
from passageway_server.version.export import export
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.collections import from_create
from passageway_server.wire.records import from_message
from tests.crash.forgetting import ForgettingDirectory
from tests.properties.words import NOW_US, PRINCIPALS
from tests.properties.worlds import random_world

COLLECTIONS: Final[tuple[str, ...]] = ("a", "b")
KEEP = "kept"
CALLERS = (
    Caller.known("ada", principals=[PRINCIPALS[2]], roles=[]),
    Caller.known("bob", principals=PRINCIPALS[2:5], roles=[]),
    Caller.holding([]),
)


def look(version: Version) -> str:
    """All that can be seen of a version."""
    seen = [repr(version.settings)]
    seen += [repr(batch) for batch in export(version)]
    for caller in CALLERS:
        member = with_membership(version, caller)
        gate = gates(version, member, ReadOptions(), NOW_US).read
        rows = np.arange(len(version.nodes.kind))
        open_rows = rows[version.gates.open(gate, rows)]
        seen.append(repr(sorted(version.nodes.ids.take(open_rows))))
        holds = gate.holds[version.docs.readers] > 0
        seen.append(repr(version.docs.ids.take(np.flatnonzero(holds & version.docs.alive))))
    return "\n".join(seen)


@dataclass(frozen=True, slots=True)
class Keyed:
    """A commit that had a key, and what was answered."""

    batch: Batch
    guard: Guard
    answer: Acknowledgement


NONE_KEPT = frozenset({""})


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a collection may be after a crash: one of the versions *tokens*, from number *least* of them on, or nothing.

    ``keyed`` are commits whose keys are known; ``kept`` is the token of the named snapshot, "" for none, and may be in
    doubt.
    """

    tokens: tuple[str, ...] = ()
    least: int = 0
    absent: bool = True
    keyed: tuple[Keyed, ...] = ()
    kept: frozenset[str] = NONE_KEPT


NOTHING = Bounds()


@contextmanager
def opened(directory: Directory, *, durability: Durability = USUAL) -> Generator[Store]:
    """The store of a directory. What runs aside ends with the block; it is not closed, as one that is killed."""
    store = Store(DataFolder(directory), now=lambda: NOW_US, durability=durability)
    try:
        yield store
    finally:
        stop_threads(store)


def stop_threads(store: Store) -> None:
    """Let nothing more happen by itself."""
    for each in store._aside:
        each.stop()


def batches(draw: Random) -> tuple[CollectionSettings, Iterator[Batch]]:
    """Settings of a collection, and batches that are valid in it, for ever."""
    world = random_world(draw.randrange(2**32), draw.randint(4, 8), draw.randint(0, 8))
    findings = Findings()
    created = from_create(store_pb2.CreateCollectionRequest(collection=world.settings), findings)
    made = [from_message(batch, findings) for batch in (*world.batches, *world.writes)]
    findings.check()
    return created, cycle(made)


class Story:
    """One process at work on a folder, from its start until it is stopped."""

    def __init__(
        self, directory: ForgettingDirectory, draw: Random, bounds: Mapping[str, Bounds]
    ) -> None:
        """Go on with what *bounds* says exactly."""
        self.directory = directory
        self.looks: dict[str, str] = {}
        self.marks: list[tuple[int, Mapping[str, Bounds]]] = []
        self._draw = draw
        self._now = dict(bounds)
        self._batches: dict[str, Iterator[Batch]] = {}
        self._store = Store(DataFolder(directory), now=lambda: NOW_US)
        self._mark()
        for name in self._store.names():
            self._seen(name)

    def between(self, operations: int) -> Mapping[str, Bounds]:
        """What a crash after so many operations may leave, by collection."""
        place = bisect_right(self.marks, operations, key=lambda mark: mark[0])
        return self.marks[max(place - 1, 0)][1]

    def do(self, acts: int) -> None:
        """Do so many acts."""
        for _ in range(acts):
            name = self._draw.choice(COLLECTIONS)
            if name not in self._store.names():
                self._create(name)
            else:
                odds = self._odds()
                self._draw.choices(list(odds), list(odds.values()))[0](name)

    def close(self) -> None:
        """End as a server does that is asked to."""
        self._store.close()

    def _odds(self) -> Mapping[Callable[[str], None], int]:
        return {
            self._apply: 12,
            self._apply_once: 4,
            self._update: 3,
            self._checkpoint: 4,
            self._keep: 2,
            self._take_back: 3,
            self._copy: 1,
            self._delete: 1,
            self._reopen: 2,
        }

    def _mark(self) -> None:
        self.marks.append((self.directory.operations, dict(self._now)))

    def _become(self, name: str, now: Bounds) -> None:
        self._now[name] = now
        self._mark()

    def _seen(self, name: str) -> str:
        version = self._store.collection(name).current
        self.looks[version.token] = look(version)
        return version.token

    def _in_doubt(self, name: str, act: Callable[[], object]) -> None:
        """Do what makes the next version: begun before, and acknowledged when it returns."""
        before, place = self._now[name], len(self.marks)
        self._mark()
        act()
        token = self._seen(name)
        now = replace(before, tokens=(*before.tokens, token))
        self._backdate(name, place, now)
        self._become(name, replace(now, least=len(now.tokens) - 1))

    def _backdate(self, name: str, place: int, now: Bounds) -> None:
        """Let the marks from *place* on say what may come of the act: its token is known only afterwards."""
        for at in range(place, len(self.marks)):
            operations, known = self.marks[at]
            self.marks[at] = operations, {**known, name: now}

    def _create(self, name: str) -> None:
        settings, made = batches(self._draw)
        self._batches[name] = made
        self._make(name, lambda: self._store.create(replace(settings, name=name)))

    def _make(self, name: str, act: Callable[[], object]) -> None:
        place = len(self.marks)
        self._mark()
        act()
        made = Bounds((self._seen(name),))
        self._backdate(name, place, made)
        self._become(name, replace(made, absent=False))

    def _batch(self, name: str) -> Batch:
        if name not in self._batches:
            return Batch(delete_nodes=("n0",))
        return next(self._batches[name])

    def _apply(self, name: str) -> None:
        self._in_doubt(name, lambda: self._store.collection(name).apply(self._batch(name)))

    def _apply_once(self, name: str) -> None:
        batch = self._batch(name)
        guard = Guard(idempotency_key=str(self._draw.randrange(2**32)))
        answers: list[Acknowledgement] = []
        self._in_doubt(
            name, lambda: answers.append(self._store.collection(name).apply(batch, guard))
        )
        now = self._now[name]
        self._become(name, replace(now, keyed=(*now.keyed, Keyed(batch, guard, answers[0]))))

    def _update(self, name: str) -> None:
        readers = tuple(self._draw.sample(PRINCIPALS, self._draw.randint(0, 2)))
        words = str(self._draw.randrange(100))

        def change(settings: CollectionSettings) -> CollectionSettings:
            return replace(settings, default_readers=readers, description=words)

        self._in_doubt(name, lambda: self._store.collection(name).update(change))

    def _checkpoint(self, name: str) -> None:
        self._store.create_snapshot(name, "")

    def _keep(self, name: str) -> None:
        now = self._now[name]
        if now.kept != NONE_KEPT:
            self._become(name, replace(now, kept=now.kept | NONE_KEPT))
            self._store.delete_snapshot(name, KEEP)
            self._become(name, replace(now, kept=NONE_KEPT))
        else:
            token = self._store.collection(name).current.token
            self._become(name, replace(now, kept=frozenset({token}) | NONE_KEPT))
            self._store.create_snapshot(name, KEEP)
            self._become(name, replace(now, kept=frozenset({token})))

    def _take_back(self, name: str) -> None:
        if self._now[name].kept != NONE_KEPT:
            self._in_doubt(name, lambda: self._store.restore(name, KEEP))

    def _copy(self, name: str) -> None:
        (other,) = set(COLLECTIONS) - {name}
        if self._now[name].kept != NONE_KEPT and other not in self._store.names():
            self._batches.pop(other, None)
            self._make(other, lambda: self._store.restore(name, KEEP, into=other))

    def _delete(self, name: str) -> None:
        self._become(name, replace(self._now[name], absent=True))
        self._store.delete(name)
        self._become(name, NOTHING)

    def _reopen(self, _: str) -> None:
        self._store.close()
        self._store = Store(DataFolder(self.directory), now=lambda: NOW_US)
