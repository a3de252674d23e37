"""Pages of long texts under a token budget: each fits, is as full as it may be, and all of them give the text back."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passageway import SliceResponse
from passageway.v1 import read_pb2, store_pb2, types_pb2
from tests.peers import Caller, LocalPeer, Reply, filled
from tests.properties.packed_worlds import WORLDS

READER = Caller(sub="ada")
TEXTS = {kind: " ".join(words) * 400 for kind, words in WORLDS.items()}


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    made = LocalPeer()
    batch = store_pb2.Batch()
    for kind, text in TEXTS.items():
        node = types_pb2.Node(id=kind, type="text", name=kind, content=text)
        node.properties["source"].string_value = 'a "quoted" source'
        node.properties["note"].string_value = text[:700]
        batch.put_nodes.append(node)
    batch.put_nodes.append(types_pb2.Node(id="x" * 900, content="short"))
    batch.put_nodes.append(types_pb2.Node(id="large", name="n" * 200_000, content="short"))
    with filled(made, store_pb2.Collection(name="c", default_readers=["public"]), [batch]):
        yield made
    made.close()


def page(peer: LocalPeer, id: str, budget: int, *, offset: int = 0, sha256: str = "") -> Reply:
    request = read_pb2.SliceRequest(collection="c", id=id)
    request.page.property = "content"
    request.page.offset, request.page.sha256 = offset, sha256
    request.page.token_budget = budget
    return peer.call("GraphService/Slice", request, caller=READER)


def size(message: read_pb2.SliceResponse) -> int:
    message.took_us = 4_000_000_000
    plain = SliceResponse.from_message(message).to_dict()
    return len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())


@given(kind=st.sampled_from(sorted(TEXTS)), budget=st.integers(256, 3_000))
@settings(max_examples=30)
def test_the_pages_of_a_text_join_to_the_text(peer: LocalPeer, kind: str, budget: int) -> None:
    parts: list[str] = []
    offset, digest = 0, ""
    while True:
        reply = page(peer, kind, budget, offset=offset, sha256=digest)
        answer = reply.read(read_pb2.SliceResponse)
        parts.append(answer.page.text)
        assert size(answer) <= 4 * budget
        assert answer.page.truncated
        if not answer.page.HasField("next_offset"):
            break
        assert answer.page.text
        answer.page.text += TEXTS[kind][answer.page.next_offset]
        answer.page.next_offset += 1
        assert size(answer) > 4 * budget
        offset, digest = answer.page.next_offset - 1, answer.page.sha256

    assert "".join(parts) == TEXTS[kind]
    (row,) = answer.passages
    assert (row.content, row.name) == ("", "")
    assert row.revision
    assert row.properties["source"].string_value == 'a "quoted" source'
    assert "note" not in row.properties


def test_a_budget_without_room_for_a_character_is_refused_with_one_that_would_do(
    peer: LocalPeer,
) -> None:
    reply = page(peer, "x" * 900, 300)

    assert reply.code == "INVALID_ARGUMENT"
    assert reply.faults() == {"page.token_budget"}
    needed = int(reply.message.rpartition("; ")[2].split()[0])
    answer = page(peer, "x" * 900, needed).read(read_pb2.SliceResponse)
    assert answer.page.text
    assert page(peer, "x" * 900, needed - 1).code == "INVALID_ARGUMENT"
    assert "at most 32768" in page(peer, "large", 32_768).message


def test_a_page_has_one_measure(peer: LocalPeer) -> None:
    request = read_pb2.SliceRequest(collection="c", id="debian")
    request.page.property = "content"
    request.page.token_budget, request.page.max_chars = 300, 7

    reply = peer.call("GraphService/Slice", request, caller=READER)

    assert reply.code == "INVALID_ARGUMENT"
    assert reply.faults() == {"page.token_budget"}
