"""Readers beside each other on one port, and the owner behind them: together they answer as one server does."""

import queue
from collections.abc import Iterator
from itertools import count

import pytest
from google.protobuf.message import Message

from passageway.v1 import read_pb2, store_pb2
from tests.wire.serving import Failed
from tests.workers.serving import Line, Served, served, two_workers, wait_until

Lines = dict[str, Line]
NAMES = (f"c{number}" for number in count())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(*two_workers(tmp_path_factory.mktemp("workers") / "data")) as server:
        yield server


@pytest.fixture(scope="module")
def lines(server: Served) -> Iterator[Lines]:
    lines = server.lines()
    yield lines
    for line in lines.values():
        line.channel.close()


@pytest.fixture
def name(lines: Lines) -> str:
    """A collection of the test's own."""
    name = next(NAMES)
    lines["reader-1"].create(name)
    return name


def test_every_reader_sees_what_was_committed_by_way_of_any(lines: Lines, name: str) -> None:
    for number in range(20):
        one, other = (
            (lines["reader-1"], lines["reader-2"])
            if number % 2
            else (lines["reader-2"], lines["reader-1"])
        )
        version = one.put(f"n{number}", collection=name)

        assert one.found(f"n{number}", collection=name) == [f"n{number}"]
        assert other.found(f"n{number}", collection=name, at_least=version) == [f"n{number}"]
        assert other.get(f"n{number}", collection=name, at_least=version).version == version


def test_readers_answer_reads_without_the_owner(server: Served, lines: Lines, name: str) -> None:
    lines["reader-1"].put("a", collection=name)

    def without_the_owner() -> bool:
        """Of reads by both. A reader that has yet to hear of the collection asks the owner, whose log may be late."""
        seen = len(server.log)
        for line in lines.values():
            line.get("a", collection=name)
        lines["reader-1"].put("last", collection=name)
        server.ended("StoreService/Apply", by="owner", after=seen)
        calls = [(line["process"], line["call"]) for line in server.log[seen:] if "call" in line]
        readers = {("reader-1", "GraphService/Get"), ("reader-2", "GraphService/Get")}
        return readers <= set(calls) and ("owner", "GraphService/Get") not in calls

    wait_until(without_the_owner)


def test_an_old_version_is_the_same_on_every_reader(lines: Lines, name: str) -> None:
    one, other = lines.values()
    first = one.put("a", collection=name)
    second = one.put("b", collection=name)

    for line in (one, other):
        line.get("a", collection=name, at_least=second)
        assert line.found("a", "b", collection=name, at=first) == ["a"]
        assert line.get("a", collection=name, at=first).version == first


def test_a_collection_that_is_deleted_and_made_anew_is_another_one(lines: Lines, name: str) -> None:
    one, other = lines.values()
    old = one.put("old", collection=name)
    other.get("old", collection=name, at_least=old)

    one.delete(name)
    with pytest.raises(Failed) as gone:
        one.get("old", collection=name)
    one.create(name)
    new = other.put("new", collection=name)

    assert gone.value.code == "NOT_FOUND"
    for line in (one, other):
        assert line.found("old", "new", collection=name, at_least=new) == ["new"]
        with pytest.raises(Failed) as refused:
            line.get("old", collection=name, at=old)
        assert refused.value.info.reason == "VERSION_GONE"


def test_a_restored_collection_is_read_everywhere(lines: Lines, name: str) -> None:
    one, other = lines.values()
    one.put("kept", collection=name)
    snapshot = store_pb2.CreateSnapshotRequest(collection=name, name="s")
    one.unary("StoreService/CreateSnapshot", snapshot, store_pb2.Snapshot)
    one.put("later", collection=name)
    into = store_pb2.RestoreSnapshotRequest(collection=name, name="s", into=f"{name}-again")
    in_place = store_pb2.RestoreSnapshotRequest(collection=name, name="s")

    again = one.unary("StoreService/RestoreSnapshot", into, store_pb2.Collection)
    back = one.unary("StoreService/RestoreSnapshot", in_place, store_pb2.Collection)

    for line in (one, other):
        for restored in (again, back):
            found = line.found("kept", "later", collection=restored.name, at_least=restored.version)
            assert found == ["kept"]
    after = other.put("after", collection=name)
    found = one.found("kept", "later", "after", collection=name, at_least=after)
    assert found == ["kept", "after"]


