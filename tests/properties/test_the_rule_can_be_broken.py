"""The property of non-interference, tried on the oracle: it holds there, and a careless gate is caught by it."""

from collections.abc import Callable
from random import Random

import pytest
from google.protobuf.message import Message

from passageway.v1 import graph_pb2
from tests.oracle import Refused, World
from tests.oracle.answers import answer_over, graph_for
from tests.oracle.expand import expand
from tests.oracle.graph import Graph
from tests.peers import Caller
from tests.properties.calls import Call, random_calls
from tests.properties.rebuilds import (
    among_other_hidden_rows,
    batch_of,
    readable,
    settings_of,
    with_its_memberships,
    with_other_hidden_fields,
)
from tests.properties.words import NOW_US
from tests.properties.worlds import RandomWorld, random_world

Told = Message | tuple[str, frozenset[str]]
Server = Callable[[World, Caller, Call], Told]


def honest(world: World, caller: Caller, call: Call) -> Told:
    """The oracle as it is."""
    try:
        graph = graph_for(world, caller.asker)
        return answer_over(graph, *call, now_us=NOW_US)
    except Refused as refused:
        return refused.code, refused.fields


def gate_on_the_output(world: World, caller: Caller, call: Call) -> Told:
    """A server that walks everywhere, and drops what the caller may not read from the answer alone."""
    request = call[1]
    if not isinstance(request, graph_pb2.ExpandRequest):
        return honest(world, caller, call)
    try:
        allowed = graph_for(world, caller.asker).rows
        everything = Graph(world, admin=caller.admin)
        answer = expand(everything, request, now_us=NOW_US)
    except Refused as refused:
        return refused.code, refused.fields
    hits = [hit for hit in answer.hits if hit.node.id in allowed]
    return graph_pb2.ExpandResponse(
        hits=[graph_pb2.Hit(score=hit.score, hop=hit.hop) for hit in hits]
    )


@pytest.fixture(scope="module")
def drawn_worlds() -> list[RandomWorld]:
    return [random_world(seed, 6 + seed % 30, seed % 60) for seed in range(60)]


def test_the_oracle_keeps_the_rule(drawn_worlds: list[RandomWorld]) -> None:
    assert _broken(honest, drawn_worlds) == 0


def test_a_gate_on_the_output_alone_is_caught(drawn_worlds: list[RandomWorld]) -> None:
    assert _broken(gate_on_the_output, drawn_worlds) > len(drawn_worlds) // 4


def _broken(server: Server, worlds: list[RandomWorld]) -> int:
    """On how many worlds some call tells the main caller about rows that it may not read."""
    return sum(any(_differs(server, drawn, seed)) for seed, drawn in enumerate(worlds))


def _differs(server: Server, drawn: RandomWorld, seed: int) -> list[bool]:
    caller = with_its_memberships(drawn.world, drawn.callers[0])
    left = readable(drawn.world, caller)
    visible, left_settings = batch_of(left), settings_of(left)
    guarded, holding = with_other_hidden_fields(Random(seed), left_settings, visible)
    rebuilds = [
        World.of(left_settings, [visible]),
        World.of(guarded, among_other_hidden_rows(Random(seed), holding)),
    ]
    calls = list(
        random_calls(Random(seed), Graph(rebuilds[0], admin=False), list(drawn.world.nodes))
    )
    return [
        server(drawn.world, drawn.callers[0], call) != server(rebuild, caller, call)
        for rebuild in rebuilds
        for call in calls
    ]
