"""A measure over the wire: how far it is, who may ask, and that nothing is left of one that is given up."""

import signal
import subprocess
from collections.abc import Generator
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeAlias
from unittest.mock import patch

import grpc
import pytest

import passageway
from passageway.v1 import query_pb2, read_pb2, store_pb2
from passageway_server.engine.measures import spawned
from passageway_server.wire.server import Settings
from tests.unit.engine import never_answers
from tests.wire.serving import Failed, Keys, Wire, guarded, served

ANALYZE = "/passageway.v1.StoreService/Analyze"
PAGERANK = store_pb2.AnalyzeRequest.MEASURE_PAGERANK
COMMUNITIES = store_pb2.AnalyzeRequest.MEASURE_COMMUNITIES
DEGREE = store_pb2.AnalyzeRequest.MEASURE_DEGREE
EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "d")]
Metadata = tuple[tuple[str, str], ...]
Running: TypeAlias = "grpc._CallIterator[store_pb2.AnalyzeResponse]"


def fill(wire: Wire, metadata: Metadata = ()) -> None:
    """The collection c: two triangles and an edge between them, all public, and a row of a group."""
    wire.create("c", metadata)
    request = store_pb2.ApplyRequest(collection="c")
    for id in "abcdef":
        request.batch.put_nodes.add(id=id)
    request.batch.put_nodes.add(id="hidden", readers=["group:eng"])
    for i, (source, target) in enumerate([*EDGES, ("a", "hidden")]):
        request.batch.put_edges.add(id=f"{i}", source=source, target=target)
    wire.unary("StoreService/Apply", request, store_pb2.ApplyResponse, metadata)


def asking(measure: int = DEGREE, **parts: Any) -> store_pb2.AnalyzeRequest:
    given: dict[str, Any] = {
        "collection": "c",
        "measure": measure,
        "as_principals": ["public"],
        **parts,
    }
    return store_pb2.AnalyzeRequest(**given)


def begun(
    wire: Wire, request: store_pb2.AnalyzeRequest, metadata: Metadata = (), timeout: float = 60
) -> Running:
    call = wire.channel.unary_stream(
        ANALYZE,
        request_serializer=store_pb2.AnalyzeRequest.SerializeToString,
        response_deserializer=store_pb2.AnalyzeResponse.FromString,
    )
    return call(request, metadata=metadata, timeout=timeout)


def analyzed(
    wire: Wire, request: store_pb2.AnalyzeRequest, metadata: Metadata = ()
) -> list[store_pb2.AnalyzeResponse]:
    """All answers; raises `Failed`."""
    try:
        return list(begun(wire, request, metadata))
    except grpc.RpcError as error:
        raise Failed(error) from None


def refused(wire: Wire, request: store_pb2.AnalyzeRequest, metadata: Metadata = ()) -> Failed:
    with pytest.raises(Failed) as caught:
        analyzed(wire, request, metadata)
    return caught.value


def version(wire: Wire) -> str:
    request = store_pb2.GetCollectionRequest(name="c")
    return wire.unary("StoreService/GetCollection", request, store_pb2.Collection).version


def properties(wire: Wire, name: str) -> dict[str, object]:
    request = read_pb2.GetRequest(collection="c", ids=["a", "b", "c", "d", "e", "f", "hidden"])
    got = wire.unary("GraphService/Get", request, read_pb2.GetResponse)
    found: dict[str, object] = {}
    for node in got.nodes:
        if name in node.properties:
            value = node.properties[name]
            found[node.id] = getattr(value, value.WhichOneof("kind") or "")
    return found


@pytest.fixture
def wire() -> Generator[Wire]:
    with served() as wire:
        fill(wire)
        yield wire


Started: TypeAlias = "SimpleQueue[subprocess.Popen[bytes]]"


@pytest.fixture
def started() -> Generator[Started]:
    """The processes of measures, which never come to an end by themselves."""
    children: Started = SimpleQueue()
    spawn = spawned._spawned

    def recorded() -> "subprocess.Popen[bytes]":
        children.put(child := spawn())
        return child

    with (
        patch.object(spawned, "_CHILD", never_answers.__name__),
        patch.object(spawned, "_spawned", recorded),
    ):
        yield children


def running(wire: Wire, started: Started, *, timeout: float = 60) -> tuple[Running, Any]:
    """An analysis that has gathered its rows, and the process that it asks in vain."""
    call = begun(wire, asking(PAGERANK), timeout=timeout)
    assert [next(call).done for _ in range(2)] == [0.0, pytest.approx(0.1)]
    return call, started.get(timeout=60)


def freed(wire: Wire) -> None:
    """Come back when no analysis runs: its place is free once its process is gone."""
    place = wire.server._store.collection("c").analyzing
    assert place.acquire(timeout=60)
    place.release()


@pytest.mark.parametrize("measure", [PAGERANK, COMMUNITIES, DEGREE])
def test_shares_ascend_and_the_last_answer_has_the_version(wire: Wire, measure: int) -> None:
    before = version(wire)

    *shares, last = analyzed(wire, asking(measure))

    done = [answer.done for answer in (*shares, last)]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0.0, 1.0)
    assert {answer.version for answer in shares} == {""}
    assert last.version == version(wire) != before
    assert (last.nodes, last.communities) == (6, 2 if measure == COMMUNITIES else 0)


def test_what_is_written_is_content_as_any_other(wire: Wire) -> None:
    analyzed(wire, asking(DEGREE, property="edges"))
    analyzed(wire, asking(COMMUNITIES))

    assert properties(wire, "edges") == {"a": 1, "b": 1, "c": 2, "d": 1, "e": 1, "f": 1}
    assert len(set(properties(wire, "community").values())) == 2
    assert "hidden" not in properties(wire, "community")


