"""Hits that a kernel packs are, byte for byte, those that become messages one by one."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passageway.v1 import graph_pb2, store_pb2, types_pb2
from passageway_server.authz.callers import OPERATOR
from passageway_server.service import expand as service
from passageway_server.wire.local import LocalServer

CHARACTERS = "ab \n\t\u2003\u00a0\u3000\x1f\x85éß€你好שלוםمرحبا😀👩‍👩‍👧\u0301"
LENGTHS = (0, 1, 126, 127, 128, 129, 16_383, 16_384)
texts = st.text(alphabet=CHARACTERS, max_size=30) | st.sampled_from(
    [(CHARACTERS * 800)[:length] for length in LENGTHS]
)
FIELDS = (["id"], ["name"], ["content"], ["type", "content"], ["name", "type", "content", "span"])
IDS = [f"n{i}" for i in range(8)] + ["é" * 100, "😀", "x" * 200]
STAR = [f"n{i}" for i in range(1, 8)]


@contextmanager
def one_by_one() -> Generator[None]:
    """Hits become messages as those do that cannot be packed."""
    with patch.object(service, "can_pack", return_value=False):
        yield


def server(nodes: Sequence[types_pb2.Node], batch: store_pb2.Batch | None = None) -> LocalServer:
    """A server of one collection ``c`` with *nodes*."""
    made = LocalServer(clock=lambda: 0)
    put = batch or store_pb2.Batch()
    put.put_nodes.extend(nodes)
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    settings.fields.add(name="description", kind=types_pb2.FIELD_KIND_TEXT)
    for method, request in (
        ("CreateCollection", store_pb2.CreateCollectionRequest(collection=settings)),
        ("Apply", store_pb2.ApplyRequest(collection="c", batch=put)),
    ):
        reply = made.call(f"StoreService/{method}", request.SerializeToString(), caller=OPERATOR)
        assert reply.code == "OK", reply.message
    return made


def both_ways(asked: LocalServer, **request: Any) -> graph_pb2.ExpandResponse:
    """The answer, which is the same packed and one by one, and in the order of a serializer."""
    encoded = graph_pb2.ExpandRequest(collection="c", **request).SerializeToString()
    packed = asked.call("GraphService/Expand", encoded, caller=OPERATOR)
    with one_by_one():
        plain = asked.call("GraphService/Expand", encoded, caller=OPERATOR)
    assert (packed.code, packed.response) == (plain.code, plain.response)
    answer = graph_pb2.ExpandResponse.FromString(packed.response)
    assert answer.SerializeToString(deterministic=True) == packed.response
    return answer


@st.composite
def rows(draw: st.DrawFn) -> list[types_pb2.Node]:
    """Nodes that may lead to each other, some of them with a text that stands in for the content."""
    nodes: list[types_pb2.Node] = []
    for id in IDS:
        node = types_pb2.Node(
            id=id,
            type=draw(st.sampled_from(["", "t", "långt ord" * 20])),
            name=draw(texts),
            content=draw(texts | st.just("")),
        )
        node.links["to"].values.extend(draw(st.lists(st.sampled_from(IDS), max_size=4)))
        for name in ("description", "summary"):
            match draw(st.integers(0, 3)):
                case 0:
                    node.properties[name].string_value = draw(texts)
                case 1 if name == "summary":
                    node.properties[name].strings.values.append("one of a list")
                case _:
                    pass
        nodes.append(node)
    return nodes


spans = st.lists(
    st.builds(
        store_pb2.Batch,
        put_passages=st.lists(
            st.builds(
                types_pb2.Passage,
                id=st.sampled_from(["s1", "s2", *IDS[:2]]),
                parent_id=st.sampled_from([*IDS, "absent"]),
                index=st.sampled_from([0, 1, 127, 128, 2**32 - 1]),
                total=st.none() | st.sampled_from([0, 5, 2**32 - 1]),
                content=texts,
                breadcrumb=texts,
                mentions=st.lists(st.sampled_from(IDS), max_size=2),
            ),
            max_size=2,
            unique_by=lambda passage: passage.id,
        ),
    ),
    max_size=2,
)


@given(rows(), spans, st.data())
@settings(max_examples=60, deadline=None)
def test_packed_hits_are_those_that_become_messages(
    nodes: list[types_pb2.Node], batches: list[store_pb2.Batch], data: st.DataObject
) -> None:
    asked = server(nodes)
    for batch in batches:
        put = store_pb2.ApplyRequest(collection="c", batch=batch)
        asked.call("StoreService/Apply", put.SerializeToString(), caller=OPERATOR)
    hop = graph_pb2.Hop(decay=0.3)
    hop.edges.direction = data.draw(st.sampled_from(types_pb2.Direction.values()))

    both_ways(
        asked,
        seeds=[
            graph_pb2.SeedGroup(
                ids=data.draw(st.lists(st.sampled_from([*IDS, "s1", "none"]), min_size=1)),
                weight=data.draw(st.floats(min_value=1e-300, max_value=1e300)),
            )
        ],
        hops=[hop] * data.draw(st.integers(0, 2)),
        fields=data.draw(st.sampled_from(FIELDS)),
        limit=data.draw(st.integers(-1, 12)),
        content_max_chars=data.draw(st.integers(0, 40) | st.sampled_from([500, 16_384, 50_000])),
        with_scores=data.draw(st.booleans()),
        include_seeds=data.draw(st.booleans()),
        with_subgraph=data.draw(st.booleans()),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "ab cd ef gh",
        "wörd \u2003 another\u00a0one\u3000end\x85x\u1680y\u205fz\u202f",
        "😀😀 😀 👩‍👩‍👧 😀😀😀",
        "שלום עולם مرحبا بالعالم",
        "你好世界\u3000再见世界",
        " " * 12,
        "\x1c\x1d\x1e\x1f\u2028\u2029",
        "e\u0301 " * 6,
    ],
)
def test_a_content_is_cut_alike_at_every_budget(text: str) -> None:
    asked = server([types_pb2.Node(id="a", content=text), types_pb2.Node(id="b")])

    for budget in range(len(text) + 3):
        answer = both_ways(
            asked,
            seeds=[graph_pb2.SeedGroup(ids=["a", "b"])],
            fields=["content"],
            content_max_chars=budget,
        )
        node = {hit.node.id: hit.node for hit in answer.hits}["a"]
        assert len(node.content) <= budget
        assert node.content_truncated == (len(text) > budget)


def test_an_answer_of_any_size_is_packed() -> None:
    nodes = [types_pb2.Node(id=f"n{i}", content="word " * 10_000) for i in range(20)]
    ids = [node.id for node in nodes]

    answer = both_ways(
        server(nodes),
        seeds=[graph_pb2.SeedGroup(ids=ids)],
        limit=-1,
        fields=["content"],
        content_max_chars=50_000,
    )

    assert [len(hit.node.content) for hit in answer.hits] == [50_000] * 20


def test_what_a_version_put_later_is_what_it_packs() -> None:
    asked = server([types_pb2.Node(id="a", name="first", content="")])
    group = graph_pb2.SeedGroup(ids=["a"])
    both_ways(asked, seeds=[group], fields=["name", "content"])

    again = store_pb2.ApplyRequest(collection="c")
    again.batch.put_nodes.add(id="a", name="second").properties["summary"].string_value = "S"
    asked.call("StoreService/Apply", again.SerializeToString(), caller=OPERATOR)

    (hit,) = both_ways(asked, seeds=[group], fields=["name", "content"]).hits
    assert (hit.node.name, hit.node.content) == ("second", "S")
