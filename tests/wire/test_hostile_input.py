"""Hostile input, by table: each row of it gets a clear status that names the parameter, and the server lives on."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from tests.peers import OPERATOR, Caller, LocalPeer, Peer, fill, served
from tests.wire.hostile import ANSWERED, NAME, REFUSED, apply

READER = Caller(sub="ada")

ODD_IDS = [
    'quo"te',
    "it's",
    "back\\slash",
    "new\nline\r\n",
    "tab\t",
    "50%s %d {x}",
    "emoji 😀👩‍👩‍👧",
    "\u202eright to left שלום",
    "caf\u00e9",
    "cafe\u0301",
    "../../etc/passwd",
    "'; DROP TABLE nodes; --",
    " ",
    "x" * 1024,
    "é" * 512,
    "\uffff\U0010ffff",
]


@pytest.fixture(scope="module", params=["in process", "grpc"])
def peer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Peer]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    with ExitStack() as stack:
        peer: Peer
        if request.param == "grpc":
            peer = stack.enter_context(served(folder, [READER]))
        else:
            peer = LocalPeer()
            stack.callback(peer.close)
        fill(
            peer,
            store_pb2.Collection(
                name=NAME,
                default_readers=["public"],
                fields=[
                    store_pb2.Field(name="due", kind=types_pb2.FIELD_KIND_TIME),
                    store_pb2.Field(name="count", kind=types_pb2.FIELD_KIND_INT),
                ],
            ),
            [
                store_pb2.Batch(
                    put_nodes=[types_pb2.Node(id="a", name="A"), types_pb2.Node(id="b")],
                    put_edges=[types_pb2.Edge(id="ab", source="a", target="b", type="T")],
                )
            ],
        )
        yield peer


@pytest.mark.parametrize("what", [*REFUSED, *ANSWERED])
def test_hostile_input_gets_a_clear_status_and_the_server_lives(peer: Peer, what: str) -> None:
    attempt = (REFUSED | ANSWERED)[what]

    reply = peer.call(attempt.method, attempt.request, caller=OPERATOR)

    assert reply.code == attempt.code, reply.message
    assert reply.faults() == attempt.faults, reply.message
    assert alive(peer)


@pytest.mark.parametrize("id", ODD_IDS, ids=range(len(ODD_IDS)))
def test_an_odd_id_is_put_got_walked_and_found_as_it_is(peer: Peer, id: str) -> None:
    put = apply(
        nodes=[types_pb2.Node(id=id, type="odd")],
        edges=[types_pb2.Edge(id=id, source="a", target=id, type=id)],
        code="OK",
    )
    assert peer.call(put.method, put.request, caller=OPERATOR).code == "OK"

    got = peer.call(
        "GraphService/Get", read_pb2.GetRequest(collection=NAME, ids=[id]), caller=READER
    ).read(read_pb2.GetResponse)
    walked = peer.call(
        "GraphService/Expand",
        graph_pb2.ExpandRequest(
            collection=NAME,
            seeds=[graph_pb2.SeedGroup(ids=["a"])],
            hops=[graph_pb2.Hop(edges=query_pb2.EdgeSpec(types=[id]))],
            with_edges=True,
        ),
        caller=READER,
    ).read(graph_pb2.ExpandResponse)
    found = peer.call(
        "GraphService/Lookup",
        read_pb2.LookupRequest(
            collection=NAME, filter="id = $id", vars={"id": types_pb2.Value(string_value=id)}
        ),
        caller=READER,
    ).read(read_pb2.LookupResponse)

    assert [row.id for row in got.nodes] == [id]
    assert [hit.node.id for hit in walked.hits if hit.edge.id == id] == [id]
    assert [row.id for row in found.nodes] == [id]
    assert alive(peer)


def test_a_refused_batch_leaves_nothing_behind(peer: Peer) -> None:
    bad = apply(nodes=[types_pb2.Node(id="kept-out"), types_pb2.Node(id="")])

    refused = peer.call(bad.method, bad.request, caller=OPERATOR)
    got = peer.call(
        "GraphService/Get", read_pb2.GetRequest(collection=NAME, ids=["kept-out"]), caller=READER
    ).read(read_pb2.GetResponse)

    assert refused.faults() == {"batch.put_nodes[1].id"}
    assert list(got.unresolved) == ["kept-out"]


def alive(peer: Peer) -> bool:
    """Whether an ordinary call is answered as ever."""
    request = read_pb2.GetRequest(collection=NAME, ids=["a"], fields=["name"])
    answer = peer.call("GraphService/Get", request, caller=READER).read(read_pb2.GetResponse)
    return [(row.id, row.name) for row in answer.nodes] == [("a", "A")]
