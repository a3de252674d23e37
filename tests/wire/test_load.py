"""A stream of batches: each is one commit with one acknowledgement, and faults name their place."""

from collections.abc import Iterator

import pytest
from google.rpc import error_details_pb2, status_pb2

from passageway.v1 import read_pb2, store_pb2
from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.wire.local import LocalServer, Reply


@pytest.fixture
def server() -> LocalServer:
    """A server with the collection c."""
    server = LocalServer()
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    create = store_pb2.CreateCollectionRequest(collection=settings).SerializeToString()
    assert server.call("StoreService/CreateCollection", create, caller=OPERATOR).code == "OK"
    return server


def putting(*ids: str, collection: str = "c") -> store_pb2.LoadRequest:
    request = store_pb2.LoadRequest(collection=collection)
    for id in ids:
        request.batch.put_nodes.add(id=id)
    return request


def loaded(
    server: LocalServer, *requests: store_pb2.LoadRequest, caller: Caller = OPERATOR
) -> tuple[list[store_pb2.LoadResponse], Reply]:
    encoded: Iterator[bytes] = (request.SerializeToString() for request in requests)
    answers, reply = server.stream("StoreService/Load", encoded, caller=caller)
    return [store_pb2.LoadResponse.FromString(answer) for answer in answers], reply


def present(server: LocalServer, *ids: str) -> list[str]:
    request = read_pb2.GetRequest(collection="c", ids=ids).SerializeToString()
    reply = server.call("GraphService/Get", request, caller=OPERATOR)
    return [node.id for node in read_pb2.GetResponse.FromString(reply.response).nodes]


def places(reply: Reply) -> list[str]:
    found = error_details_pb2.BadRequest()
    for detail in status_pb2.Status.FromString(reply.details).details:
        if detail.Unpack(found):
            return [violation.field for violation in found.field_violations]
    return []


def test_each_batch_is_acknowledged_and_counts_go_on(server: LocalServer) -> None:
    second = putting("b", "c", collection="")
    second.batch.put_edges.add(id="e", source="a", target="absent")

    answers, reply = loaded(server, putting("a"), second)

    assert reply.code == "OK"
    assert [(one.batch, one.nodes, one.edges) for one in answers] == [(1, 1, 0), (2, 3, 1)]
    assert answers[-1].dangling_edges == 1
    assert answers[0].version < answers[1].version
    assert present(server, "a", "b", "c") == ["a", "b", "c"]


def test_a_fault_ends_the_stream_and_earlier_batches_stay(server: LocalServer) -> None:
    bad = putting("x", "", "y")
    bad.batch.put_edges.add(id="e", source="x", target="y", weight=-1.0)

    answers, reply = loaded(server, putting("a"), bad, putting("z"))

    assert len(answers) == 1
    assert reply.code == "INVALID_ARGUMENT"
    assert places(reply) == ["batch.put_nodes[1].id", "batch.put_edges[0].weight"]
    assert present(server, "a", "x", "y", "z") == ["a"]


def test_a_cut_preview_names_its_place_in_the_batch(server: LocalServer) -> None:
    bad = putting("x")
    bad.batch.put_nodes[0].content_truncated = True

    _, reply = loaded(server, bad)

    assert places(reply) == ["batch.put_nodes[0].content_truncated"]


def test_another_collection_on_the_way_is_refused(server: LocalServer) -> None:
    answers, reply = loaded(server, putting("a"), putting("b", collection="d"))

    assert (len(answers), places(reply)) == (1, ["collection"])


def test_bytes_that_are_no_batch_end_the_stream(server: LocalServer) -> None:
    answers, reply = server.stream(
        "StoreService/Load", [putting("a").SerializeToString(), b"\xff"], caller=OPERATOR
    )

    assert (len(answers), reply.code) == (1, "INVALID_ARGUMENT")


def test_an_empty_stream_is_fine(server: LocalServer) -> None:
    assert loaded(server) == ([], Reply("OK"))


def test_a_reader_may_not_load(server: LocalServer) -> None:
    _, reply = loaded(server, putting("a"), caller=Caller.holding(["group:eng"]))

    assert reply.code == "PERMISSION_DENIED"


@pytest.mark.parametrize("ids", [["a"], []])
def test_an_unknown_collection_is_not_found(server: LocalServer, ids: list[str]) -> None:
    _, reply = loaded(server, putting(*ids, collection="none"))

    assert reply.code == "NOT_FOUND"
