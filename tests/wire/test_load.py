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


def keyed(key: str, *ids: str) -> store_pb2.LoadRequest:
    request = putting(*ids)
    request.idempotency_key = key
    return request


def resuming(name: str, collection: str = "c") -> store_pb2.LoadRequest:
    return store_pb2.LoadRequest(collection=collection, idempotency_key=name, resume=True)


WIM, EVA = (Caller.known(sub, principals=(), roles=("writer",)) for sub in ("wim", "eva"))


def test_a_batch_under_a_key_is_loaded_once(server: LocalServer) -> None:
    first, _ = loaded(
        server, keyed("m/aaaaaaaaaaaaaaaa/1", "a"), keyed("m/aaaaaaaaaaaaaaaa/2", "b")
    )
    drop = store_pb2.ApplyRequest(collection="c", batch=store_pb2.Batch(delete_nodes=["a"]))
    assert server.call("StoreService/Apply", drop.SerializeToString(), caller=OPERATOR).code == "OK"

    again, reply = loaded(
        server, keyed("m/aaaaaaaaaaaaaaaa/1", "a"), keyed("m/aaaaaaaaaaaaaaaa/3", "c")
    )

    assert reply.code == "OK"
    assert again[0].version == first[0].version
    assert [one.nodes for one in again] == [1, 2]
    assert present(server, "a", "b", "c") == ["b", "c"]


def test_another_batch_under_a_key_ends_the_stream(server: LocalServer) -> None:
    answers, reply = loaded(
        server, keyed("m/aaaaaaaaaaaaaaaa/1", "a"), keyed("m/aaaaaaaaaaaaaaaa/1", "b")
    )

    assert (len(answers), places(reply)) == (1, ["idempotency_key"])
    assert present(server, "a", "b") == ["a"]


def test_a_load_that_is_gone_on_with_is_told_where(server: LocalServer) -> None:
    before, _ = loaded(
        server, keyed("m/aaaaaaaaaaaaaaaa/1", "a"), keyed("m/aaaaaaaaaaaaaaaa/2", "b")
    )

    answers, reply = loaded(server, resuming("m"), keyed("m/bbbbbbbbbbbbbbbb/3", "c"))

    assert reply.code == "OK"
    assert [(one.batch, one.nodes) for one in answers] == [(2, 0), (1, 1)]
    assert answers[0].version == before[-1].version
    assert loaded(server, resuming("m"))[0][0].batch == 3


def test_the_latest_load_of_a_name_counts(server: LocalServer) -> None:
    loaded(server, keyed("m/aaaaaaaaaaaaaaaa/1", "a"), keyed("m/aaaaaaaaaaaaaaaa/2", "b"))
    loaded(server, keyed("m/bbbbbbbbbbbbbbbb/1", "a"))

    assert loaded(server, resuming("m"))[0][0].batch == 1


@pytest.mark.parametrize("name", ["other", "m/aaaaaaaaaaaaaaaa", "m/aaaaaaaaaaaaaaaa/1", "m/"])
def test_a_load_that_is_not_known_is_at_its_beginning(server: LocalServer, name: str) -> None:
    loaded(
        server,
        keyed("m/aaaaaaaaaaaaaaaa/1", "a"),
        keyed("m", "b"),
        keyed("m/aaaaaaaaaaaaaaaa/x", "c"),
    )

    answers, reply = loaded(server, resuming(name))

    assert (reply.code, answers) == ("OK", [store_pb2.LoadResponse()])


def test_a_load_is_its_callers_own(server: LocalServer) -> None:
    loaded(server, keyed("m/aaaaaaaaaaaaaaaa/1", "a"), caller=WIM)

    assert loaded(server, resuming("m"), caller=EVA)[0][0].batch == 0
    assert loaded(server, resuming("m"), caller=WIM)[0][0].batch == 1


def test_a_reader_may_not_ask_how_far_a_load_came(server: LocalServer) -> None:
    _, reply = loaded(server, resuming("m"), caller=Caller.holding(["group:eng"]))

    assert reply.code == "PERMISSION_DENIED"


def test_what_resume_does_not_go_with_is_refused(server: LocalServer) -> None:
    nameless = resuming("")
    with_batch = resuming("m")
    with_batch.batch.put_nodes.add(id="a")
    long = resuming("m" * 257)

    for first, place in (
        (nameless, "idempotency_key"),
        (with_batch, "batch"),
        (long, "idempotency_key"),
    ):
        answers, reply = loaded(server, first)
        assert (answers, reply.code, places(reply)) == ([], "INVALID_ARGUMENT", [place])
    answers, reply = loaded(server, putting("a"), resuming("m", collection=""))
    assert (len(answers), places(reply)) == (1, ["resume"])
    answers, reply = loaded(server, keyed("k" * 257, "z"))
    assert places(reply) == ["idempotency_key"]
    assert present(server, "z") == []
