"""A server with an embedder makes vectors of the texts of queries that name a vector field, and of no others."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import passageway
from passageway import Batch, Collection, Field, Hop, Node, Query, SeedGroup
from passageway_server.errors import SettingInvalid
from passageway_server.wire.server import Server, Settings
from tests.client import embedders

TEXTS = {"a": "ants and bees", "b": "bees and wasps", "c": "a chess engine"}
FIELD = Field("v", "vector", dimensions=embedders.DIMENSIONS)
MODULE = "tests.client.embedders"


def fill(client: passageway.Client) -> passageway.CollectionClient:
    """A collection of texts and their vectors."""
    client.create_collection(Collection("c", default_readers=["public"], fields=[FIELD]))
    vectors = embedders.by_words(list(TEXTS.values())).tolist()
    nodes = [
        Node(id, name=text, properties={"v": vector})
        for (id, text), vector in zip(TEXTS.items(), vectors, strict=True)
    ]
    client.collection("c").apply(Batch(put_nodes=nodes))
    return client.collection("c")


def ids(hits: Iterable[passageway.SearchHit]) -> list[str]:
    return [hit.node.id for hit in hits if hit.node is not None]


@pytest.fixture(scope="module")
def served() -> Iterator[passageway.CollectionClient]:
    server = Server(Settings(listen="127.0.0.1:0", embedder=f"{MODULE}:by_words"))
    with passageway.connect(server.address) as client:
        yield fill(client)
    server.stop()


def test_a_text_is_looked_for_by_words_and_by_its_vector(
    served: passageway.CollectionClient,
) -> None:
    by_both = served.search(Query("bees", vector_field="v"))
    vector = embedders.by_words(["bees"])[0].tolist()
    as_sent = served.search(Query("bees", vector=vector, vector_field="v"))

    assert {hit.matched for hit in by_both.hits} == {("lexical", "vector"), ("vector",)}
    assert by_both.hits == as_sent.hits


def test_a_query_that_names_no_vector_field_is_by_words_alone(
    served: passageway.CollectionClient,
) -> None:
    assert {hit.matched for hit in served.search(Query("bees")).hits} == {("lexical",)}


def test_a_vector_that_is_sent_is_taken(served: passageway.CollectionClient) -> None:
    chess = embedders.by_words([TEXTS["c"]])[0].tolist()

    found = served.search(Query("nothing", vector=chess, vector_field="v", limit=1))

    assert ids(found.hits) == ["c"]


def test_queries_of_seeds_of_nested_searches_and_beside_others_are_embedded_too(
    served: passageway.CollectionClient,
) -> None:
    query = Query("chess", vector_field="v", limit=1)
    answer = served.expand([SeedGroup(query=query)], hops=[Hop([])], search=query)
    beside = served.search(Query("wasps", also=[Query("chess", vector_field="v")]))

    assert [*answer.origins] == ["c"]
    assert ids(answer.search) == ["c"]
    assert sorted(ids(hit for hit in beside.hits if "vector" in hit.matched)) == [*TEXTS]


def test_without_an_embedder_the_field_alone_is_refused(tmp_path: Path) -> None:
    with passageway.open(tmp_path / "data", create=True) as client:
        collection = fill(client)
        with pytest.raises(passageway.InvalidArgument) as refused:
            collection.search(Query("bees", vector_field="v"))

    (fault,) = refused.value.faults
    assert fault.field == "query.vector_field"
    assert "--embedder" in fault.message


def test_a_client_over_a_folder_takes_a_callable(tmp_path: Path) -> None:
    with passageway.open(tmp_path / "data", create=True, embedder=embedders.by_words) as client:
        found = fill(client).search(Query("chess", vector_field="v", limit=1))

    assert found.hits[0].matched == ("lexical", "vector")


def test_vectors_of_another_length_than_the_field_are_told(tmp_path: Path) -> None:
    with passageway.open(
        tmp_path / "data", create=True, embedder=lambda texts: [[1.0] for _ in texts]
    ) as client:
        collection = fill(client)
        with pytest.raises(passageway.InvalidArgument) as refused:
            collection.search(Query("bees", vector_field="v"))

    assert [fault.field for fault in refused.value.faults] == ["query.vector"]


def test_an_embedder_that_fails_is_told_without_what_it_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Server(Settings(listen="127.0.0.1:0", embedder=f"{MODULE}:model.embed"))
    with passageway.connect(server.address) as client:
        collection = fill(client)
        monkeypatch.setattr(embedders.model, "fails", True)
        with pytest.raises(passageway.Internal) as failed:
            collection.search(Query("bees", vector_field="v"))
        found = collection.search(Query("bees"))
    server.stop()

    assert failed.value.reason == "EMBEDDER_FAILED"
    assert "went away" not in failed.value.message
    assert found.total == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing", "expected MODULE:CALLABLE"),
        ("no_such_module:embed", "ModuleNotFoundError"),
        (f"{MODULE}:none", "AttributeError"),
        (f"{MODULE}:no_callable", "it is no callable"),
        (f"{MODULE}:broken", "RuntimeError: no model for 1 texts"),
        (f"{MODULE}:one_short", "0 vectors for 1 texts"),
        (f"{MODULE}:infinite", "not finite"),
    ],
)
def test_a_server_does_not_start_with_what_makes_no_vectors(name: str, said: str) -> None:
    with pytest.raises(SettingInvalid, match="embedder") as refused:
        Server(Settings(listen="127.0.0.1:0", embedder=name))

    assert said in str(refused.value)
