"""Adjacencies with a property as weight are kept for a few properties, and no more."""

import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

from passageway_server.errors import DeadlineExceeded
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version import weighted
from passageway_server.version.version import Version
from passageway_server.version.weighted import Ways, Weighted
from tests.unit.version.batches import random_batch
from tests.unit.version.inside import edges_of
from tests.unit.version.making import collection

FIELDS = [f"w{number}" for number in range(30)]


def version() -> Version:
    kept = collection()
    strengths = dict.fromkeys(FIELDS, 0.5)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a"), NodeRecord("b")),
            put_edges=(EdgeRecord("e", "a", "b", "LIKES", properties={**strengths}),),
        )
    )
    return kept.current


def kept_of(asked: Version) -> Weighted:
    found = asked.known[Weighted]
    assert isinstance(found, Weighted)
    return found


def test_the_pair_of_a_property_is_built_once_while_it_is_kept() -> None:
    asked = version()

    first = asked.weighted("w0")

    assert asked.weighted("w0") is first
    assert first.out.weights.tolist() == first.into.weights.tolist() == [0.5]


def test_a_caller_who_names_every_property_leaves_the_latest_few() -> None:
    asked = version()
    walked = asked.weighted("w0")
    one = kept_of(asked).nbytes

    for name in FIELDS:
        asked.weighted(name)

    assert kept_of(asked).nbytes == 8 * one
    assert asked.weighted("w29") is asked.weighted("w29")
    again = asked.weighted("w0")  # who walks over the first one holds it
    assert again is not walked
    assert np.array_equal(again.out.others, walked.out.others)


def test_the_bytes_are_bounded_by_those_of_the_version_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weighted, "_BYTES", 0)
    asked = version()
    one = asked.out.nbytes + asked.into.nbytes

    for name in FIELDS:
        asked.weighted(name)

    assert kept_of(asked).nbytes == 2 * one


def test_many_who_ask_at_once_get_what_one_of_them_built() -> None:
    asked, made = version(), list[Ways]()
    kept, ways = Weighted(own=0), asked.weighted("w0")

    def build() -> Ways:
        made.append(ways)
        return ways

    with ThreadPoolExecutor(8) as threads:
        asking = [threads.submit(kept.of, "w0", build, UNHALTED) for _ in range(64)]
        found = [each.result() for each in asking]

    assert len(made) == 1
    assert all(each is ways for each in found)


def test_who_waits_for_another_to_build_stops_when_its_call_is_over() -> None:
    ways, kept = version().weighted("w0"), Weighted(own=0)
    begun, done, late = threading.Event(), threading.Event(), Halt()
    late.expire()

    def build() -> Ways:
        begun.set()
        done.wait()
        return ways

    with ThreadPoolExecutor(1) as threads:
        building = threads.submit(kept.of, "w0", build, UNHALTED)
        begun.wait()
        with pytest.raises(DeadlineExceeded):
            kept.of("w1", build, late)
        done.set()
        assert building.result() is ways


def test_a_build_that_is_halted_keeps_nothing_and_the_next_one_builds() -> None:
    asked, late = version(), Halt()
    late.expire()

    with pytest.raises(DeadlineExceeded):
        asked.weighted("w0", late)

    assert kept_of(asked).nbytes == 0
    assert asked.weighted("w0").out.weights.tolist() == [0.5]


@pytest.mark.parametrize("seed", range(20))
def test_commits_bring_up_what_would_be_built_anew(seed: int) -> None:
    rng, kept = Random(seed), collection()
    brought_up: list[tuple[Version, Ways]] = []
    kept.apply(random_batch(rng))
    kept.current.weighted("since")

    for _ in range(25):
        kept.apply(random_batch(rng))
        now = kept.current
        if Weighted in now.known:
            brought_up.append((now, now.weighted("since")))
        elif rng.random() < 0.5:
            now.weighted("since")

    assert len(brought_up) > 5
    for each, ways in brought_up:
        fresh = Version(each.identity, each.contents).weighted("since")
        assert edges_of(each, ways.out) == edges_of(each, fresh.out)
        assert edges_of(each, ways.into) == edges_of(each, fresh.into)


def test_what_nobody_asks_for_is_brought_up_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighted, "_IDLE", 2)
    kept = collection()
    edge = EdgeRecord("e", "a", "b", "LIKES", properties={"w0": 0.5, "w1": 0.5})
    kept.apply(Batch(put_nodes=(NodeRecord("a"), NodeRecord("b")), put_edges=(edge,)))
    kept.current.weighted("w0")
    kept.current.weighted("w1")
    one = kept_of(kept.current).nbytes // 2

    sizes: list[int] = []
    for number in range(4):
        kept.apply(Batch(put_nodes=(NodeRecord(f"n{number}"),)))
        kept.current.weighted("w0")
        sizes.append(kept_of(kept.current).nbytes)

    assert sizes[1] > sizes[2] >= one


def test_the_version_before_lets_go_what_only_readers_asked_for() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(NodeRecord("a"), NodeRecord("b"))))
    before = kept.current
    before.weighted("w0")
    assert len(before.edges) == len(before.loops) == 0

    kept.apply(Batch(put_nodes=(NodeRecord("c"),)))

    assert not {"edges", "loops", Weighted} & before.known.keys()
    assert len(before.edges) == 0


@pytest.mark.parametrize("seed", range(10))
def test_the_weights_of_some_edges_are_those_that_the_edges_have(seed: int) -> None:
    rng, kept = Random(seed), collection()
    for _ in range(4):
        kept.apply(random_batch(rng))
        edges = kept.current.edges
        some = np.array(rng.sample(range(len(edges)), len(edges) // 2), dtype=np.int64)

        assert kept.current.weights_at(edges.stored[some]).tolist() == edges.weights[some].tolist()
