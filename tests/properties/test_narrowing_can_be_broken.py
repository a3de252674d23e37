"""Careless ways to narrow an old version, tried on the oracle: the property of non-interference catches each of them.

Most are lies about what was done since that version: to a server that forgets it, it was never done.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

import pytest
from google.protobuf.message import Message

from passageway.v1 import query_pb2, read_pb2, store_pb2
from tests.oracle import Refused, World
from tests.oracle.answers import answer_over, graph_at
from tests.oracle.graph import Graph
from tests.oracle.history import History, changed
from tests.peers import Caller
from tests.properties.calls import FEW, Call, random_calls
from tests.properties.histories import RandomHistory, random_history, take
from tests.properties.narrowings import hidden_since
from tests.properties.rebuilds import (
    batch_of,
    readable_at,
    settings_of,
    with_its_memberships,
    with_its_memberships_at,
)
from tests.properties.words import NOW_US

Told = Message | tuple[str, frozenset[str]]
Server = Callable[[History, int, Caller, Call], Told]


def honest(history: History, version: int, caller: Caller, call: Call) -> Told:
    """The oracle as it is."""
    try:
        return answer_over(graph_at(history, caller.asker, version), *call, now_us=NOW_US)
    except Refused as refused:
        return refused.code, refused.fields


def old_gates_alone(history: History, version: int, caller: Caller, call: Call) -> Told:
    """Rows and edges by the readers that they had, whatever became of them."""

    def forget(then: World, now: World) -> None:
        now.nodes, now.passages, now.edges = then.nodes, then.passages, then.edges
        now.row_numbers, now.edge_numbers = then.row_numbers, then.edge_numbers
        now.settings = changed(now.settings, then.settings, "default_readers")

    return _careless(history, version, caller, call, forget)


def edges_forgotten(history: History, version: int, caller: Caller, call: Call) -> Told:
    """Rows by both readers, edges by those that they had."""

    def forget(then: World, now: World) -> None:
        now.edges, now.edge_numbers = then.edges, then.edge_numbers

    return _careless(history, version, caller, call, forget)


def deleted_rows_forgotten(history: History, version: int, caller: Caller, call: Call) -> Told:
    """What was deleted since, by the readers that it had then, not by those that it had last."""
    newest = history.now

    def forget(then: World, now: World) -> None:
        for row_id in then.nodes.keys() - newest.nodes.keys() - newest.passages.keys():
            now.nodes[row_id] = then.nodes[row_id]
        for row_id in then.passages.keys() - newest.nodes.keys() - newest.passages.keys():
            now.passages[row_id] = then.passages[row_id]
        for edge_id in then.edges.keys() - newest.edges.keys():
            now.edges[edge_id] = then.edges[edge_id]

    return _careless(history, version, caller, call, forget)


def stale_parents(history: History, version: int, caller: Caller, call: Call) -> Told:
    """Spans beside which the readers are kept that their parents had: a parent that is closed leaves them open."""
    method, request = call
    if not isinstance(request, read_pb2.GetRequest | read_pb2.LookupRequest):
        return honest(history, version, caller, call)
    if request.read.evidence == query_pb2.EVIDENCE_CURRENT:
        return honest(history, version, caller, call)

    def forget(then: World, now: World) -> None:
        for span in then.passages.values():
            if span.parent_id in then.nodes:
                now.nodes[span.parent_id] = then.nodes[span.parent_id]

    member = with_its_memberships_at(history, version, caller)
    try:
        graph = graph_at(history, caller.asker, version)
        careless = graph_at(_retold(history, version, forget), member.asker, version)
        for row in careless.rows.values():
            if row.span is not None:
                graph.rows.setdefault(row.id, row)
        return answer_over(graph, method, request, now_us=NOW_US)
    except Refused as refused:
        return refused.code, refused.fields


def membership_of_then(history: History, version: int, caller: Caller, call: Call) -> Told:
    """Who was a member is one."""
    member = with_its_memberships(history.worlds[version], caller)
    return honest(_retold(history, version), version, member, call)


def membership_of_now(history: History, version: int, caller: Caller, call: Call) -> Told:
    """Who is a member was one."""
    member = with_its_memberships(history.now, caller)
    return honest(_retold(history, version), version, member, call)


def fields_as_they_were(history: History, version: int, caller: Caller, call: Call) -> Told:
    """Fields by the readers that they had."""

    def forget(then: World, now: World) -> None:
        now.settings = changed(now.settings, then.settings, "fields")

    return _careless(history, version, caller, call, forget)


FAULTS = (
    old_gates_alone,
    edges_forgotten,
    deleted_rows_forgotten,
    stale_parents,
    membership_of_then,
    membership_of_now,
    fields_as_they_were,
)


@pytest.fixture(scope="module")
def drawn_histories() -> list[RandomHistory]:
    return [random_history(seed, 6 + seed % 30, seed % 60, steps=5) for seed in range(120)]


def test_the_oracle_keeps_the_rule_at_old_versions(drawn_histories: list[RandomHistory]) -> None:
    assert list(_broken(honest, drawn_histories)) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_careless_narrowing_is_caught(fault: Server, drawn_histories: list[RandomHistory]) -> None:
    assert len(list(islice(_broken(fault, drawn_histories), 3))) == 3


def _broken(server: Server, histories: list[RandomHistory]) -> Iterator[int]:
    """The histories in which some call at an old version tells of what is not for its caller today."""
    return (seed for seed, drawn in enumerate(histories) if any(_differs(server, drawn, seed)))


def _differs(server: Server, drawn: RandomHistory, seed: int) -> Iterator[bool]:
    """Call by call: whether the answer is another one where the caller's rows are alone, or in other company."""
    rng, history = Random(seed), drawn.history
    version = rng.choice(history.retained[:-1] or history.retained)
    caller = drawn.callers[seed % 2]
    there = with_its_memberships_at(history, version, caller)
    left = readable_at(history, version, there)
    alone = History(World.of(settings_of(left), [batch_of(left)]))
    narrowed = hidden_since(rng, settings_of(left), batch_of(left), admin=there.admin)
    company = History.of(narrowed.settings)
    for step in (*narrowed.before, *narrowed.since):
        take(company, step)
    seen = Graph(alone.now, admin=False)
    for call in random_calls(rng, seen, [*history.worlds[version].nodes], counts=FEW):
        told = server(history, version, caller, call)
        yield told != server(alone, 0, there, call)
        yield told != server(company, len(narrowed.before), there, call)


Forgetting = Callable[[World, World], None]
"""What a server does not know of the newest world, given the one that it reads."""


def _careless(
    history: History, version: int, caller: Caller, call: Call, forget: Forgetting
) -> Told:
    """The answer of a server that forgets something; memberships it works out as it should."""
    member = with_its_memberships_at(history, version, caller)
    return honest(_retold(history, version, forget), version, member, call)


def _retold(history: History, version: int, forget: Forgetting | None = None) -> History:
    """The *history* without memberships, and as it would be if nothing of what *forget* forgets had been done."""
    retold = History(history.worlds[0])
    retold.worlds = [world.copy() for world in history.worlds]
    retold.oldest = history.oldest
    for world in retold.worlds:
        world.settings = changed(world.settings, store_pb2.Collection(), "membership")
    for world in retold.worlds[version + 1 :]:
        if forget is not None:
            forget(history.worlds[version], world)
    return retold
