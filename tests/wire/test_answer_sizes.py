"""Answers that no message would carry are refused before they are made, all parts of one summed up.

The bound is lowered to what an answer takes on the wire: somewhat more lets it pass, somewhat less does not.
"""

from collections.abc import Generator, Mapping

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from passageway_server.engine import sizes
from tests.peers import OPERATOR, Caller, LocalPeer, Reply, fill

ADA = Caller(sub="ada")
LONG = 2000


def text(letter: str) -> str:
    return letter * LONG


def id_of(letter: str) -> str:
    return letter * 500


def rows(prefix: str = "", readers: str = "public") -> store_pb2.Batch:
    """A star of rows that have something long everywhere; each id of it is long too."""
    hub, tips = prefix + id_of("h"), [prefix + id_of(letter) for letter in "abc"]
    prose = types_pb2.Value(string_value=text("p"))
    nodes = [
        types_pb2.Node(
            id=id,
            type=prefix + text("t"),
            name=prefix + text("n"),
            content=prefix + text("c"),
            status=prefix + text("s"),
            project=prefix + text("j"),
            readers=[readers],
            properties={"word": prose},
        )
        for id in (hub, *tips)
    ]
    nodes[0].links["near"].values.extend(tips)
    edges = [
        types_pb2.Edge(
            id="e" + tip,
            source=hub,
            target=tip,
            type="E" if prefix else text("E"),
            readers=[readers],
            properties={"word": prose},
        )
        for tip in tips
    ]
    spans = [
        types_pb2.Passage(
            id=f"{prefix}{n}", parent_id=hub, index=n, breadcrumb=text("b"), content=text("v")
        )
        for n in range(3)
    ]
    return store_pb2.Batch(put_nodes=nodes, put_edges=edges, put_passages=spans)


def facets() -> Mapping[str, query_pb2.Facet]:
    names = ("id", "name", "type", "word", "near")
    return {name: query_pb2.Facet(field=name, limit=-1) for name in names}


HUB, TIP = id_of("h"), id_of("a")
SEEDS = [graph_pb2.SeedGroup(ids=[HUB])]
EVERY = "id:* OR NOT id:*"
CALLS: dict[str, tuple[str, Message]] = {
    "nodes": (
        "GraphService/Lookup",
        read_pb2.LookupRequest(filter=EVERY, content_max_chars=50_000),
    ),
    "some of nodes": (
        "GraphService/Lookup",
        read_pb2.LookupRequest(filter=EVERY, fields=["id", "near"]),
    ),
    "edges": (
        "GraphService/Lookup",
        read_pb2.LookupRequest(filter=EVERY, kind=read_pb2.LookupRequest.KIND_EDGES),
    ),
    "facets": (
        "GraphService/Lookup",
        read_pb2.LookupRequest(filter=EVERY, page_size=0, facets=facets()),
    ),
    "nodes and facets": (
        "GraphService/Lookup",
        read_pb2.LookupRequest(filter=EVERY, facets=facets(), content_max_chars=50_000),
    ),
    "get": (
        "GraphService/Get",
        read_pb2.GetRequest(ids=[HUB, TIP], content_max_chars=50_000),
    ),
    "slice": ("GraphService/Slice", read_pb2.SliceRequest(id="1")),
    "describe": ("GraphService/Describe", read_pb2.DescribeRequest()),
    "packed hits and facets": (
        "GraphService/Expand",
        graph_pb2.ExpandRequest(seeds=SEEDS, hops=[graph_pb2.Hop()], facets=facets(), limit=-1),
    ),
    "hits, subgraph and search": (
        "GraphService/Expand",
        graph_pb2.ExpandRequest(
            seeds=SEEDS,
            hops=[graph_pb2.Hop()],
            with_edges=True,
            with_subgraph=True,
            limit=-1,
            search=query_pb2.Query(filter=EVERY),
        ),
    ),
    "paths": ("GraphService/Paths", graph_pb2.PathsRequest(sources=[HUB], targets=[TIP])),
}


@pytest.fixture(scope="module")
def peer() -> Generator[LocalPeer]:
    """The collection c, and d, which has as many rows that ADA may not read."""
    peer = LocalPeer()
    fill(peer, store_pb2.Collection(name="c"), [rows()])
    fill(peer, store_pb2.Collection(name="d"), [rows(), rows("hidden", "user:eve")])
    yield peer
    peer.close()


def ask(peer: LocalPeer, call: str, collection: str) -> Reply:
    method, template = CALLS[call]
    request = type(template)()
    request.CopyFrom(template)
    request.collection = collection  # type: ignore[attr-defined]
    return peer.call(method, request, caller=ADA)


