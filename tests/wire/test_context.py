"""Context over the wire: what it takes, what it refuses, and what it says of what it leaves out."""

from collections.abc import Iterator

import numpy as np
import pytest

from passageway.v1 import query_pb2, read_pb2, search_pb2, store_pb2, types_pb2
from passageway_server.columns.strings import Numbers
from passageway_server.engine import near as module_of_near
from passageway_server.values.halt import Halt
from tests.oracle.answers import graph_for
from tests.oracle.model import World
from tests.peers import OPERATOR, Caller, LocalPeer, Reply, filled
from tests.properties.agreement import disagreement
from tests.wire.small_world import Json, asked, small_peer

READER = Caller(sub="ada")


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    made = small_peer()
    yield made
    made.close()


def context(peer: LocalPeer, request: Json) -> search_pb2.ContextResponse:
    return asked(peer, "Context", {"collection": "c", **request}).read(search_pb2.ContextResponse)


def refusal(peer: LocalPeer, request: Json) -> tuple[str, list[str]]:
    reply = asked(peer, "Context", {"collection": "c", **request})
    return reply.code, sorted(reply.faults())


def test_a_row_is_one_block_that_says_what_the_row_says(peer: LocalPeer) -> None:
    answer = context(peer, {"ids": ["c"], "hops": 1})

    blocks = answer.context.split("\n\n")
    assert blocks[0].split("\n")[:2] == ["[c] team: Gamma", "size: 2"]
    assert "—USES→ [d]" in blocks[0]
    assert "—KNOWS→ [c] Gamma (strength: 0.8)" in answer.context
    assert [seed.node.id for seed in answer.seeds] == ["c"]
    assert {edge.type for edge in answer.edges} == {"KNOWS", "USES", "BELONGS_TO", "MENTIONS"}


def test_what_is_retired_is_no_bridge_and_is_counted(peer: LocalPeer) -> None:
    current = context(peer, {"ids": ["a"], "hops": 3})
    every = context(peer, {"ids": ["a"], "hops": 3, "read": {"evidence": "EVIDENCE_ALL"}})

    assert "b" not in {node.id for node in current.nodes}
    assert current.excluded_evidence == 1
    assert "b" in {node.id for node in every.nodes}
    assert every.excluded_evidence == 0


def test_an_id_that_is_not_there_and_one_that_is_left_out_are_told_alike(peer: LocalPeer) -> None:
    answer = context(peer, {"ids": ["b", "a", "absent", "a"], "hops": 0})

    assert list(answer.unresolved) == ["b", "absent"]
    assert [node.id for node in answer.nodes] == ["a"]
    assert answer.excluded_evidence == 1


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        ({}, ["query"]),
        ({"query": {}}, ["query"]),
        ({"ids": ["a"], "query": {"text": "alpha"}}, ["ids"]),
        ({"ids": ["a"], "token_budget": 0}, ["token_budget"]),
        ({"ids": ["a"], "token_budget": 255}, ["token_budget"]),
        ({"ids": ["a"], "token_budget": 32_769}, ["token_budget"]),
        ({"ids": ["a"], "hops": 4, "type_cap": 10_001}, ["hops", "type_cap"]),
        ({"ids": ["a"] * 65}, ["ids"]),
        ({"query": {"text": "alpha", "limit": 0}}, ["query.limit"]),
        ({"query": {"text": "alpha", "limit": 65}}, ["query.limit"]),
        ({"query": {"text": "... —"}}, ["query.text"]),
        ({"query": {"text": "x" * 70_000}}, ["query.text"]),
        ({"query": {"filter": "no_such_field = 1"}}, ["query.filter"]),
        ({"query": {"text": "a", "text_fields": ["none"]}}, ["query.text_fields[0]"]),
        ({"ids": ["a"], "measure": 7}, ["measure"]),
        ({"ids": ["a"], "bounds": 7, "read": {"evidence": 9}}, ["bounds", "read.evidence"]),
        ({"ids": ["a"], "reserve_bytes": 1 << 31}, ["token_budget"]),
        ({"ids": ["x" * 60 + str(i) for i in range(40)]}, []),
        ({"ids": ["x" * 1000 + str(i) for i in range(40)]}, ["token_budget"]),
    ],
)
def test_bad_input_is_refused_by_its_name(
    peer: LocalPeer, request_: Json, fields: list[str]
) -> None:
    assert refusal(peer, request_) == ("INVALID_ARGUMENT" if fields else "OK", fields)


