"""Walks, filters, searches and rows stop where they are, and leave what the next call uses in order."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from passageway_server.columns import comparing
from passageway_server.columns.strings import Strings
from passageway_server.engine import filter as filters
from passageway_server.engine import (
    held,
    meeting,
    rows,
    semijoin,
    sieve,
    texts,
)
from passageway_server.engine import walk as walking
from passageway_server.engine.describe import observed_fields, observed_routes
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.hits import ArrayHits
from passageway_server.engine.ids import open_rows
from passageway_server.engine.known import known_node_fields
from passageway_server.engine.plans import HopPlan, Seeds, WalkPlan
from passageway_server.engine.predicate import InnerQuery
from passageway_server.engine.rows import edge_rows, node_rows
from passageway_server.engine.selection import EVERYTHING, Selection
from passageway_server.engine.semijoin import joined_values
from passageway_server.engine.sizes import Size
from passageway_server.engine.walk import run_walk
from passageway_server.engine.walked import Walked
from passageway_server.errors import Cancelled, DeadlineExceeded
from passageway_server.values.answers import HitFields
from passageway_server.values.halt import Halt, OutOfTime
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.version import Version
from tests.unit.engine.bound import all_gates, compiled, version_of
from tests.unit.engine.stopping import Stop, after


@pytest.fixture(scope="module")
def version() -> Version:
    """A chain of 40 nodes; each has a size, and a text."""
    ids = [f"n{number:02}" for number in range(40)]
    nodes = [
        NodeRecord(
            id=id, name=id, content=f"the {id}", readers=("public",), properties={"size": place}
        )
        for place, id in enumerate(ids)
    ]
    edges = [
        EdgeRecord(id=f"e{place}", source=near, target=far, type="T")
        for place, (near, far) in enumerate(pairwise(ids))
    ]
    return version_of(Batch(put_nodes=tuple(nodes), put_edges=tuple(edges)))


def walked(version: Version, halt: Halt, *hops: HopPlan, nodes: str = "") -> Walked:
    gate = replace(all_gates(version).read, halt=halt)
    plan = WalkPlan(
        hops=hops,
        nodes=compiled(nodes, version) if nodes else None,
        with_traversed=True,
    )
    start = np.array([version.nodes.ids.find("n00")], dtype=np.int32)
    return run_walk(version, plan, Seeds(start, np.ones(1)), scope=gate, read=gate)


@pytest.mark.parametrize("nodes", ["", "size >= 0"])
def test_a_walk_out_of_time_starts_no_further_hop(
    version: Version, monkeypatch: pytest.MonkeyPatch, nodes: str
) -> None:
    halt = Halt()
    where, name = (sieve, "matches") if nodes else (walking, "_walk")
    monkeypatch.setattr(where, name, after(2, getattr(where, name), halt.time_out))

    found = walked(version, halt, *[HopPlan()] * 5, nodes=nodes)

    assert found.timed_out
    assert version.nodes.ids.take(found.rows) == ["n00", "n01", "n02"]
    assert len(found.traversed) == 2
    assert not walked(version, Halt(), HopPlan(), nodes=nodes).timed_out


def test_a_walk_whose_time_is_spent_before_it_begins_has_its_seeds(version: Version) -> None:
    halt = Halt()
    halt.time_out()

    found = walked(version, halt, HopPlan())

    assert (found.timed_out, found.rows.tolist(), len(found.traversed)) == (True, [0], 0)


@pytest.mark.parametrize(
    ("stop", "raised"), [(Halt.cancel, Cancelled), (Halt.expire, DeadlineExceeded)]
)
@pytest.mark.parametrize("nodes", ["", "size >= 0"])
def test_a_walk_of_a_call_that_is_over_leaves_the_scratch_to_the_next(
    version: Version,
    monkeypatch: pytest.MonkeyPatch,
    nodes: str,
    stop: Stop,
    raised: type[Exception],
) -> None:
    whole, halt = walked(version, Halt(), *[HopPlan()] * 5, nodes=nodes), Halt()
    where, name = (sieve, "distinct") if nodes else (walking, "_walk")
    with monkeypatch.context() as patched:
        patched.setattr(where, name, after(2, getattr(where, name), lambda: stop(halt)))
        with pytest.raises(raised):
            walked(version, halt, *[HopPlan()] * 5, nodes=nodes)

    again = walked(version, Halt(), *[HopPlan()] * 5, nodes=nodes)

    assert again.rows.tolist() == whole.rows.tolist()
    assert again.scores.tolist() == whole.scores.tolist()


def test_a_degree_that_is_not_known_lets_nothing_through(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    halt = Halt()
    monkeypatch.setattr(sieve, "edge_matches", after(1, filters.edge_matches, halt.time_out))
    edges = compiled("type = T", version, over="edges")

    found = walked(version, halt, HopPlan(edges=edges, max_degree=5))

    assert (found.timed_out, len(found)) == (True, 1)


def test_a_filter_out_of_time_lets_through_what_it_has_judged(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    gates, halt = all_gates(version), Halt()
    read = replace(gates.read, halt=halt)
    monkeypatch.setattr(filters, "_AT_ONCE", 8)
    monkeypatch.setattr(meeting, "ordered", after(3, meeting.ordered, halt.time_out))

    found = matching_rows(compiled("NOT size < 1", version), version, read=read, scope=read)

    assert version.nodes.ids.take(found) == [f"n{number:02}" for number in range(1, 24)]


def test_a_filter_finds_the_same_in_parts(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    predicate = compiled(
        '(size > 5 AND (ends_with(name, "3") OR NOT content = "the n08")) OR id:n0', version
    )
    gates = all_gates(version)
    whole = matching_rows(predicate, version, read=gates.read, scope=gates.scope)

    monkeypatch.setattr(filters, "_AT_ONCE", 7)

    parts = matching_rows(predicate, version, read=gates.read, scope=gates.scope)
    assert parts.tolist() == whole.tolist()


class Third(Halt):
    """A halt that is set when it is looked at for the third time."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def spent(self) -> bool:
        self.looks += 1
        if self.looks == 3:
            self.time_out()
        return super().spent()


