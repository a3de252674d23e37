"""Guarded writes: a batch that was made for another state is not applied, and one that came before is not applied twice."""

import json
from collections.abc import Iterator

import pytest
from google.rpc import error_details_pb2, status_pb2

from passageway.v1 import read_pb2, store_pb2
from tests.peers import OPERATOR, Caller, LocalPeer, Reply
from tests.wire.small_world import Json, applied, asked, small_peer

WIM = Caller("wim", roles=frozenset({"writer"}))
EVA = Caller("eva", roles=frozenset({"writer"}))
PUT_X: Json = {"put_nodes": [{"id": "x"}]}
PUT_Y: Json = {"put_nodes": [{"id": "y"}]}
BAD: Json = {"put_nodes": [{"id": ""}]}
OLD = "0" * 32


@pytest.fixture
def peer() -> Iterator[LocalPeer]:
    made = small_peer()
    yield made
    made.close()


def apply(peer: LocalPeer, request: Json, caller: Caller = OPERATOR) -> Reply:
    return applied(peer, {"collection": "c", **request}, caller=caller)


def version(reply: Reply) -> str:
    return reply.read(store_pb2.ApplyResponse).version


def newest(peer: LocalPeer) -> str:
    return asked(peer, "Get", {"collection": "c", "ids": ["a"]}).read(read_pb2.GetResponse).version


def present(peer: LocalPeer, *ids: str) -> list[str]:
    found = asked(peer, "Get", {"collection": "c", "ids": list(ids)}).read(read_pb2.GetResponse)
    return [node.id for node in found.nodes]


def revision(peer: LocalPeer, id: str) -> str:
    found = asked(peer, "Get", {"collection": "c", "ids": [id]}).read(read_pb2.GetResponse)
    return found.nodes[0].revision


def told(reply: Reply) -> tuple[str, dict[str, str]]:
    """The reason, and what belongs to it."""
    info = error_details_pb2.ErrorInfo()
    status = status_pb2.Status.FromString(reply.details)
    assert any(detail.Unpack(info) for detail in status.details)
    return info.reason, dict(info.metadata)


def test_a_batch_for_the_newest_version_is_applied_and_one_for_an_older_is_not(
    peer: LocalPeer,
) -> None:
    first = newest(peer)
    second = version(apply(peer, {"batch": PUT_X, "if_version": first}))

    late = apply(peer, {"batch": PUT_Y, "if_version": first})

    assert late.code == "ABORTED"
    assert told(late) == ("VERSION_MOVED", {"newest": second})
    assert present(peer, "x", "y") == ["x"]


def test_a_batch_for_rows_as_they_are_is_applied(peer: LocalPeer) -> None:
    guard = {"a": revision(peer, "a"), "a0": revision(peer, "a0"), "x": ""}

    assert apply(peer, {"batch": PUT_X, "if_revisions": guard}).code == "OK"
    assert present(peer, "x") == ["x"]


def test_rows_that_moved_are_named_and_nothing_is_applied(peer: LocalPeer) -> None:
    was = {id: revision(peer, id) for id in ("a", "a0", "b", "c")}
    change: Json = {
        "put_nodes": [{"id": "a", "name": "other"}],
        "delete_nodes": ["b"],
    }
    moved = version(apply(peer, {"batch": change}))

    late = apply(peer, {"batch": PUT_X, "if_revisions": {**was, "d": "", "new": ""}})

    reason, metadata = told(late)
    assert (late.code, reason) == ("ABORTED", "REVISIONS_MOVED")
    assert json.loads(metadata["ids"]) == ["a", "b", "d"]
    assert (metadata["newest"], metadata["count"]) == (moved, "3")
    assert present(peer, "x") == []


def test_links_readers_and_spans_leave_a_revision_as_it_is(peer: LocalPeer) -> None:
    was = revision(peer, "c")
    again: Json = {
        "id": "c",
        "type": "team",
        "name": "Gamma",
        "properties": {"size": {"int_value": 2}},
        "readers": ["group:eng"],
        "links": {"KNOWS": {"values": ["a"]}},
    }

    assert apply(peer, {"batch": {"put_nodes": [again]}}).code == "OK"

    assert revision(peer, "c") == was


def test_a_row_counts_whoever_may_read_it(peer: LocalPeer) -> None:
    """A put takes over any id: an empty revision keeps a writer from doing so unknowingly."""
    hidden: Json = {"put_nodes": [{"id": "x", "readers": ["user:eva"]}]}
    assert apply(peer, {"batch": hidden}).code == "OK"

    reply = apply(peer, {"batch": PUT_X, "if_revisions": {"x": ""}}, WIM)

    assert reply.code == "ABORTED"


def test_the_same_batch_under_the_same_key_is_applied_once(peer: LocalPeer) -> None:
    once: Json = {"batch": PUT_X, "idempotency_key": "k"}
    first = apply(peer, once)
    assert apply(peer, {"batch": {"delete_nodes": ["x"]}}).code == "OK"

    second = apply(peer, once)

    assert second.response == first.response
    assert present(peer, "x") == []


def test_a_key_is_looked_at_before_the_guards(peer: LocalPeer) -> None:
    once: Json = {
        "batch": PUT_X,
        "idempotency_key": "k",
        "if_version": newest(peer),
        "if_revisions": {"x": ""},
    }

    assert apply(peer, once).response == apply(peer, once).response


