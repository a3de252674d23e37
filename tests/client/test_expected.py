"""A value of a wrong type is told by the name of its parameter, with what that takes; never in protobuf's words."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from passageway import (
    AsyncClient,
    Batch,
    Budget,
    Client,
    Collection,
    CollectionClient,
    EdgeSpec,
    Facet,
    Hop,
    Node,
    Passage,
    Query,
    SeedGroup,
)
from passageway._generated import methods
from passageway.v1 import store_pb2
from tests.client.fake import FakeServer

Call = Callable[[CollectionClient], object]


def wrong(value: object) -> Any:
    return value


CALLS: list[tuple[Call, str]] = [
    (lambda c: c.load([wrong(Node("a"))]), "batches: takes Batch values, not a Node; write [Batch(put_nodes=[…])]"),
    (lambda c: c.load([wrong({"id": "a"})]), "batches: takes Batch values, not a dict"),
    (lambda c: c.load(wrong({"id": "a"})), "batches: takes Batch values, one after another, not a dict"),
    (lambda c: c.load(wrong(7)), "batches: takes Batch values, one after another, not an int"),
    (lambda c: c.apply(wrong(Node("a"))), "batch: takes a Batch, not a Node"),
    (
        lambda c: c.apply(Batch(put_nodes=[wrong({"id": "a"})])),
        "batch.put_nodes[0]: takes a Node, not a dict; write Node(…), or Node.from_dict(…)",
    ),
    (lambda c: c.apply(Batch(put_nodes=wrong(Node("a")))), "batch.put_nodes: takes a list of Node, not a Node; write [Node(…)]"),
    (lambda c: c.apply(Batch(put_nodes=[Node("a", name=wrong(5))])), "batch.put_nodes[0].name: takes a string, not an int"),
    (lambda c: c.apply(Batch(put_nodes=[Node("a", links={"x": "y"})])), "batch.put_nodes[0].links['x']: write ['y'], a list of strings, not one string"),
    (lambda c: c.apply(Batch(put_nodes=[Node("a", properties=wrong(5))])), "batch.put_nodes[0].properties: takes a dict, not an int"),
    (lambda c: c.expand(["x"], hops=[wrong("Depends")]), "hops[0]: takes a Hop, not the string 'Depends'; write Hop(['Depends'])"),
    (lambda c: c.expand(["x"], hops=wrong(Hop())), "hops: takes a list of Hop, not a Hop; write [Hop(…)]"),
    (lambda c: c.expand(["x"], hops=[Hop(["D"], decay=wrong("x"))]), "hops[0].decay: takes a number, not the string 'x'"),
    (lambda c: c.expand(["x"], hops=[Hop("Depends")]), "hops[0].types: write ['Depends'], a list of strings, not one string"),
    (lambda c: c.expand(["x"], limit=wrong("x")), "limit: takes a whole number, not the string 'x'"),
    (lambda c: c.expand(["x"], with_edges=wrong("yes")), "with_edges: takes True or False, not the string 'yes'"),
    (lambda c: c.expand([wrong(5)]), "seeds[0]: takes a SeedGroup or a string, not an int"),
    (lambda c: c.expand("x"), "seeds: write ['x'], a list of strings, not one string"),
    (lambda c: c.expand(wrong(5)), "seeds: takes a list of SeedGroup or strings, not an int"),
    (lambda c: c.get(["a", wrong(5)]), "ids[1]: takes a string, not an int"),
    (lambda c: c.paths(["a"], ["b"], edges=[wrong("x")]), "edges[0]: takes an EdgeSpec, not the string 'x'; write EdgeSpec(['x'])"),
    (lambda c: c.slice("a", page=wrong("content")), "page: takes a TextPageRequest, not the string 'content'"),
    (lambda c: c.lookup("x", vars=wrong(5)), "vars: takes a dict, not an int"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "told"), CALLS, ids=[told for _, told in CALLS])
def test_a_wrong_type_is_told_by_its_parameter(client: Client, call: Call, told: str) -> None:
    with pytest.raises(TypeError) as raised:
        call(client.collection("debian"))

    assert str(raised.value) == told


async def test_the_asynchronous_twin_tells_the_same(async_client: AsyncClient) -> None:
    collection = async_client.collection("debian")

    with pytest.raises(TypeError, match=r"hops\[0\]: takes a Hop"):
        await collection.expand(["x"], hops=[wrong("Depends")])
    with pytest.raises(TypeError, match="batches: takes Batch values, not a Node"):
        await collection.load([wrong(Node("a"))])


def test_a_client_names_its_parameters_too(client: Client) -> None:
    with pytest.raises(TypeError, match="collection: takes a Collection or a string, not an int"):
        client.create_collection(wrong(5))
    with pytest.raises(TypeError, match=r"collection.fields\[0\]: takes a Field"):
        client.create_collection(Collection("c", fields=[wrong("size")]))


def test_what_is_of_its_type_and_still_wrong_keeps_its_own_text(client: Client) -> None:
    with pytest.raises(ValueError, match="none of sum, max"):
        client.collection("c").expand(["a"], propagate=wrong("mean"))
    with pytest.raises(TypeError, match=r"properties\['x'\]: a property cannot be"):
        client.collection("c").apply(Batch(put_nodes=[Node("a", properties={"x": wrong({})})]))


NUMBERS: list[tuple[Call, str]] = [
    (lambda c: c.lookup("x", page_size=-1), "page_size: is -1; at least 0"),
    (lambda c: c.expand(["x"], limit=-(10**12)), "limit: is -1000000000000; at least -2147483648"),
    (lambda c: c.expand(["x"], limit=10**12), "limit: is 1000000000000; at most 2147483647"),
    # A limit of -1 is no mistake, and is not taken for one.
    (lambda c: c.expand(["x"], limit=-1, hops=[Hop(["a"]), Hop(["b"], max_degree=-1)]), "hops[1].max_degree: is -1; at least 0"),
    (lambda c: c.expand([SeedGroup(query=Query(limit=-2))], hops=[]), "seeds[0].query.limit: is -2; at least 0"),
    (lambda c: c.expand(["x"], budget=Budget(nodes=-1)), "budget.nodes: is -1; at least 0"),
    (lambda c: c.expand(["x"], facets={"a": Facet("f", limit=1 << 40)}), "facets['a'].limit: is 1099511627776; at most 2147483647"),
    (lambda c: c.apply(Batch(put_passages=[Passage("a#0", parent_id="a", index=-1)])), "batch.put_passages[0].index: is -1; at least 0"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "told"), NUMBERS, ids=[told for _, told in NUMBERS])
def test_a_number_that_no_message_holds_is_told_by_its_parameter(
    client: Client, call: Call, told: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(told)) as raised:
        call(client.collection("debian"))

    assert str(raised.value) == told


def test_a_record_by_itself_tells_its_number() -> None:
    with pytest.raises(ValueError, match=r"^max_frontier: is -3; at least 0$"):
        Hop(["a"], max_frontier=-3).to_message()


def test_what_a_message_takes_is_taken(server: FakeServer, client: Client) -> None:
    """Iterators, numbers of other libraries and tuples are no mistakes."""
    server.answers(methods.APPLY, store_pb2.ApplyResponse(version="v1"))

    written = client.collection("c").apply(
        Batch(put_nodes=wrong(iter([Node("a", readers=("public",))])))
    )

    assert written.version == "v1"
    assert EdgeSpec(["a"]).to_message().types == ["a"]
    assert SeedGroup(("a",), weight=2).to_message().weight == 2.0


def test_a_batch_by_itself_is_a_load_of_one(server: FakeServer, client: Client) -> None:
    server.answers(methods.LOAD, store_pb2.LoadResponse(batch=1, nodes=1))

    last = client.collection("debian").load(Batch(put_nodes=[Node("a")]))

    assert last.nodes == 1
    assert [len(request.batch.put_nodes) for request in server.asked[0].requests] == [1]