def test_a_load_by_way_of_a_reader_is_acknowledged_batch_by_batch(lines: Lines, name: str) -> None:
    one, other = lines.values()
    batches: queue.SimpleQueue[store_pb2.LoadRequest | None] = queue.SimpleQueue()
    answers = one.load(iter(batches.get, None))
    answered: list[store_pb2.LoadResponse] = []

    for number in range(5):
        batches.put(loading(name, f"n{number}"))
        answered.append(next(answers))
    batches.put(None)

    assert list(answers) == []
    assert [answer.batch for answer in answered] == [1, 2, 3, 4, 5]
    ids = [f"n{number}" for number in range(5)]
    assert other.found(*ids, collection=name, at_least=answered[-1].version) == ids


def test_a_load_with_a_fault_keeps_what_came_before(lines: Lines, name: str) -> None:
    one, acknowledged = lines["reader-1"], list[str]()

    with pytest.raises(Failed) as refused:
        acknowledged.extend(
            answer.version for answer in one.load([loading(name, "good"), loading(name, "")])
        )

    assert refused.value.code == "INVALID_ARGUMENT"
    assert refused.value.fields == ["batch.put_nodes[0].id"]
    assert one.found("good", collection=name, at_least=acknowledged[-1]) == ["good"]


def stream(line: Line, method: str, request: Message, answer: type[Message]) -> list[Message]:
    call = line.channel.unary_stream(
        f"/passageway.v1.{method}",
        request_serializer=type(request).SerializeToString,
        response_deserializer=answer.FromString,
    )
    return list(call(request, timeout=60))


def test_export_and_analyze_go_through_a_reader(lines: Lines, name: str) -> None:
    one, other = lines.values()
    request = store_pb2.ApplyRequest(collection=name)
    for id in "abc":
        request.batch.put_nodes.add(id=id)
    request.batch.put_edges.add(id="ab", source="a", target="b", type="T")
    request.batch.put_edges.add(id="ac", source="a", target="c", type="T")
    one.unary("StoreService/Apply", request, store_pb2.ApplyResponse)

    analyzed = stream(
        one,
        "StoreService/Analyze",
        store_pb2.AnalyzeRequest(
            collection=name,
            measure=store_pb2.AnalyzeRequest.MEASURE_DEGREE,
            as_principals=["public"],
        ),
        store_pb2.AnalyzeResponse,
    )
    exported = [
        stream(
            line,
            "StoreService/Export",
            store_pb2.ExportRequest(collection=name),
            store_pb2.ExportResponse,
        )
        for line in (one, other)
    ]

    last = analyzed[-1]
    assert isinstance(last, store_pb2.AnalyzeResponse)
    assert (last.done, last.nodes) == (1.0, 3)
    assert exported[0] == exported[1]
    found = other.get("a", collection=name, at_least=last.version)
    assert found.nodes[0].properties["degree"].int_value == 2


def test_a_page_goes_on_at_another_reader(lines: Lines, name: str) -> None:
    one, other = lines.values()
    version = [one.put(id, collection=name) for id in "abcd"][-1]
    request = read_pb2.LookupRequest(collection=name, page_size=2)
    first = one.unary("GraphService/Lookup", request, read_pb2.LookupResponse)
    other.get("a", collection=name, at_least=version)

    request.page_token = first.next_page_token
    second = other.unary("GraphService/Lookup", request, read_pb2.LookupResponse)

    assert [node.id for page in (first, second) for node in page.nodes] == list("abcd")


def test_a_caller_that_gives_up_ends_what_it_began_at_the_owner(
    server: Served, lines: Lines, name: str
) -> None:
    seen = len(server.log)
    call = lines["reader-1"].channel.stream_stream(
        "/passageway.v1.StoreService/Load",
        request_serializer=store_pb2.LoadRequest.SerializeToString,
        response_deserializer=store_pb2.LoadResponse.FromString,
    )
    batches: queue.SimpleQueue[store_pb2.LoadRequest | None] = queue.SimpleQueue()
    answers = call(iter(batches.get, None), timeout=60)
    batches.put(loading(name, "a"))
    next(answers)

    answers.cancel()

    ended = {
        by: server.ended("StoreService/Load", by=by, after=seen) for by in ("reader-1", "owner")
    }
    batches.put(None)
    # gRPC says either that the call is over, or first that no more batches come.
    assert set(ended.values()) <= {"CANCELLED", "OK"}


def loading(collection: str, id: str) -> store_pb2.LoadRequest:
    request = store_pb2.LoadRequest(collection=collection)
    request.batch.put_nodes.add(id=id)
    return request