def test_another_batch_under_the_key_is_refused(peer: LocalPeer) -> None:
    assert apply(peer, {"batch": PUT_X, "idempotency_key": "k"}).code == "OK"

    reply = apply(peer, {"batch": PUT_Y, "idempotency_key": "k", "if_version": OLD})

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({"idempotency_key"}))
    assert present(peer, "y") == []


def test_a_key_is_its_callers_and_its_collections_own(peer: LocalPeer) -> None:
    assert apply(peer, {"batch": PUT_X, "idempotency_key": "k"}, WIM).code == "OK"

    assert apply(peer, {"batch": PUT_Y, "idempotency_key": "k"}, EVA).code == "OK"
    other = applied(peer, {"collection": "other", "batch": PUT_Y, "idempotency_key": "k"}, WIM)

    assert other.code == "OK"
    assert present(peer, "x", "y") == ["x", "y"]


def test_a_batch_that_failed_leaves_its_key_free(peer: LocalPeer) -> None:
    assert apply(peer, {"batch": BAD, "idempotency_key": "k"}).code == "INVALID_ARGUMENT"
    late: Json = {"batch": PUT_Y, "idempotency_key": "k", "if_version": OLD}
    assert apply(peer, late).code == "ABORTED"

    assert apply(peer, {"batch": PUT_X, "idempotency_key": "k"}).code == "OK"


def test_guards_come_before_the_faults_of_the_batch(peer: LocalPeer) -> None:
    assert apply(peer, {"batch": BAD, "if_version": OLD}).code == "ABORTED"
    assert apply(peer, {"batch": BAD, "if_revisions": {"a": ""}}).code == "ABORTED"
    late = apply(peer, {"batch": PUT_X, "if_version": OLD, "if_revisions": {"a": ""}})
    assert told(late)[0] == "VERSION_MOVED"


@pytest.mark.parametrize("character", ["k", "ä"])
def test_a_key_has_256_bytes_at_most(peer: LocalPeer, character: str) -> None:
    whole = character * (256 // len(character.encode()))

    assert apply(peer, {"batch": PUT_X, "idempotency_key": whole}).code == "OK"
    reply = apply(peer, {"batch": PUT_X, "idempotency_key": whole + character})

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({"idempotency_key"}))


def test_a_guard_holds_10000_ids_at_most(peer: LocalPeer) -> None:
    guard = {f"new{number}": "" for number in range(10_000)}

    assert apply(peer, {"batch": PUT_X, "if_revisions": guard}).code == "OK"
    reply = apply(peer, {"batch": PUT_X, "if_revisions": {**guard, "one": ""}})

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({"if_revisions"}))


def test_a_reader_learns_nothing_by_a_guard(peer: LocalPeer) -> None:
    reply = apply(peer, {"batch": PUT_X, "if_revisions": {"a": ""}}, Caller("ada"))

    assert reply.code == "PERMISSION_DENIED"


PUT_E: Json = {"put_edges": [{"id": "e", "source": "a", "target": "b"}]}


@pytest.mark.parametrize("token", ["x", "0" * 24, "0" * 31, "0" * 33, "G" * 32, "é" * 32])
def test_a_version_that_is_none_is_a_fault(peer: LocalPeer, token: str) -> None:
    reply = apply(peer, {"batch": PUT_X, "if_version": token})

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({"if_version"}))
    assert present(peer, "x") == []


def test_a_version_of_another_collection_is_not_the_newest(peer: LocalPeer) -> None:
    other = asked(peer, "Lookup", {"collection": "other"}).read(read_pb2.LookupResponse).version

    reply = apply(peer, {"batch": PUT_X, "if_version": other})

    assert (reply.code, told(reply)) == ("ABORTED", ("VERSION_MOVED", {"newest": newest(peer)}))


@pytest.mark.parametrize("revision", ["", "0" * 64])
@pytest.mark.parametrize("batch", [PUT_E, {"delete_edges": ["e"]}, PUT_X])
def test_the_id_of_an_edge_is_refused_by_name(peer: LocalPeer, batch: Json, revision: str) -> None:
    assert apply(peer, {"batch": PUT_E}).code == "OK"

    reply = apply(peer, {"batch": batch, "if_revisions": {"e": revision}})

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({"if_revisions[e]"}))
    assert "guard an edge by if_version" in reply.details.decode("utf-8", "replace")
    assert present(peer, "x") == []


@pytest.mark.parametrize("batch", [PUT_E, {"delete_edges": ["e"]}])
def test_so_is_that_of_an_edge_which_the_batch_alone_has(peer: LocalPeer, batch: Json) -> None:
    reply = apply(peer, {"batch": batch, "if_revisions": {"e": ""}})

    assert reply.faults() == frozenset({"if_revisions[e]"})


def test_an_id_that_a_node_has_too_is_that_of_the_node(peer: LocalPeer) -> None:
    assert apply(peer, {"batch": PUT_E}).code == "OK"
    node: Json = {"put_nodes": [{"id": "e"}]}

    assert apply(peer, {"batch": node, "if_revisions": {"e": ""}}).code == "OK"
    assert told(apply(peer, {"batch": PUT_X, "if_revisions": {"e": ""}}))[0] == "REVISIONS_MOVED"
    held = {"e": revision(peer, "e")}
    assert apply(peer, {"batch": PUT_E, "if_revisions": held}).code == "OK"
