"""Older versions show, after whatever commits, what the rule says."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from passageway_server.columns.readers import parts
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.latest import Gone
from passageway_server.version.narrowing import Narrowing
from passageway_server.version.touched import touched_since
from passageway_server.version.version import Version
from tests.unit.version.logs import random_batch
from tests.unit.version.making import collection, records
from tests.unit.version.opening import EVE, PUBLIC, open_edges, open_rows, restored


def redefault(kept: Collection, readers: tuple[str, ...]) -> None:
    """Give *kept* other default readers."""
    kept.update(lambda settings: replace(settings, default_readers=readers))


class Slow:
    """All versions as records, and who may read what of them: slowly, by the words of the rule."""

    def __init__(self, kept: Collection) -> None:
        self.kept = kept
        self.history: list[tuple[str, Batch, CollectionSettings]] = []

    def note(self) -> None:
        version = self.kept.current
        self.history.append((version.token, records(version), version.settings))

    def rows(self, place: int, held: frozenset[str]) -> list[str]:
        batch = self.history[place][1]
        there = self._readable(place, held)
        shown = {id for id in there if id in self._readable(self._last(id, place), held)}
        spans = {span.id: span.parent_id for span in batch.put_passages}
        return sorted(id for id in shown if id not in spans or spans[id] in shown)

    def edges(self, place: int, held: frozenset[str]) -> list[str]:
        rows = self.rows(place, held)
        found: list[str] = []
        for edge in self.history[place][1].put_edges:
            last = max(
                later
                for later in range(place, len(self.history))
                if any(each.id == edge.id for each in self.history[later][1].put_edges)
            )
            (newest,) = (e for e in self.history[last][1].put_edges if e.id == edge.id)
            ends = edge.source in rows and edge.target in rows and edge.source != edge.target
            if ends and all(_holds(held, each.readers) for each in (edge, newest) if each.readers):
                found.append(edge.id)
        return sorted(found)

    def _last(self, id: str, place: int) -> int:
        later = range(place, len(self.history))
        return max(each for each in later if id in _ids(self.history[each][1]))

    def _readable(self, place: int, held: frozenset[str]) -> set[str]:
        _, batch, settings = self.history[place]
        nodes = {
            node.id
            for node in batch.put_nodes
            if _holds(held, node.readers or settings.default_readers)
        }
        return nodes | {
            span.id
            for span in batch.put_passages
            if span.parent_id in nodes and (not span.readers or _holds(held, span.readers))
        }


def _ids(batch: Batch) -> set[str]:
    return {node.id for node in batch.put_nodes} | {span.id for span in batch.put_passages}


def _holds(held: frozenset[str], readers: tuple[str, ...]) -> bool:
    return any(held.issuperset(parts(reader)) for reader in readers)


def _callers() -> Iterator[frozenset[str]]:
    yield frozenset({"public"})
    yield frozenset({"public", "user:eve"})
    yield frozenset({"public", "group:a", "group:b"})
    yield frozenset({"user:é"})
    yield frozenset({"user:b", "user:eve"})


def assert_as_by_a_look_at_all(kept: Collection) -> int:
    """What today's readers take away is what a look at every row takes away; for how many versions it was done without."""
    versions = [each.version for each in kept.retained.kept.values()]
    without = 0
    for start in range(len(versions)):
        chain = versions[start:]
        gone = [Gone.between(before, after) for before, after in pairwise(chain)]
        assert Narrowing.of(chain, gone.copy).same(Narrowing.of_all(chain, gone))
        without += touched_since(chain) is not None
    return without


@pytest.mark.parametrize("seed", range(60))
def test_what_few_commits_touched_is_all_that_is_looked_at(seed: int) -> None:
    rng, kept = Random(seed), collection()
    many = tuple(NodeRecord(f"m{i}", readers=rng.choice(((), PUBLIC, EVE))) for i in range(200))
    edges = tuple(EdgeRecord(f"d{i}", "m0", "m1") for i in range(200))
    kept.apply(Batch(put_nodes=many, put_edges=edges))

    for _ in range(10):
        kept.apply(random_batch(rng))
        if rng.random() < 0.2:
            kept.update(lambda settings: replace(settings, description=settings.description + "x"))
        if rng.random() < 0.2:
            kept.merge()
        assert assert_as_by_a_look_at_all(kept) >= 1

    assert assert_as_by_a_look_at_all(kept) >= 6


@pytest.mark.parametrize("seed", range(60))
def test_older_versions_show_what_the_rule_says_whatever_was_committed_since(seed: int) -> None:
    rng, kept = Random(seed), collection()
    slow = Slow(kept)
    slow.note()
    named: Mapping[str, Version] = {"first": kept.current}

    for i in range(7):
        kept.apply(random_batch(rng))
        slow.note()
        if rng.random() < 0.2:
            redefault(kept, rng.choice((PUBLIC, ("user:b",))))
            slow.note()
        if i == 2:
            named = {**named, "second": kept.current}
        if rng.random() < 0.15:
            restored(kept, rng.choice(list(named.values())))
            slow.note()
        assert_as_by_a_look_at_all(kept)
        for place, (token, *_) in enumerate(slow.history):
            if place < len(slow.history) - 8:
                continue
            view = kept.at(token)
            for held in _callers():
                assert open_rows(view, *held) == slow.rows(place, held)
                assert open_edges(view, *held) == slow.edges(place, held)
