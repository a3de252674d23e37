"""What holds of a Context under every budget, over rows of all sorts."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from passageway import ContextResponse
from passageway.v1 import search_pb2
from tests.crash.sizes import AT_NIGHT
from tests.oracle.answers import graph_for
from tests.oracle.context_text import marked
from tests.oracle.model import World
from tests.peers import Caller, LocalPeer, Reply, filled
from tests.properties.agreement import disagreement
from tests.properties.packed_worlds import WORLDS, packed_world
from tests.properties.words import NAME, NOW_US

MOST = 32_768
BUDGETS = [*range(256, 1_025), *range(1_100, 8_000, 331), 12_000, 20_000, MOST]
"""Those that are tried on each kind of rows at night. By day each kind has a part of them, and together all."""

_MEASURES = search_pb2.ContextRequest.Measure
READER = Caller(sub="ada")
Asking = dict[str, Any]


@pytest.fixture(scope="module", params=sorted(WORLDS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def peer(kind: str) -> Iterator[LocalPeer]:
    made = LocalPeer(now_us=lambda: NOW_US)
    with filled(made, *packed_world(kind)):
        yield made
    made.close()


@pytest.fixture(scope="module")
def answers(peer: LocalPeer, kind: str) -> dict[int, ContextResponse]:
    """The answer for each budget that is large enough."""
    found: dict[int, ContextResponse] = {}
    kinds = sorted(WORLDS)
    every = BUDGETS if AT_NIGHT else [*BUDGETS[kinds.index(kind) :: len(kinds)], MOST]
    for budget in every:
        reply = ask(peer, by_words(kind), token_budget=budget)
        if reply.code == "OK":
            found[budget] = answer_of(reply)
    return found


def by_words(kind: str) -> Asking:
    text = " ".join(WORLDS[kind][:3]).replace("\n", " ")
    return {"query": {"text": text, "types": [*WORLDS[kind], "none such"]}, "hops": 2}


def ask(peer: LocalPeer, asking: Asking, **options: Any) -> Reply:
    request = search_pb2.ContextRequest(collection=NAME, **asking, **options)
    return peer.call("GraphService/Context", request, caller=READER)


def answer_of(reply: Reply) -> ContextResponse:
    message = reply.read(search_pb2.ContextResponse)
    message.took_us = 4_000_000_000
    return ContextResponse.from_message(message)


def size(answer: ContextResponse) -> int:
    plain = json.dumps(answer.to_dict(), ensure_ascii=False, separators=(",", ":"))
    return len(plain.encode())


def values_of(record: dict[str, Any]) -> int:
    """How many values a node or an edge has beside what it is."""
    own = {"name", "content", "status", "project", "covered", "span", "revision"}
    return len(own & record.keys()) + len(record.get("properties", {}))


def test_no_answer_is_larger_than_its_budget_and_each_says_how_large_it_is(
    answers: dict[int, ContextResponse],
) -> None:
    assert len(answers) > (500 if AT_NIGHT else 120)
    for budget, answer in answers.items():
        assert size(answer) <= 4 * budget
        assert answer.response_token_estimate == -(-size(answer) // 4)
        assert answer.token_estimate == -(-len(answer.context.encode()) // 4)


def test_what_is_omitted_and_what_is_there_is_always_the_whole(
    answers: dict[int, ContextResponse],
) -> None:
    whole = answers[MOST].to_dict()
    assert not answers[MOST].truncated
    nodes, edges = len(whole["nodes"]), len(whole["edges"])
    values = sum(map(values_of, [*whole["nodes"], *whole["edges"]]))

    for answer in answers.values():
        told = answer.to_dict()
        there, between = told.get("nodes", []), told.get("edges", [])
        assert len(there) + answer.omitted_nodes == nodes
        assert len(between) + answer.omitted_edges == edges
        held = sum(map(values_of, [*there, *between]))
        assert held + answer.omitted_properties == values
        omitted = answer.omitted_nodes + answer.omitted_edges + answer.omitted_properties
        assert answer.truncated == bool(omitted)


def test_a_value_is_whole_or_it_is_not_there(answers: dict[int, ContextResponse]) -> None:
    whole = {node.id: node for node in answers[MOST].nodes}
    for answer in answers.values():
        for node in answer.nodes:
            for name in ("name", "content", "status", "project", "revision"):
                assert getattr(node, name) in ("", getattr(whole[node.id], name))
            for name, value in node.properties.items():
                assert value == whole[node.id].properties[name]
            assert "embedding" not in node.properties


def test_an_excerpt_is_an_exact_piece_of_a_text_that_is_not_there(
    peer: LocalPeer, answers: dict[int, ContextResponse]
) -> None:
    whole = {node.id: node for node in answers[MOST].nodes}
    longest_first = sorted(whole, key=lambda one: -len(whole[one].content))
    pieces = 0
    for budget in range(400, 4_000, 90):
        reply = ask(peer, {"ids": longest_first[:9]}, token_budget=budget)
        if reply.code != "OK":
            continue
        answer = answer_of(reply)
        assert size(answer) <= 4 * budget
        here = {node.id: node for node in answer.nodes}
        for piece in answer.excerpts:
            pieces += 1
            row = whole[piece.id]
            text = row.content if piece.property == "content" else row.properties[piece.property]
            assert isinstance(text, str)
            assert piece.text == text[piece.offset : piece.end]
            assert piece.total_chars == len(text)
            assert marked(piece.text) in answer.context
            assert not here[piece.id].content or piece.property != "content"
    assert pieces > 10


def test_a_row_stands_once_and_an_edge_with_both_of_its_ends(
    answers: dict[int, ContextResponse],
) -> None:
    for answer in answers.values():
        ids = [node.id for node in answer.nodes]
        assert len(ids) == len(set(ids))
        assert [seed.node.id for seed in answer.seeds if seed.node] == ids[: len(answer.seeds)]
        assert {edge.source for edge in answer.edges} <= set(ids)
        assert {edge.target for edge in answer.edges} <= set(ids)


def test_a_larger_budget_drops_no_seed(answers: dict[int, ContextResponse]) -> None:
    before: list[str] = []
    for answer in answers.values():
        seeds = [seed.node.id for seed in answer.seeds if seed.node]
        assert seeds[: len(before)] == before
        before = seeds


def test_the_same_request_has_the_same_answer(
    peer: LocalPeer, kind: str, answers: dict[int, ContextResponse]
) -> None:
    for budget in list(answers)[::97]:
        again = answer_of(ask(peer, by_words(kind), token_budget=budget))
        assert again == answers[budget]


def test_the_text_alone_is_within_its_budget(peer: LocalPeer, kind: str) -> None:
    fuller = 0
    for budget in BUDGETS[::7]:
        reply = ask(
            peer, by_words(kind), token_budget=budget, measure="MEASURE_TEXT", reserve_bytes=99
        )
        if reply.code == "OK":
            answer = answer_of(reply)
            assert len(answer.context.encode()) + 99 <= 4 * budget
            assert answer.response_token_estimate == -(-size(answer) // 4)
            fuller += answer.response_token_estimate > budget
    assert fuller


@pytest.mark.parametrize("by_ids", [True, False])
def test_a_budget_that_is_too_small_is_refused_with_one_that_would_do(
    peer: LocalPeer, kind: str, by_ids: bool
) -> None:
    every = [node.id for node in answer_of(ask(peer, by_words(kind), token_budget=MOST)).nodes]
    cases = [{"ids": [id]} for id in every] if by_ids else [by_words(kind)]
    for asking in cases:
        for reserve in (0, 700, 3_000):
            reply = ask(peer, asking, token_budget=256, reserve_bytes=reserve)
            if reply.code == "OK":
                continue
            assert reply.code == "INVALID_ARGUMENT"
            assert reply.faults() == {"token_budget"}
            needed = int(reply.message.rpartition("; ")[2].split()[0])
            enough = ask(peer, asking, token_budget=needed, reserve_bytes=reserve)
            assert len(answer_of(enough).nodes) == 1
            less = ask(peer, asking, token_budget=needed - 1, reserve_bytes=reserve)
            assert less.code == "INVALID_ARGUMENT"


def test_the_oracle_packs_the_same(peer: LocalPeer, kind: str) -> None:
    settings, batches = packed_world(kind)
    graph = graph_for(World.of(settings, batches), READER.asker)
    ids = sorted(graph.rows)
    answer, text = _MEASURES.MEASURE_ANSWER, _MEASURES.MEASURE_TEXT
    for budget, measure in ((300, answer), (500, text), (900, answer), (1_500, answer)):
        by_ids: Asking = {"ids": ids[budget % 7 :: 5]}
        for asking in (by_words(kind), by_ids):
            request = search_pb2.ContextRequest(
                collection=NAME, **asking, token_budget=budget, measure=measure
            )
            call = "GraphService/Context", request
            difference = disagreement(graph, call, peer.call(*call, caller=READER))
            assert not difference, difference