TEXTS = Strings.of([f"{'x' * 50}{number}" for number in range(200)])
ALL = np.arange(200)
TESTS: dict[str, Callable[[Halt], object]] = {
    "among": lambda halt: comparing.among(TEXTS, ALL, ["x" * 50 + "7", "y" * 52], halt),
    "containing": lambda halt: comparing.containing(TEXTS, ALL, "xx9", halt),
    "containing, few": lambda halt: comparing.containing(TEXTS, ALL[[0, 150]], "xx9", halt),
    "same": lambda halt: comparing.same_strings(TEXTS, ALL, TEXTS, ALL, halt),
}


@pytest.mark.parametrize("test", TESTS)
def test_texts_are_looked_at_in_pieces(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_PIECE", 40)
    if "few" in test:
        monkeypatch.setattr(comparing, "_BYTES_PER_LOOK", 1)
        monkeypatch.setattr(comparing, "_STRINGS", 1)
    halt = Halt()
    TESTS[test](halt)

    halt = Third()
    if "few" in test:
        halt.looks = 1
    with pytest.raises(OutOfTime):
        TESTS[test](halt)


@pytest.mark.parametrize("test", [texts.equal, texts.starting, texts.ending, texts.order])
def test_kernels_that_look_at_texts_stop(test: Callable[..., object]) -> None:
    halt = Halt()
    test(TEXTS, ALL, "x" * 50, halt)
    halt.time_out()

    with pytest.raises(OutOfTime):
        test(TEXTS, ALL, "x" * 50, halt)


@pytest.mark.parametrize("piece", [1, 3, 40, 1 << 20])
def test_pieces_find_what_the_whole_does(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "_PIECE", piece)
    draw = random.Random(piece)
    texts = ["".join(draw.choices("abé", k=draw.randrange(9))) for _ in range(300)]
    strings, entries = Strings.of(texts), np.array(draw.sample(range(300), 250))

    for part in ("a", "ab", "aa", "éa", "aba", "bb"):
        found = comparing.containing(strings, entries, part).tolist()
        assert found == [part in texts[entry] for entry in entries.tolist()]
        among = comparing.among(strings, entries, [part, "b", ""]).tolist()
        assert among == [texts[entry] in (part, "b", "") for entry in entries.tolist()]


@pytest.mark.parametrize("field", ["name", "size", "id"])
def test_an_inner_query_out_of_time_keeps_nothing(
    version: Version, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    monkeypatch.setattr(semijoin, "_AT_ONCE", 4)
    gate, halt = all_gates(version).read, Halt()
    query = InnerQuery(None, known_node_fields(version, gate)[field])
    monkeypatch.setattr(semijoin, "of_rows", after(1, held.of_rows, halt.time_out))

    short = joined_values(query, version, replace(gate, halt=halt), most=100)

    whole = joined_values(query, version, gate, most=100)
    assert short is not None
    assert whole is not None
    assert (len(short), len(whole)) == (0, 40)
    assert joined_values(query, version, gate, most=39) is None


def test_the_rows_of_an_answer_are_made_whole_out_of_time_and_not_for_nobody(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "_AT_ONCE", 16)
    halt = Halt()
    gate = replace(all_gates(version).read, halt=halt)
    some = np.arange(39)

    def nodes() -> int:
        shown = node_rows(version, gate, some, selection=EVERYTHING, max_chars=None, admin=True)
        return len(shown)

    def edges() -> int:
        return len(edge_rows(version, gate, some, selection=EVERYTHING, admin=True))

    halt.time_out()
    assert (nodes(), edges()) == (39, 39)
    halt.cancel()
    for make in (nodes, edges):
        with pytest.raises(Cancelled):
            make()


def test_hits_are_not_written_for_nobody(version: Version) -> None:
    found = walked(version, Halt(), HopPlan())
    halt = Halt()
    halt.cancel()
    gate = replace(all_gates(version).read, halt=halt)
    selection = Selection(everything=False, builtins=frozenset({"content"}))
    hits = ArrayHits(version, gate, found, np.arange(2, dtype=np.int32), selection, 9, True)

    with pytest.raises(Cancelled):
        hits.encode(HitFields(*range(1, len(HitFields._fields) + 1)))


def test_ids_and_the_map_of_a_collection_are_not_looked_at_for_nobody(version: Version) -> None:
    halt = Halt()
    halt.expire()
    gate = replace(all_gates(version).read, halt=halt)

    with pytest.raises(DeadlineExceeded):
        open_rows(version, gate, ["n00"] * 10_000)
    with pytest.raises(DeadlineExceeded):
        observed_routes(version, gate, size=Size())
    with pytest.raises(DeadlineExceeded):
        observed_fields(version, read=gate, scope=gate, size=Size())
