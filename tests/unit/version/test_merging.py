"""Merges beside commits: what comes meanwhile is made again, and the result takes the place of the newest version."""

import threading
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest

from passageway_server.errors import ReadOnly
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version import merging
from passageway_server.version.collection import Collection
from passageway_server.version.measures import Measured
from passageway_server.version.merge import merged
from passageway_server.version.version import Version
from tests.unit.version.inside import anew, held, inside
from tests.unit.version.logs import MemoryLog, random_batch
from tests.unit.version.making import PUBLIC, collection, records


class Held:
    """Merges that have made their version whole, and go on when they are told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.going = threading.Event(), threading.Event()

        def waiting(version: Version) -> Version:
            whole = merged(version)
            self.reached.set()
            self.going.wait()
            return whole

        monkeypatch.setattr(merging, "merged", waiting)

    def beside(self, kept: Collection) -> threading.Thread:
        """A merge of *kept* that has come as far as that."""

        def merge() -> None:
            with suppress(ReadOnly):
                kept.merge()

        thread = threading.Thread(target=merge)
        thread.start()
        self.reached.wait()
        return thread

    def end(self, thread: threading.Thread) -> None:
        """Let it go on to its end."""
        self.going.set()
        thread.join()


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


@pytest.mark.parametrize("seed", range(30))
def test_what_was_committed_beside_a_merge_is_in_it_and_versions_stay_as_they_were(
    hold: Held, seed: int
) -> None:
    rng, kept = Random(seed), collection()
    versions: list[tuple[Version, dict[str, Any]]] = []

    def commit() -> None:
        kept.apply(random_batch(rng), prepare=rng.random() < 0.8)
        versions.append((kept.current, held(kept.current)))

    for _ in range(10):
        commit()
    thread = hold.beside(kept)
    for _ in range(rng.randint(0, 5)):
        commit()
    kept.update(lambda _: PUBLIC)
    some = kept.current.rank.argsort()[:3].astype(np.int32)
    kept.measure(Measured("measured", some, np.arange(len(some)) / 3))
    before = kept.current
    hold.end(thread)
    whole = kept.current
    for _ in range(5):
        commit()

    assert whole is not before
    assert whole.identity == before.identity
    assert records(whole) == records(before)
    for version, found in versions:
        assert held(version) == found
        assert inside(version) == anew(version)


def test_a_merge_makes_whole_what_stands_beside(hold: Held) -> None:
    rng, kept = Random(1), collection()
    for _ in range(10):
        kept.apply(random_batch(rng))

    hold.end(hold.beside(kept))

    assert kept.current.delta_size == 0
    assert kept.at(kept.current.token) is kept.current


def test_a_merge_leaves_alone_what_took_the_place_of_its_commits(hold: Held) -> None:
    kept, other = collection(), collection()
    for each in (kept, other):
        each.apply(Batch(put_nodes=(NodeRecord("a"), NodeRecord("b"))))
    kept.apply(Batch(delete_nodes=("b",)))
    thread = hold.beside(kept)

    kept.restore(other.current, lambda _: None)
    restored = kept.current
    hold.end(thread)

    assert kept.current is restored
    kept.apply(Batch(put_nodes=(NodeRecord("c"),)))
    assert inside(kept.current) == anew(kept.current)


def test_a_commit_that_a_failed_sync_dropped_comes_back_by_no_merge(hold: Held) -> None:
    kept, log = collection(), MemoryLog()
    kept.keep_in(log, sync_each=True)
    kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    thread = hold.beside(kept)
    seen = kept.current

    log.broken = True
    with pytest.raises(ReadOnly):
        kept.apply(Batch(put_nodes=(NodeRecord("b"),)))
    hold.end(thread)

    assert kept.current is seen


def test_much_beside_the_whole_arrays_begins_a_merge_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("passageway_server.version.writer._MERGE_FROM", 20)
    rng, kept = Random(3), collection()

    for _ in range(40):
        kept.apply(random_batch(rng))
    whole = kept.merge()

    assert kept.current is whole
    assert inside(whole) == anew(whole)
