"""What calls send, and what comes back of answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import passageway
from passageway import AsyncClient, Batch, Client, Collection, EdgeSpec, Hop, Node, SeedGroup
from passageway._generated import methods
from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from tests.client.fake import FakeServer

EXPANDED = graph_pb2.ExpandResponse(
    version="v7",
    hits=[graph_pb2.Hit(node=types_pb2.Node(id="libc6", type="package"), score=0.5, hop=1)],
    total=1,
    applied={"limit": 20},
)


def test_expand_sends_what_was_given_and_leaves_the_rest_unset(
    server: FakeServer, client: Client
) -> None:
    server.answers(methods.EXPAND, EXPANDED)

    client.collection("debian").expand(
        ["0ad", SeedGroup(["bash"], weight=2.0), "zsh"],
        hops=[Hop(["Depends"], decay=0.5, direction="out", edge_filter="weight > 0")],
        limit=0,
        vars={"n": 3},
    )

    assert server.asked[0].requests == [
        graph_pb2.ExpandRequest(
            collection="debian",
            read=query_pb2.ReadOptions(),
            seeds=[
                graph_pb2.SeedGroup(ids=["0ad", "zsh"]),
                graph_pb2.SeedGroup(ids=["bash"], weight=2.0),
            ],
            hops=[
                graph_pb2.Hop(
                    edges=query_pb2.EdgeSpec(
                        types=["Depends"],
                        direction=types_pb2.DIRECTION_OUT,
                        filter="weight > 0",
                    ),
                    decay=0.5,
                )
            ],
            limit=0,
            vars={"n": types_pb2.Value(int_value=3)},
        )
    ]


def test_an_answer_is_plain_values(server: FakeServer, client: Client) -> None:
    server.answers(methods.EXPAND, EXPANDED)

    answer = client.collection("debian").expand(["0ad"])

    hit = answer.hits[0]
    assert hit.node == Node("libc6", type="package")
    assert (hit.score, hit.hop, hit.edge, hit.direction) == (0.5, 1, None, None)
    assert answer.applied == {"limit": 20}


async def test_the_asynchronous_twin_sends_the_same_and_answers_the_same(
    server: FakeServer, client: Client, async_client: AsyncClient
) -> None:
    server.answers(methods.EXPAND, EXPANDED, EXPANDED)
    hops = [Hop(edges=EdgeSpec(["Depends"], direction="both"))]

    one = client.collection("debian").expand(["0ad"], hops=hops, project="p1")
    other = await async_client.collection("debian").expand(["0ad"], hops=hops, project="p1")

    assert one == other
    assert server.asked[0].requests == server.asked[1].requests


def test_the_token_and_a_deadline_go_with_each_call(server: FakeServer, client: Client) -> None:
    server.answers(methods.GET, read_pb2.GetResponse(), read_pb2.GetResponse())

    client.collection("debian").get(["0ad"])
    client.collection("debian").get(["0ad"], timeout=5)

    assert [call.metadata["authorization"] for call in server.asked] == ["Bearer open-sesame"] * 2
    assert 20 < server.asked[0].seconds_left < 40
    assert 0 < server.asked[1].seconds_left < 10


def test_a_version_and_a_newer_version_exclude_each_other(client: Client) -> None:
    with pytest.raises(ValueError, match="exclude"):
        client.collection("debian").get(["0ad"], at_version="a", at_least_version="b")


def test_one_string_is_not_a_list_of_ids(client: Client) -> None:
    with pytest.raises(TypeError, match="list of strings"):
        client.collection("debian").get("0ad")


def test_an_unknown_word_is_refused_with_the_words_there_are(client: Client) -> None:
    with pytest.raises(ValueError, match="sum, max"):
        client.collection("debian").expand(["0ad"], propagate="mean")  # type: ignore[arg-type]


def test_all_pages_of_collections_come_as_one_list(server: FakeServer, client: Client) -> None:
    def page(name: str, token: str) -> store_pb2.ListCollectionsResponse:
        named = store_pb2.Collection(name=name)
        return store_pb2.ListCollectionsResponse(collections=[named], next_page_token=token)

    server.answers(methods.LIST_COLLECTIONS, page("a", "more"), page("b", ""))

    assert [collection.name for collection in client.collections()] == ["a", "b"]
    assert server.asked[1].requests[0].page_token == "more"


def test_a_collection_is_created_by_name_or_by_its_settings(
    server: FakeServer, client: Client
) -> None:
    made = store_pb2.Collection(name="debian", version="v1")
    server.answers(methods.CREATE_COLLECTION, made, made)

    client.create_collection("debian")
    answer = client.create_collection(Collection("debian", default_readers=["public"]))

    assert answer.version == "v1"
    assert [list(call.requests[0].collection.default_readers) for call in server.asked] == [
        [],
        ["public"],
    ]


def test_describe_without_a_collection_lists_those_of_the_caller(
    server: FakeServer, client: Client
) -> None:
    server.answers(methods.DESCRIBE, read_pb2.DescribeResponse(collections=["debian"]))

    assert client.describe().collections == ("debian",)
    assert server.asked[0].requests == [read_pb2.DescribeRequest()]


def _acknowledged(batch: int) -> store_pb2.LoadResponse:
    return store_pb2.LoadResponse(version=f"v{batch}", batch=batch, nodes=batch)


BATCHES: list[Batch | store_pb2.Batch] = [
    Batch(put_nodes=[Node("a")]),
    store_pb2.Batch(delete_nodes=["b"]),
]


def test_load_streams_batches_and_answers_the_last_acknowledgement(
    server: FakeServer, client: Client
) -> None:
    server.answers(methods.LOAD, _acknowledged(1), _acknowledged(2))
    seen: list[int] = []

    last = client.collection("debian").load(
        BATCHES, progress=lambda acknowledged: seen.append(acknowledged.batch)
    )

    assert (last.version, last.nodes, seen) == ("v2", 2, [1, 2])
    assert [request.collection for request in server.asked[0].requests] == ["debian", ""]


def test_apply_sends_its_guards_and_a_key_of_its_own(server: FakeServer, client: Client) -> None:
    server.answers(methods.APPLY, *[store_pb2.ApplyResponse()] * 4)
    notes = client.collection("notes")

    notes.apply(Batch(), if_version="v1", if_revisions={"a": "r1", "b": ""}, idempotency_key="k")
    notes.apply(Batch())
    notes.apply(Batch())
    notes.apply(Batch(), idempotency_key="")

    sent = [call.requests[0] for call in server.asked]
    assert (sent[0].if_version, dict(sent[0].if_revisions)) == ("v1", {"a": "r1", "b": ""})
    keys = [request.idempotency_key for request in sent]
    assert (keys[0], keys[3]) == ("k", "")
    assert len({*keys}) == 4
    assert all(16 < len(key) < 64 and "/" not in key for key in keys[1:3])  # as those of loads have


def test_an_embedded_engine_is_asked_without_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []

    def unary(_: object, method: object, request: store_pb2.ApplyRequest, **__: object) -> object:
        sent.append(request.idempotency_key)
        return store_pb2.ApplyResponse()

    with passageway.open(tmp_path / "data", create=True) as embedded:
        monkeypatch.setattr("passageway_server.wire.local.LocalTransport.unary", unary)
        embedded.collection("notes").apply(Batch())
        embedded.collection("notes").apply(Batch(), idempotency_key="k")

    assert sent == ["", "k"]


async def test_a_load_with_a_name_gives_each_batch_a_key(
    server: FakeServer, client: Client, async_client: AsyncClient
) -> None:
    answers = [_acknowledged(1), _acknowledged(2)]
    server.answers(methods.LOAD, *answers)
    client.collection("debian").load(BATCHES, name="monday", after=7)
    server.answers(methods.LOAD, *answers)
    await async_client.collection("debian").load(BATCHES, name="monday")
    server.answers(methods.LOAD, *answers)
    client.collection("debian").load(BATCHES)

    keys = [[request.idempotency_key.split("/") for request in c.requests] for c in server.asked]
    assert [(name, place) for name, _, place in keys[0]] == [("monday", "8"), ("monday", "9")]
    assert [(name, place) for name, _, place in keys[1]] == [("monday", "1"), ("monday", "2")]
    drawn = [{each[1] for each in load} for load in keys[:2]]
    assert [len(each) for each in drawn] == [1, 1]
    assert drawn[0] != drawn[1]
    assert keys[2] == [[""], [""]]


async def test_how_far_a_load_came_is_asked_by_its_name(
    server: FakeServer, client: Client, async_client: AsyncClient
) -> None:
    server.answers(methods.LOAD, _acknowledged(2))
    one = client.collection("debian").loaded("monday")
    server.answers(methods.LOAD, _acknowledged(2))
    other = await async_client.collection("debian").loaded("monday")

    asked = store_pb2.LoadRequest(collection="debian", idempotency_key="monday", resume=True)
    assert one == other
    assert (one.batch, one.version) == (2, "v2")
    assert [call.requests for call in server.asked] == [[asked], [asked]]


def test_a_load_without_a_name_cannot_be_asked_for(client: Client) -> None:
    with pytest.raises(ValueError, match="name: is empty"):
        client.collection("debian").loaded("")


async def test_load_takes_batches_as_they_are_made(
    server: FakeServer, async_client: AsyncClient
) -> None:
    server.answers(methods.LOAD, _acknowledged(1), _acknowledged(2))

    last = await async_client.collection("debian").load(BATCHES)

    assert last.batch == 2


def _broken() -> Iterator[Batch]:
    yield Batch(put_nodes=[Node("a")])
    raise LookupError("line 2")


def test_an_error_of_the_batches_themselves_is_raised_as_it_is(
    server: FakeServer, client: Client
) -> None:
    server.answers(methods.LOAD, _acknowledged(1))

    with pytest.raises(LookupError, match="line 2"):
        client.collection("debian").load(_broken())


async def test_an_error_of_the_batches_is_raised_by_the_asynchronous_twin_too(
    server: FakeServer, async_client: AsyncClient
) -> None:
    server.answers(methods.LOAD, _acknowledged(1))

    with pytest.raises(LookupError, match="line 2"):
        await async_client.collection("debian").load(_broken())


async def test_export_streams_batches(
    server: FakeServer, client: Client, async_client: AsyncClient
) -> None:
    parts = [store_pb2.ExportResponse(version="v1", batch=store_pb2.Batch()) for _ in range(2)]

    server.answers(methods.EXPORT, *parts)
    one = [part.version for part in client.collection("debian").export()]
    server.answers(methods.EXPORT, *parts)
    other = [part.version async for part in async_client.collection("debian").export()]

    assert one == other == ["v1", "v1"]


def test_an_answer_over_4_mib_arrives(server: FakeServer, client: Client) -> None:
    text = "x" * (5 * 1024 * 1024)
    server.answers(methods.GET, read_pb2.GetResponse(nodes=[types_pb2.Node(id="a", content=text)]))

    assert client.collection("debian").get(["a"]).nodes[0].content == text


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"after": -1, "name": "m"}, ValueError, "after: is -1"),
        ({"after": 1 << 63, "name": "m"}, ValueError, "after: is 9223372036854775808"),
        ({"after": "2", "name": "m"}, TypeError, "after: takes a whole number, not the string '2'"),
        ({"after": True, "name": "m"}, TypeError, "after: takes a whole number, not a bool"),
        ({"after": 1.0, "name": "m"}, TypeError, "after: takes a whole number, not a float"),
        ({"after": 2}, ValueError, "after: goes with the name of the load"),
        ({"name": 7}, TypeError, "name: takes a string, not an int"),
    ],
)
async def test_a_load_that_cannot_go_on_so_is_refused_before_it_is_sent(
    server: FakeServer,
    client: Client,
    async_client: AsyncClient,
    given: dict[str, Any],
    error: type[Exception],
    text: str,
) -> None:
    with pytest.raises(error) as one:
        client.collection("debian").load(BATCHES, **given)
    with pytest.raises(error) as other:
        await async_client.collection("debian").load(BATCHES, **given)

    assert str(one.value).startswith(text)
    assert str(other.value) == str(one.value)
    assert server.asked == [] or all(not call.requests for call in server.asked)