def test_numbers_are_taken_to_their_bounds_where_that_is_asked_for(peer: LocalPeer) -> None:
    for budget in (0, 255):
        answer = context(
            peer, {"ids": ["a"], "hops": 0, "token_budget": budget, "bounds": "BOUNDS_CLAMP"}
        )
        assert dict(answer.applied) == {"token_budget": 256}
        assert answer.response_token_estimate <= 256
    ids = [f"none{i}" for i in range(70)]
    answer = context(peer, {"ids": ids, "hops": 9, "bounds": "BOUNDS_CLAMP"})
    assert dict(answer.applied) == {"hops": 3, "ids": 64}
    assert list(answer.unresolved) == ids


def test_a_budget_that_no_call_may_have_is_named_as_such(peer: LocalPeer) -> None:
    reply = asked(
        peer, "Context", {"collection": "c", "ids": ["a"], "reserve_bytes": 200_000, "hops": 0}
    )

    assert reply.code == "INVALID_ARGUMENT"
    assert "at most 32768" in reply.message


def test_a_query_that_finds_nothing_has_an_empty_answer(peer: LocalPeer) -> None:
    answer = context(peer, {"query": {"text": "nowhere", "types": ["none", "team"]}})

    assert not answer.nodes
    assert not answer.truncated
    assert [(one.type, one.count) for one in answer.type_hits] == [("none", 0), ("team", 0)]
    assert list(answer.unknown_types) == ["none"]


@pytest.mark.usefixtures("no_time")
def test_once_its_time_is_spent_a_context_gives_what_was_found(peer: LocalPeer) -> None:
    answer = context(peer, {"ids": ["a"], "hops": 3, "timeout_ms": 1})

    assert answer.timed_out
    assert [node.id for node in answer.nodes] == ["a"]


