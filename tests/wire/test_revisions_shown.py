"""Where revisions stand in answers: in Get, beside a page of text, and where ``fields`` name them."""

from collections.abc import Iterable, Iterator

import pytest
from google.protobuf.json_format import ParseDict

from passageway.v1 import graph_pb2, read_pb2, store_pb2, types_pb2
from tests.peers import OPERATOR, Caller, LocalPeer, Reply
from tests.wire.small_world import SETTINGS, Json, applied, asked, small_peer

EXPAND: Json = {"collection": "c", "seeds": [{"ids": ["a"]}], "hops": [{}]}
PATHS: Json = {"collection": "c", "sources": ["a"], "targets": ["d"]}
LOOKUP: Json = {"collection": "c", "filter": "type = service"}
SEARCH: Json = {**EXPAND, "search": {"filter": "type = service"}}


@pytest.fixture
def peer() -> Iterator[LocalPeer]:
    made = small_peer()
    yield made
    made.close()


def shown(nodes: Iterable[types_pb2.Node]) -> dict[str, str]:
    return {node.id: node.revision for node in nodes}


def of_get(peer: LocalPeer, *ids: str, caller: Caller = OPERATOR) -> dict[str, str]:
    request = read_pb2.GetRequest(collection="c", ids=ids)
    reply = peer.call("GraphService/Get", request, caller=caller)
    return shown(reply.read(read_pb2.GetResponse).nodes)


def nodes(call: str, reply: Reply) -> list[types_pb2.Node]:
    if call == "Expand":
        answer = reply.read(graph_pb2.ExpandResponse)
        return [hit.node for hit in answer.hits] + [hit.node for hit in answer.search]
    if call == "Paths":
        return list(reply.read(graph_pb2.PathsResponse).nodes.values())
    return list(reply.read(read_pb2.LookupResponse).nodes)


@pytest.mark.parametrize(
    ("call", "request_", "field"),
    [
        ("Expand", EXPAND, "fields"),
        ("Expand", {**EXPAND, "with_edges": True}, "fields"),
        ("Expand", SEARCH, "search_fields"),
        ("Paths", PATHS, "fields"),
        ("Lookup", LOOKUP, "fields"),
    ],
)
def test_a_row_has_its_revision_where_fields_name_it(
    peer: LocalPeer, call: str, request_: Json, field: str
) -> None:
    silent = [nodes(call, asked(peer, call, {**request_, field: f})) for f in ([], ["name"])]
    named = nodes(call, asked(peer, call, {**request_, field: ["revision", "name"]}))

    assert {revision for each in silent for revision in shown(each).values()} == {""}
    found = {id: revision for id, revision in shown(named).items() if revision}
    assert found == of_get(peer, *found)
    assert found


def test_get_has_it_unless_fields_leave_it_out(peer: LocalPeer) -> None:
    whole = of_get(peer, "a", "a0", "b")
    named = asked(peer, "Get", {"collection": "c", "ids": ["a", "a0"], "fields": ["revision"]})
    other = asked(peer, "Get", {"collection": "c", "ids": ["a"], "fields": ["name"]})

    assert {len(revision) for revision in whole.values()} == {64}
    assert len(set(whole.values())) == 3
    assert shown(named.read(read_pb2.GetResponse).nodes) == {k: whole[k] for k in ("a", "a0")}
    assert shown(other.read(read_pb2.GetResponse).nodes) == {"a": ""}


def test_a_preview_does_not_change_it(peer: LocalPeer) -> None:
    cut = asked(peer, "Get", {"collection": "c", "ids": ["a"], "content_max_chars": 3})

    assert shown(cut.read(read_pb2.GetResponse).nodes) == of_get(peer, "a")


def test_a_page_of_text_has_it_and_a_window_has_not(peer: LocalPeer) -> None:
    page: Json = {"collection": "c", "id": "a", "page": {"property": "note"}}
    paged = asked(peer, "Slice", page).read(read_pb2.SliceResponse)
    window = asked(peer, "Slice", {"collection": "c", "id": "a3"}).read(read_pb2.SliceResponse)

    assert shown(paged.passages) == of_get(peer, "a")
    assert set(shown(window.passages).values()) == {""}


@pytest.mark.parametrize(
    ("call", "request_", "path"),
    [
        ("Lookup", {**LOOKUP, "kind": "KIND_EDGES", "fields": ["revision"]}, "fields[0]"),
        ("Lookup", {"collection": "c", "filter": "revision = x"}, "filter"),
        ("Lookup", {**LOOKUP, "sort": ["revision"]}, "sort[0]"),
        ("Lookup", {**LOOKUP, "facets": {"x": {"field": "revision"}}}, "facets.x.field"),
        ("Expand", {**EXPAND, "edge_fields": ["revision"]}, "edge_fields[0]"),
        ("Slice", {"collection": "c", "id": "a", "page": {"property": "revision"}}, "page.property"),
    ],
)  # fmt: skip
def test_it_can_be_named_nowhere_else(
    peer: LocalPeer, call: str, request_: Json, path: str
) -> None:
    reply = asked(peer, call, request_)

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({path}))


def test_a_property_of_that_name_is_named_in_full(peer: LocalPeer) -> None:
    put: Json = {"put_nodes": [{"id": "r", "properties": {"revision": {"string_value": "mine"}}}]}
    assert applied(peer, {"collection": "c", "batch": put}).code == "OK"

    def fields(*names: str) -> types_pb2.Node:
        reply = asked(peer, "Get", {"collection": "c", "ids": ["r"], "fields": list(names)})
        return reply.read(read_pb2.GetResponse).nodes[0]

    assert len(fields("revision").revision) == 64
    assert not fields("revision").properties
    assert fields("properties.revision").properties["revision"].string_value == "mine"
    found = asked(peer, "Lookup", {"collection": "c", "filter": "revision = mine"})
    assert shown(found.read(read_pb2.LookupResponse).nodes) == {"r": ""}


def test_who_may_not_read_a_field_sees_another_revision(peer: LocalPeer) -> None:
    settings = ParseDict({"name": "c", "fields": SETTINGS["fields"]}, store_pb2.Collection())
    settings.fields.add(name="size", kind=types_pb2.FIELD_KIND_INT, readers=["group:hr"])
    request = store_pb2.UpdateCollectionRequest(collection=settings)
    request.update_mask.paths.append("fields")
    before = of_get(peer, "a", caller=Caller("ada"))
    updated = peer.call("StoreService/UpdateCollection", request, caller=OPERATOR)
    assert updated.code == "OK", updated.message

    hidden = of_get(peer, "a", caller=Caller("ada"))
    known = of_get(peer, "a", caller=Caller("eva", frozenset({"group:hr"})))

    assert known == before != hidden
