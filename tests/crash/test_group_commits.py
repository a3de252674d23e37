"""Commits of several writers at a time share a sync: after a crash each that was acknowledged is there, in their one order."""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random

import pytest

from passageway_server.storage.data_folder import DataFolder
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.durability import Durability
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.sizes import scaled, seed_of
from tests.crash.stories import opened

NAME = "a"
WRITERS, COMMITS = 3, 6
STATES = scaled(300, least=10)

Written = dict[int, str]
"""Which commit of whom has which number."""


class Gathering:
    """Holds each sync up until every writer that still writes has appended one more commit, or waits for this one."""

    def __init__(self, directory: ForgettingDirectory, writers: int) -> None:
        self.shared = 0
        self._moved = threading.Condition()
        self._writing = writers
        self._waiting = 0
        directory.while_syncing = self._hold

    @contextmanager
    def committing(self) -> Generator[None]:
        """The block commits once."""
        with self._moved:
            self._waiting += 1
            self._moved.notify_all()
        yield
        with self._moved:
            self._waiting -= 1

    def left(self) -> None:
        """One writer is done."""
        with self._moved:
            self._writing -= 1
            self._moved.notify_all()

    def _hold(self, _: str) -> None:
        with self._moved:
            assert self._moved.wait_for(lambda: self._waiting >= self._writing, timeout=60)
            self.shared += self._waiting > 1


def batch(writer: int, commit: int) -> Batch:
    """Two rows and an edge, told from those of all others."""
    name = f"{writer}-{commit}"
    return Batch(
        put_nodes=(NodeRecord(name, content="x" * 100), NodeRecord(f"{name}-other")),
        put_edges=(EdgeRecord(f"{name}-edge", name, f"{name}-other"),),
    )


def number_of(token: str) -> int:
    return int(token[20:], 16)


def rows(version: Version) -> set[str]:
    """The ids of all rows and edges."""
    nodes, docs = version.nodes, version.docs
    return {
        *nodes.ids.take(nodes.kind.whole.nonzero()[0]),
        *docs.ids.take(docs.alive.whole.nonzero()[0]),
    }


def rows_of(written: Written, last: int) -> set[str]:
    """What the commits up to number *last* put."""
    names = [name for number, name in written.items() if number <= last]
    return {id_ for name in names for id_ in (name, f"{name}-other", f"{name}-edge")}


def write(
    directory: ForgettingDirectory, collection: Collection, acks: list[tuple[int, int]]
) -> Written:
    """Let the writers commit at the same time; *acks* are the operations of each acknowledgement, and its number."""
    written: Written = {}
    gathering = Gathering(directory, WRITERS)

    def commit_all(writer: int) -> None:
        try:
            for commit in range(COMMITS):
                with gathering.committing():
                    token = collection.apply(batch(writer, commit)).version
                acks.append((directory.operations, number_of(token)))
                written[number_of(token)] = f"{writer}-{commit}"
        finally:
            gathering.left()

    with ThreadPoolExecutor(WRITERS) as threads:
        for done in [threads.submit(commit_all, writer) for writer in range(WRITERS)]:
            done.result()
    assert gathering.shared > COMMITS // 2
    return written


@pytest.mark.parametrize("seed", range(3))
def test_what_was_acknowledged_together_survives_together(seed: int) -> None:
    draw, seen = Random(seed_of(seed)), 0
    directory = ForgettingDirectory()
    acks: list[tuple[int, int]] = []
    with opened(directory) as store:
        collection = store.create(CollectionSettings(NAME))
        begun = directory.operations
        written = write(directory, collection, acks)
        assert sorted(written) == list(range(2, 2 + WRITERS * COMMITS))
        assert rows(collection.current) == rows_of(written, max(written))
    while seen < STATES / 3:
        after = draw.randint(begun, directory.operations)
        acknowledged = max((number for at, number in acks if at <= after), default=1)
        crashed = directory.crashed(draw, after=after)
        with opened(crashed) as store:
            version = store.collection(NAME).current
            assert version.identity.number >= acknowledged
            assert rows(version) == rows_of(written, version.identity.number)
        seen += 1
    assert directory.misuses == []


@pytest.mark.parametrize("seed", range(3))
def test_a_crash_in_the_snapshot_of_a_stop_twice_over_loses_nothing(seed: int) -> None:
    draw = Random(seed_of(seed))
    directory = ForgettingDirectory()
    with opened(directory) as store:
        store.create(CollectionSettings(NAME))
        for commit in range(COMMITS):
            store.collection(NAME).apply(batch(seed, commit))
    expected = rows_of({commit: f"{seed}-{commit}" for commit in range(COMMITS)}, COMMITS)
    for _ in range(scaled(20, least=3)):
        ended = directory.whole()
        for _ in range(2):
            with opened(ended) as store:
                begun = ended.operations
                store.close()
            assert ended.misuses == []
            ended = ended.crashed(draw, after=draw.randint(begun, ended.operations))
        with opened(ended) as store:
            assert rows(store.collection(NAME).current) == expected


def test_one_bad_collection_stops_no_other() -> None:
    directory = ForgettingDirectory()
    store = Store(DataFolder(directory))
    for name in ("bad", "good"):
        store.create(CollectionSettings(name)).apply(batch(1, 1))
    store.close()
    manifests = [path for path in directory.files() if path.startswith("bad/snapshots/")]
    for path in manifests:
        directory = directory.altered(path, directory.files()[path][:-1])

    with opened(directory) as store:
        assert store.names() == ["good"]
        assert [*store.damaged] == ["bad"]
        store.collection("good").apply(batch(1, 2))
        assert rows(store.collection("good").current) == rows_of({1: "1-1", 2: "1-2"}, 2)


def test_commits_that_are_synced_at_intervals_are_lost_from_the_end_alone() -> None:
    draw, directory = Random(seed_of(5)), ForgettingDirectory()
    durability = Durability(fsync="interval")
    written: Written = {}
    with opened(directory, durability=durability) as store:
        for each in store._aside:
            each.stop()  # the test says when
        collection = store.create(CollectionSettings(NAME))
        for commit in range(COMMITS):
            written[number_of(collection.apply(batch(0, commit)).version)] = f"0-{commit}"
        begun = directory.operations
        store.sync()
        synced = directory.operations
        for commit in range(COMMITS, 2 * COMMITS):
            written[number_of(collection.apply(batch(0, commit)).version)] = f"0-{commit}"

    met: set[int] = set()
    for _ in range(scaled(60, least=20)):
        after = draw.choice((begun, synced, directory.operations))
        with opened(directory.crashed(draw, after=after), durability=durability) as store:
            version = store.collection(NAME).current
            assert rows(version) == rows_of(written, version.identity.number)
            if after >= synced:
                assert version.identity.number >= COMMITS + 1
            met.add(version.identity.number)
    assert min(met) < COMMITS + 1 < max(met)