def test_rows_of_a_group_take_part_when_it_is_named(wire: Wire) -> None:
    analyzed(wire, asking(DEGREE, as_principals=["group:eng"]))

    assert properties(wire, "degree") | {"a": 2, "hidden": 0} == properties(wire, "degree")


def test_principals_count_as_they_are_named_without_what_membership_adds() -> None:
    with served() as wire:
        settings = store_pb2.Collection(name="c", default_readers=["public"])
        settings.membership.node_id_template = "user:{sub}"
        settings.membership.edge_types.append("member_of")
        create = store_pb2.CreateCollectionRequest(collection=settings)
        wire.unary("StoreService/CreateCollection", create, store_pb2.Collection)
        request = store_pb2.ApplyRequest(collection="c")
        request.batch.put_nodes.add(id="user:ada").links["member_of"].values.append("group:eng")
        request.batch.put_nodes.add(id="group:eng")
        request.batch.put_nodes.add(id="hidden", readers=["group:eng"])
        wire.unary("StoreService/Apply", request, store_pb2.ApplyResponse)

        public, ada = (
            analyzed(wire, asking(as_principals=[one]))[-1].nodes for one in ("public", "user:ada")
        )

    assert (public, ada) == (2, 2)


def test_every_fault_is_named_with_its_place(wire: Wire) -> None:
    request = asking(property="id", as_principals=["a & b"], alpha=1.0, resolution=-1.0)
    request.edges.add(filter="(")
    request.edges.add(weight_property="absent", direction=99)

    found = refused(wire, request)

    assert found.code == "INVALID_ARGUMENT"
    assert sorted(found.fields) == [
        "alpha",
        "as_principals[0]",
        "edges[0].filter",
        "edges[1].direction",
        "edges[1].weight_property",
        "property",
        "resolution",
    ]


@pytest.mark.parametrize("parts", [{"measure": 0}, {"measure": 99}, {"as_principals": []}])
def test_a_measure_and_principals_are_named(wire: Wire, parts: dict[str, Any]) -> None:
    assert set(refused(wire, asking(**parts)).fields) == set(parts)


def test_an_unknown_collection_is_not_found(wire: Wire) -> None:
    assert refused(wire, asking(collection="none")).code == "NOT_FOUND"


def test_a_message_that_is_none_is_refused(wire: Wire) -> None:
    call = wire.channel.unary_stream(ANALYZE, bytes, bytes)

    with pytest.raises(grpc.RpcError) as caught:
        list(call(b"\xff"))

    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_it_needs_the_role_writer(keys: Keys) -> None:
    with served(guarded(keys)) as wire:
        fill(wire, keys.of("root"))

        assert refused(wire, asking(), keys.of("ada")).code == "PERMISSION_DENIED"
        assert refused(wire, asking()).code == "UNAUTHENTICATED"
        assert analyzed(wire, asking(), keys.of("wim"))[-1].nodes == 6


def test_a_second_analysis_of_a_collection_is_refused(wire: Wire, started: Started) -> None:
    first, _ = running(wire, started)

    second = refused(wire, asking(DEGREE))
    first.cancel()
    freed(wire)

    assert (second.code, second.info.reason) == ("RESOURCE_EXHAUSTED", "MAX_ANALYSES")
    assert analyzed(wire, asking(DEGREE))[-1].nodes == 6


def test_one_that_is_cancelled_kills_its_process_and_writes_nothing(
    wire: Wire, started: Started
) -> None:
    before = version(wire)

    call, child = running(wire, started)
    call.cancel()
    freed(wire)

    assert child.wait(60) == -signal.SIGKILL
    assert version(wire) == before
    assert properties(wire, "pagerank") == {}


def test_one_whose_deadline_passes_kills_its_process_and_writes_nothing(
    wire: Wire, started: Started
) -> None:
    before = version(wire)

    call, child = running(wire, started, timeout=2)
    with pytest.raises(grpc.RpcError) as caught:
        list(call)
    freed(wire)

    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert child.wait(60) == -signal.SIGKILL
    assert version(wire) == before


def test_a_server_that_stops_ends_it(started: Started) -> None:
    with served(Settings(listen="127.0.0.1:0", grace=0.0)) as wire:
        fill(wire)
        _, child = running(wire, started)
        collection = wire.server._store.collection("c")

    assert collection.analyzing.acquire(timeout=60)
    assert child.wait(60) == -signal.SIGKILL


def test_reads_and_writes_go_on_beside_it(wire: Wire, started: Started) -> None:
    call, _ = running(wire, started)

    request = store_pb2.ApplyRequest(collection="c")
    request.batch.put_nodes.add(id="g")
    wire.unary("StoreService/Apply", request, store_pb2.ApplyResponse)
    get = read_pb2.GetRequest(collection="c", ids=["g"], read=query_pb2.ReadOptions())
    got = wire.unary("GraphService/Get", get, read_pb2.GetResponse)

    assert [node.id for node in got.nodes] == ["g"]
    call.cancel()
    freed(wire)


def test_the_client_of_a_folder_that_no_longer_listens_ends_it(
    tmp_path: Path, started: Started
) -> None:
    with passageway.open(tmp_path / "data", create=True) as client:
        client.create_collection(passageway.Collection("c"))
        notes = client.collection("c")
        notes.apply(passageway.Batch(put_nodes=[passageway.Node("a", readers=["public"])]))
        before = notes.describe().version
        progress = notes.analyze("degree", "", as_principals=["public"])

        next(progress)
        progress.close()  # type: ignore[attr-defined]

        assert notes.describe().version == before
        *_, last = notes.analyze("degree", "", as_principals=["public"])
        assert last.nodes == 1