@pytest.mark.parametrize("call", CALLS)
def test_an_answer_is_refused_that_takes_more_than_a_message_carries(
    peer: LocalPeer, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    whole = ask(peer, call, "c")
    assert whole.code == "OK", whole.message
    assert len(whole.response) > 2 * LONG

    monkeypatch.setattr(sizes, "MOST_BYTES", int(1.05 * len(whole.response)))
    assert ask(peer, call, "c").code == "OK"
    monkeypatch.setattr(sizes, "MOST_BYTES", int(0.95 * len(whole.response)))
    refused = ask(peer, call, "c")

    assert refused.code == "RESOURCE_EXHAUSTED"
    assert b"ANSWER_BYTES" in refused.details


@pytest.mark.parametrize("call", CALLS)
def test_what_is_refused_does_not_tell_of_hidden_rows(
    peer: LocalPeer, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    size = len(ask(peer, call, "c").response)
    for bound in range(int(0.9 * size), int(1.1 * size), max(size // 100, 1)):
        monkeypatch.setattr(sizes, "MOST_BYTES", bound)

        codes = {ask(peer, call, collection).code for collection in "cd"}

        assert len(codes) == 1


def test_readers_that_an_admin_is_shown_count(
    peer: LocalPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    principals = [f"group:{number:04}" for number in range(500)]
    nodes = [types_pb2.Node(id=f"n{number}", readers=principals) for number in range(10)]
    fill(peer, store_pb2.Collection(name="r"), [store_pb2.Batch(put_nodes=nodes)])
    request = read_pb2.LookupRequest(collection="r", filter="id:*")
    whole = peer.call("GraphService/Lookup", request, caller=OPERATOR)

    monkeypatch.setattr(sizes, "MOST_BYTES", int(0.95 * len(whole.response)))

    assert peer.call("GraphService/Lookup", request, caller=OPERATOR).code == "RESOURCE_EXHAUSTED"


LISTS = {
    "empty_strings": types_pb2.Value(strings=types_pb2.StringList(values=[""] * LONG)),
    "strings": types_pb2.Value(strings=types_pb2.StringList(values=["a", "bc"] * LONG)),
    "zeros": types_pb2.Value(ints=types_pb2.IntList(values=[0] * LONG)),
    "ints": types_pb2.Value(ints=types_pb2.IntList(values=[-1, 127, 128, 1 << 40] * LONG)),
    "doubles": types_pb2.Value(doubles=types_pb2.DoubleList(values=[0.0, 0.5] * LONG)),
    "bools": types_pb2.Value(bools=types_pb2.BoolList(values=[True, False] * LONG)),
    "times": types_pb2.Value(
        times=types_pb2.TimeList(values=[Timestamp(seconds=1_700_000_000)] * LONG)
    ),
}


@pytest.mark.parametrize("kind", LISTS)
def test_short_values_count_as_the_message_carries_them(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    peer = LocalPeer()
    node = types_pb2.Node(id="n", readers=["public"], properties={kind: LISTS[kind]})
    times = store_pb2.Field(name="times", kind=types_pb2.FIELD_KIND_TIME, repeated=True)
    collection = store_pb2.Collection(name="c", fields=[times])
    fill(peer, collection, [store_pb2.Batch(put_nodes=[node])])

    assert_measured(peer, read_pb2.LookupRequest(collection="c", filter="id:n"), monkeypatch)
    peer.close()


def test_short_links_count_as_the_message_carries_them(monkeypatch: pytest.MonkeyPatch) -> None:
    peer = LocalPeer()
    ids = [f"{number:x}" for number in range(LONG)]
    nodes = [types_pb2.Node(id=id, readers=["public"]) for id in ids]
    nodes[0].links["near"].values.extend(ids)
    fill(peer, store_pb2.Collection(name="c"), [store_pb2.Batch(put_nodes=nodes)])

    assert_measured(peer, read_pb2.LookupRequest(collection="c", filter='id:"0"'), monkeypatch)
    peer.close()


def assert_measured(
    peer: LocalPeer, request: read_pb2.LookupRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer passes under a bound of what it takes, and does not under one of 5 % less."""
    whole = peer.call("GraphService/Lookup", request, caller=ADA)
    assert len(whole.response) > LONG
    monkeypatch.setattr(sizes, "MOST_BYTES", len(whole.response))
    assert peer.call("GraphService/Lookup", request, caller=ADA).code == "OK"
    monkeypatch.setattr(sizes, "MOST_BYTES", int(0.95 * len(whole.response)))
    refused = peer.call("GraphService/Lookup", request, caller=ADA)
    assert b"ANSWER_BYTES" in refused.details
