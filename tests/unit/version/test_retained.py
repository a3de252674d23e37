"""Older versions: which are kept, and what of them may be read today."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from passageway_server.columns.readers import parts
from passageway_server.columns.stored import are_docs
from passageway_server.errors import VersionGone
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version import persist
from passageway_server.version.collection import Collection
from passageway_server.version.latest import Gone
from passageway_server.version.narrowing import Narrowing
from passageway_server.version.touched import touched_since
from passageway_server.version.version import Version
from tests.unit.version.logs import random_batch
from tests.unit.version.making import collection, node, records

PUBLIC, EVE = ("public",), ("user:eve",)


def open_rows(version: Version, *principals: str, admin: bool = False) -> list[str]:
    """The ids of the rows that the holder of *principals* may read."""
    held = version.readers.held(frozenset(principals), admin=admin)
    opened = np.flatnonzero(held[version.gates.readers[version.gates.of]])
    return sorted(version.nodes.ids.take(opened))


def open_edges(version: Version, *principals: str) -> list[str]:
    """The ids of the edge documents that the holder may read, as a walk in either direction meets them."""
    held = version.readers.held(frozenset(principals), admin=False)
    gates = version.gates
    rows = held[gates.readers[gates.of]]
    found: list[list[str]] = []
    for way in (version.out.merged(), version.into.merged()):
        sources = np.repeat(np.arange(len(rows)), np.diff(way.offsets))
        shown = rows[sources] & rows[way.others] & held[version.edge_classes.gates[way.classes]]
        keys = way.stored[shown == 1]
        found.append(sorted(version.docs.ids.take(keys[are_docs(keys)])))
    assert found[0] == found[1]
    return found[0]


def put(*readers: str, id: str = "a") -> Batch:
    return Batch(put_nodes=(NodeRecord(id, readers=readers),))


def test_the_last_eight_versions_are_kept_and_are_as_they_were() -> None:
    kept = collection()
    tokens = [kept.current.token] + [kept.apply(put(id=f"n{i}")).version for i in range(9)]

    for token in tokens[:2]:
        with pytest.raises(VersionGone) as gone:
            kept.at(token)
        assert gone.value.oldest == tokens[2]
    for number, token in enumerate(tokens[2:], start=2):
        assert kept.at(token).token == token
        assert open_rows(kept.at(token), "public") == [f"n{i}" for i in range(number)]


def test_as_many_versions_are_kept_as_the_newest_one_says() -> None:
    kept = collection()
    first = kept.current.token
    kept.update(lambda settings: replace(settings, retain_versions=2))
    second = kept.current.token
    assert kept.at(first)

    kept.apply(put(id="b"))
    with pytest.raises(VersionGone):
        kept.at(first)
    kept.update(lambda settings: replace(settings, retain_versions=1))

    with pytest.raises(VersionGone):
        kept.at(second)
    assert kept.at(kept.current.token) is kept.current


def test_a_version_that_nothing_was_taken_from_is_the_very_one() -> None:
    kept = collection()
    kept.apply(put(id="a"))
    before = kept.current

    kept.apply(put(id="b"))

    assert kept.at(before.token) is before


def test_a_revoked_row_is_gone_from_older_versions_at_once() -> None:
    kept = collection()
    open_to_all = kept.apply(put("public", id="a")).version
    assert open_rows(kept.at(open_to_all), "public") == ["a"]

    kept.apply(put("user:eve"))

    assert open_rows(kept.at(open_to_all), "public") == []
    assert open_rows(kept.at(open_to_all), "user:eve") == []  # who was not among its readers then
    assert open_rows(kept.at(open_to_all), "public", "user:eve") == ["a"]
    assert open_rows(kept.at(open_to_all), admin=True) == ["a"]


def test_a_row_that_was_opened_since_is_not_open_in_older_versions() -> None:
    kept = collection()
    closed = kept.apply(put("user:eve")).version

    kept.apply(put("public"))

    assert open_rows(kept.at(closed), "public") == []
    assert open_rows(kept.at(closed), "user:eve") == []
    assert open_rows(kept.at(closed), "public", "user:eve") == ["a"]


def test_a_row_that_is_opened_again_is_open_again_in_older_versions() -> None:
    kept = collection()
    first = kept.apply(put("public")).version
    kept.apply(put("user:eve"))
    assert open_rows(kept.at(first), "public") == []

    kept.apply(put("public"))

    assert open_rows(kept.at(first), "public") == ["a"]


def test_a_span_is_revoked_with_its_parent_and_by_its_own_readers() -> None:
    kept = collection()
    spans = (PassageRecord("s", "a", 0), PassageRecord("t", "a", 1))
    first = kept.apply(replace(put("public"), put_passages=spans)).version

    kept.apply(Batch(put_passages=(PassageRecord("s", "a", 0, readers=EVE),)))
    assert open_rows(kept.at(first), "public") == ["a", "t"]
    kept.apply(put("user:ada"))

    assert open_rows(kept.at(first), "public") == []
    assert open_rows(kept.at(first), "public", "user:ada") == ["a", "t"]
    assert open_rows(kept.at(first), "public", "user:ada", "user:eve") == ["a", "s", "t"]


@pytest.mark.parametrize("moved", [True, False])
def test_a_span_that_left_its_parent_goes_with_it_all_the_same(moved: bool) -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(node("b"),)))
    first = kept.apply(replace(put("public"), put_passages=(PassageRecord("s", "a"),))).version
    if moved:
        kept.apply(Batch(put_passages=(PassageRecord("s", "b"),)))
    else:
        kept.apply(Batch(recut_parents=("a",)))
    assert open_rows(kept.at(first), "public") == ["a", "b", "s"]

    kept.apply(put("user:eve"))

    assert open_rows(kept.at(first), "public") == ["b"]


def test_a_deleted_row_is_for_those_whom_it_was_for_last() -> None:
    kept = collection()
    first = kept.apply(put("public")).version
    second = kept.apply(Batch(put_nodes=(node("b"),), delete_nodes=("a",))).version
    assert open_rows(kept.at(first), "public") == ["a"]

    kept.apply(put("user:eve"))
    assert open_rows(kept.at(first), "public") == []
    kept.apply(Batch(delete_nodes=("a",)))

    assert open_rows(kept.at(first), "public") == []
    assert open_rows(kept.at(first), "public", "user:eve") == ["a"]
    assert open_rows(kept.at(second), "public") == ["b"]


def test_what_is_put_again_after_it_was_deleted_is_judged_by_its_newest_readers() -> None:
    kept = collection()
    first = kept.apply(put("user:eve")).version
    kept.apply(Batch(delete_nodes=("a",)))

    kept.apply(put("public"))
    assert open_rows(kept.at(first), "public") == []
    assert open_rows(kept.at(first), "public", "user:eve") == ["a"]
    kept.apply(put("user:ada"))

    assert open_rows(kept.at(first), "public", "user:eve") == []


def test_a_span_that_dangles_now_is_nobodys_in_older_versions() -> None:
    kept = collection()
    first = kept.apply(replace(put("public"), put_passages=(PassageRecord("s", "a"),))).version
    kept.apply(Batch(delete_nodes=("a",)))

    kept.apply(Batch(put_passages=(PassageRecord("s", "a"),)))

    assert open_rows(kept.at(first), "public") == ["a"]
    assert open_rows(kept.at(first), admin=True) == ["a"]


def test_other_default_readers_hold_for_older_versions_too() -> None:
    kept = collection()
    first = kept.apply(Batch(put_nodes=(node("a"), NodeRecord("own", readers=PUBLIC)))).version

    kept.update(lambda settings: replace(settings, default_readers=EVE))

    assert open_rows(kept.at(first), "public") == ["own"]
    assert open_rows(kept.at(first), "public", "user:eve") == ["a", "own"]


def test_an_edge_is_revoked_by_its_own_readers_alone() -> None:
    kept = collection()
    ends = (node("a"), node("b"))
    edges = tuple(EdgeRecord(id, "a", "b") for id in ("e", "f", "g"))
    first = kept.apply(Batch(put_nodes=ends, put_edges=edges)).version

    kept.apply(Batch(put_edges=(EdgeRecord("e", "a", "b", readers=EVE),), delete_edges=("f",)))
    kept.apply(Batch(put_edges=(EdgeRecord("g", "a", "b", readers=EVE),)))
    kept.apply(Batch(delete_edges=("g",)))

    assert open_edges(kept.at(first), "public") == ["f"]
    assert open_edges(kept.at(first), "public", "user:eve") == ["e", "f", "g"]
    assert open_rows(kept.at(first), "public") == ["a", "b"]
    kept.apply(put("user:eve"))
    assert open_edges(kept.at(first), "public") == []


def test_what_a_version_holds_and_weighs_is_of_its_time() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(NodeRecord("a", content="old", readers=PUBLIC), node("b"))))
    first = kept.current
    kept.apply(Batch(put_nodes=(NodeRecord("a", content="new", readers=EVE),)))

    view = kept.at(first.token)

    assert records(view) == records(first)
    assert view is not first
    assert view.out is first.out


def test_the_readers_of_fields_are_those_of_today() -> None:
    def declared(**readers: tuple[str, ...]) -> CollectionSettings:
        fields = (FieldDeclaration(n, Kind.INT, readers=r) for n, r in readers.items())
        return CollectionSettings("c", default_readers=PUBLIC, fields=tuple(fields))

    kept = collection(declared(pay=PUBLIC, age=EVE, gone=EVE))
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"pay": 1, "age": 2, "bonus": 3}),)))
    first = kept.current.token
    kept.apply(Batch(put_nodes=(node("a"),)))

    kept.update(lambda _: declared(pay=EVE, age=(), bonus=EVE))

    view = kept.at(first)
    assert dict(view.field_readers) == {"pay": EVE, "bonus": EVE, "gone": EVE}
    assert [field.name for field in view.settings.fields] == ["pay", "age", "gone"]
    assert dict(kept.current.field_readers) == {"pay": EVE, "bonus": EVE}


def test_what_was_worked_out_is_kept_until_readers_change() -> None:
    kept = collection()
    first = kept.apply(Batch(put_nodes=(NodeRecord("a", readers=PUBLIC), node("b")))).version
    kept.apply(put("user:eve"))
    view = kept.at(first)
    assert kept.at(first) is view

    kept.apply(put(id="b"))
    kept.apply(Batch(delete_nodes=("b",)))
    assert kept.at(first) is view
    kept.apply(put("user:eve", id="b"))

    assert kept.at(first) is not view


def test_a_superseded_version_forgets_what_its_readers_made_it_remember() -> None:
    kept = collection()
    kept.apply(put("public"))
    before = kept.current
    before.remember(test_a_superseded_version_forgets_what_its_readers_made_it_remember, dict)

    kept.apply(put(id="b"))

    assert all(isinstance(key, str) for key in before.known)
    assert "gating" in before.known


def restored(kept: Collection, version: Version) -> None:
    """Take *kept* back to *version*, as it comes out of its files: with other rows for the same ids."""
    arrays, meta = persist.to_arrays(version)
    kept.restore(persist.from_arrays(arrays, meta), lambda _: None)


def test_a_restore_is_a_version_by_which_older_ones_are_judged() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(node("x"), NodeRecord("a", readers=EVE))))
    snapshot = kept.current
    open_to_all = kept.apply(put("public", "user:eve")).version
    kept.apply(put("user:eve", "user:ada", id="late"))
    kept.apply(Batch(delete_nodes=("x",), put_edges=(EdgeRecord("e", "a", "late"),)))
    newest = kept.current

    restored(kept, snapshot)

    assert records(kept.current) == records(snapshot)
    assert kept.current.identity.number == newest.identity.number + 1
    assert open_rows(kept.at(open_to_all), "public") == ["x"]
    assert open_rows(kept.at(open_to_all), "user:eve", "public") == ["a", "x"]
    assert open_rows(kept.at(newest.token), "user:ada") == ["late"]  # as it was last
    kept.apply(put("user:bob", id="late"))
    assert open_rows(kept.at(newest.token), "user:ada") == []


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
