"""What a text to search for may be: each that cannot be looked for gets a clear answer, and so does each that can."""

from collections.abc import Iterator
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from passageway.v1 import query_pb2, read_pb2, search_pb2, store_pb2, types_pb2
from passageway_server.columns.gates import Gate, Gates
from passageway_server.engine.excerpts import Wanted
from passageway_server.values.halt import Halt, OutOfTime
from tests.peers import OPERATOR, LocalPeer, Reply, filled
from tests.wire.small_world import small_peer


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    made = small_peer()
    yield made
    made.close()


def searched(peer: LocalPeer, query: query_pb2.Query) -> Reply:
    request = search_pb2.SearchRequest(collection="c", query=query)
    return peer.call("GraphService/Search", request, caller=OPERATOR)


def found(peer: LocalPeer, query: query_pb2.Query) -> list[str]:
    reply = searched(peer, query)
    assert reply.code == "OK", reply.message
    answer = search_pb2.SearchResponse.FromString(reply.response)
    return [hit.node.id for hit in answer.hits]


def query(text: str, *fields: str, **options: int) -> query_pb2.Query:
    return query_pb2.Query(text=text, text_fields=fields, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (query(""), "query: asks for nothing: give a text, a vector, a filter, or several"),
        (query("", "name"), "query.text_fields: goes with text, which is empty"),
        (query("", max_edits=1), "query.max_edits: goes with text, which is empty"),
        (query("?! ..."), "query.text: has no word to look for: no letter and no digit"),
        (query(" \n\t"), "query.text: has no word to look for: no letter and no digit"),
        (query("😀"), "query.text: has no word to look for: no letter and no digit"),
        (query("x" * 65_537), "query.text: has more than 65536 bytes"),
        (query("é" * 32_769), "query.text: has more than 65536 bytes"),
        (
            query(" ".join(map(str, range(10_000)))),
            "query.text: has 10000 different words; at most 512",
        ),
        (query("alpha", "nam"), "query.text_fields[0]: no field 'nam'; near names: name"),
        (query("alpha", "size"), "query.text_fields[0]: size is of kind"),
        (query("alpha", "name", "type"), "query.text_fields[1]: type is built in"),
        (query("alpha", "PART_OF"), "query.text_fields[0]: PART_OF is of kind link"),
        (query("alpha", ""), "query.text_fields[0]: missing: name a field"),
        (query("alpha", max_edits=3), "query.max_edits: is 3; at least 0 and at most 2"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(
    peer: LocalPeer, asked: query_pb2.Query, said: str
) -> None:
    reply = searched(peer, asked)

    assert (reply.code, said in reply.message) == ("INVALID_ARGUMENT", True), reply.message


def test_words_that_every_text_has_are_words_as_others(peer: LocalPeer) -> None:
    assert found(peer, query("is a of the")) == ["a", *(f"a{i}" for i in range(6))]


def test_as_many_bytes_and_words_as_there_may_be_are_looked_for(peer: LocalPeer) -> None:
    assert found(peer, query("gamma " + "y" * 65_530)) == ["c"]
    assert found(peer, query("gamma " + " ".join(map(str, range(511))), "name")) == ["c"]
    several = " ".join(map(str, range(511)))
    assert found(peer, query(f"gama {several}", "name", max_edits=2)) == ["c"]


def test_a_keyword_field_and_edits_find_what_they_say(peer: LocalPeer) -> None:
    assert found(peer, query("X", "tags")) == ["a"]  # b is retired
    assert found(peer, query("X y", "tags")) == []
    assert found(peer, query("Gamm", "name")) == []
    assert found(peer, query("Gmama", "name", max_edits=1)) == ["c"]
    assert found(peer, query("amma", "name", max_edits=1)) == []


@pytest.mark.parametrize("filter", ['content:"..."', "name:$none", 'name:("alpha" OR "")'])
def test_a_filter_that_asks_for_no_word_is_refused(peer: LocalPeer, filter: str) -> None:
    request = read_pb2.LookupRequest(collection="c", filter=filter)
    request.vars["none"].strings.values.extend(["alpha", "-"])

    reply = peer.call("GraphService/Lookup", request, caller=OPERATOR)

    assert reply.code == "INVALID_ARGUMENT"
    assert "has no word to look for" in reply.message


def test_excerpts_are_looked_for_while_there_is_time(
    peer: LocalPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_time(_: Wanted, __: str, halt: Halt) -> int | None:
        halt.time_out()
        raise OutOfTime

    asked = search_pb2.SearchRequest(
        collection="c", query=query("word"), content_max_chars=1, timeout_ms=60_000
    )
    monkeypatch.setattr(Wanted, "thickest", out_of_time)
    reply = peer.call("GraphService/Search", asked, caller=OPERATOR)
    answer = reply.read(search_pb2.SearchResponse)

    assert answer.timed_out
    assert answer.hits
    assert not any(hit.HasField("excerpt") for hit in answer.hits)


def test_an_ending_alone_is_looked_for_within_edits() -> None:
    made = LocalPeer(now_us=lambda: 0)
    settings = store_pb2.Collection(name="c", language="porter", default_readers=["public"])
    batch = store_pb2.Batch(put_nodes=[types_pb2.Node(id="a", name="s"), types_pb2.Node(id="b")])

    with filled(made, settings, [batch]):
        assert found(made, query("s", max_edits=2)) == ["a"]

    made.close()


def test_many_unknown_types_take_no_look_at_the_rows_each(
    peer: LocalPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, opens = Mock(), Gates.open

    def opened(gates: Gates, gate: Gate, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        seen()
        return opens(gates, gate, rows)

    monkeypatch.setattr(Gates, "open", opened)

    def looks(types: list[str]) -> int:
        seen.reset_mock()
        asked = query_pb2.Query(text="alpha", types=types)
        assert searched(peer, asked).code == "OK"
        return seen.call_count

    assert looks(["service", "team", "none", "community"]) == looks(["service"])