@pytest.mark.usefixtures("no_time")
def test_once_its_time_is_spent_no_word_is_looked_for(
    peer: LocalPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_for: list[str] = []

    def near(_: object, word: str, __: int, halt: Halt) -> Numbers:
        looked_for.extend([] if halt.spent() else [word])
        return np.empty(0, dtype=np.int32)

    monkeypatch.setattr(module_of_near, "near", near)
    query = {"text": "red rod", "max_edits": 1}
    answer = context(peer, {"query": query, "timeout_ms": 1})

    assert answer.timed_out
    assert looked_for == []


def star(leaves: int) -> tuple[store_pb2.Collection, list[store_pb2.Batch]]:
    """A hub, and *leaves* of which every third has the word ``red``, in falling order of their ids."""
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    batch = store_pb2.Batch(put_nodes=[types_pb2.Node(id="hub", name="red hub")])
    for place in reversed(range(leaves)):
        name = "red" if place % 3 == 0 else "blue"
        batch.put_nodes.add(id=f"leaf{place:04}", name=name)
        batch.put_edges.add(id=f"e{place}", source="hub", target=f"leaf{place:04}", type="HAS")
    batch.put_nodes.add(id="far", name="far", links={"near": {"values": ["leaf0001"]}})
    return settings, [batch]


@pytest.mark.parametrize(
    ("leaves", "hops", "nodes", "limited"),
    [(512, 1, 513, False), (513, 1, 513, True), (255, 2, 257, False), (256, 2, 258, True),
     (257, 2, 259, True), (600, 3, 513, True)],
)  # fmt: skip
def test_of_the_walks_of_a_seed_the_first_512_are_taken(
    leaves: int, hops: int, nodes: int, limited: bool
) -> None:
    peer = LocalPeer()
    with filled(peer, *star(leaves)):
        request = search_pb2.ContextRequest(
            collection="c", ids=["hub"], hops=hops, token_budget=4_000
        )
        answer = peer.call("GraphService/Context", request, caller=READER).read(
            search_pb2.ContextResponse
        )
    peer.close()

    assert len(answer.nodes) + answer.omitted_nodes == nodes
    assert answer.expansion_limited == limited


def test_neighbors_with_words_of_the_query_come_first(peer: LocalPeer) -> None:
    settings, batches = star(30)
    graph = graph_for(World.of(settings, batches), READER.asker)
    request = search_pb2.ContextRequest(
        collection="c", query=query_pb2.Query(text="red hub", limit=1), token_budget=600
    )
    own = LocalPeer()
    with filled(own, settings, batches):
        reply = own.call("GraphService/Context", request, caller=READER)
    own.close()

    assert disagreement(graph, ("GraphService/Context", request), reply) == ""
    names = [node.name for node in reply.read(search_pb2.ContextResponse).nodes]
    assert names[:3] == ["red hub", "red", "red"]
    assert "blue" not in names


def test_the_fields_to_cite_are_those_of_the_collection(peer: LocalPeer) -> None:
    own = LocalPeer()
    settings = store_pb2.Collection(name="c", default_readers=["public"], citation_fields=["page"])
    node = types_pb2.Node(id="a", content="word " * 400)
    for name in ("page", "source"):
        node.properties[name].string_value = name * 10
    with filled(own, settings, [store_pb2.Batch(put_nodes=[node])]):
        request = search_pb2.ContextRequest(collection="c", ids=["a"], token_budget=256)
        small = own.call("GraphService/Context", request, caller=READER)
        page = read_pb2.SliceRequest(collection="c", id="a")
        page.page.property = "content"
        beside = own.call("GraphService/Slice", page, caller=READER)
    own.close()

    (row,) = small.read(search_pb2.ContextResponse).nodes
    assert "page" in row.properties
    (cited,) = beside.read(read_pb2.SliceResponse).passages
    assert list(cited.properties) == ["page"]


def test_of_a_text_that_fits_no_budget_there_is_an_excerpt() -> None:
    own = LocalPeer()
    content = "Nothing to see. " * 20_000 + "The red hub is here. " + "More of it. " * 20_000
    nodes = [types_pb2.Node(id=f"n{place}", content=content) for place in range(3)]
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    request = search_pb2.ContextRequest(
        collection="c", query=query_pb2.Query(text="red hub"), token_budget=700
    )
    with filled(own, settings, [store_pb2.Batch(put_nodes=nodes)]):
        reply = own.call("GraphService/Context", request, caller=READER)
    own.close()

    answer = reply.read(search_pb2.ContextResponse)
    assert answer.excerpts[0].text.startswith("The red hub is here.")
    assert answer.excerpts[0].offset == content.index("The red hub")
    assert answer.omitted_properties >= 3


def _update(peer: LocalPeer, names: list[str]) -> Reply:
    request = store_pb2.UpdateCollectionRequest(
        collection=store_pb2.Collection(name="c", citation_fields=names)
    )
    request.update_mask.paths.append("citation_fields")
    return peer.call("StoreService/UpdateCollection", request, caller=OPERATOR)


def test_fields_to_cite_are_set_and_wrong_ones_are_named(peer: LocalPeer) -> None:
    assert _update(peer, ["", "a", "a", "x" * 2_000]).faults() == {
        "collection.citation_fields[0]",
        "collection.citation_fields[2]",
        "collection.citation_fields[3]",
    }
    assert _update(peer, [f"f{i}" for i in range(101)]).faults() == {"collection.citation_fields"}
    changed = _update(peer, ["page", "url"]).read(store_pb2.Collection)
    assert list(changed.citation_fields) == ["page", "url"]
    _update(peer, [])
