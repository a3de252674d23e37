"""Answers that several people will read hold what each of them may, over gRPC."""

import pytest
from google.protobuf.message import Message

from passageway.v1 import read_pb2, store_pb2
from passageway_server.wire import store_servicer
from tests.wire.acting import AUDIENCE, BEHALF, keys, seen, told, told_to, wire
from tests.wire.serving import Failed, Keys, Wire

__all__ = ["keys", "wire"]


def test_an_answer_before_an_audience_holds_what_each_may_read(wire: Wire, keys: Keys) -> None:
    def shared(sub: str, *audiences: tuple[str, ...]) -> set[str]:
        return seen(
            wire, (*keys.of(sub), *(one for each in audiences for one in told(AUDIENCE, *each)))
        )

    assert shared("ada", ("user:ada", "group:eng")) == seen(wire, keys.of("ada"))
    assert shared("ada", ("user:ada",)) == {"open", "red", "adas"}
    assert shared("ada", ("user:ada",), ("team:red",)) == {"open", "red"}
    assert shared("ada", ("user:ada",), ()) == {"open"}
    assert shared("root", ("group:eng", "user:ada")) == seen(wire, keys.of("ada"))
    assert shared("bob", ("group:eng", "user:ada")) == {"open"}
    both = (
        *keys.of("bridge"),
        *told(BEHALF, "user:ada", "group:eng"),
        *told(AUDIENCE, "group:eng"),
    )
    assert seen(wire, both) == {"open", "eng"}


def test_an_admin_is_not_shown_readers_nor_fields_before_an_audience(
    wire: Wire, keys: Keys
) -> None:
    def shown(*metadata: tuple[str, str]) -> tuple[list[str], list[str]]:
        """The readers of one node, and the properties of another."""
        request = read_pb2.GetRequest(collection="c", ids=["eng", "open"])
        found = wire.unary("GraphService/Get", request, read_pb2.GetResponse, metadata)
        eng, open_ = found.nodes
        return list(eng.readers), list(open_.properties)

    root = keys.of("root")

    assert shown(*root) == (["group:eng"], ["salary"])
    assert shown(*root, *told(AUDIENCE, "group:eng")) == ([], [])
    assert shown(*root, *told(AUDIENCE, "group:eng", "group:hr")) == ([], ["salary"])


def test_a_collection_that_is_closed_to_an_audience_is_unknown(wire: Wire, keys: Keys) -> None:
    def answer(*metadata: tuple[str, str]) -> str:
        request = read_pb2.GetRequest(collection="closed", ids=["red"])
        return told_to(wire, "Get", request, read_pb2.GetResponse, metadata)

    absent = told_to(
        wire,
        "Get",
        read_pb2.GetRequest(collection="absent", ids=["red"]),
        read_pb2.GetResponse,
        keys.of("root"),
    )
    assert 'id: "red"' in answer(*keys.of("root"))
    assert 'id: "red"' in answer(*keys.of("root"), *told(AUDIENCE, "user:ada"))
    for sub in ("root", "ada"):
        hidden = answer(*keys.of(sub), *told(AUDIENCE, "user:bob"))
        assert hidden == absent.replace("absent", "closed")


NEW = store_pb2.Collection(name="new")


SETTINGS = store_pb2.Collection(name="c", description="other")


OF_ADMINS: list[tuple[str, Message]] = [
    ("CreateCollection", store_pb2.CreateCollectionRequest(collection=NEW)),
    ("UpdateCollection", store_pb2.UpdateCollectionRequest(collection=SETTINGS)),
    ("GetCollection", store_pb2.GetCollectionRequest(name="c")),
    ("GetCollection", store_pb2.GetCollectionRequest(name="absent")),
    ("ListCollections", store_pb2.ListCollectionsRequest()),
    ("DeleteCollection", store_pb2.DeleteCollectionRequest(name="c")),
    ("CreateSnapshot", store_pb2.CreateSnapshotRequest(collection="c", name="s")),
    ("ListSnapshots", store_pb2.ListSnapshotsRequest(collection="c")),
    ("DeleteSnapshot", store_pb2.DeleteSnapshotRequest(collection="c", name="s")),
    ("RestoreSnapshot", store_pb2.RestoreSnapshotRequest(collection="c", name="s", into="d")),
    ("Export", store_pb2.ExportRequest(collection="c")),
]


def test_every_call_of_admins_is_among_those_that_are_asked_before_an_audience() -> None:
    of_writers = {"Load", "Apply", "Analyze"}

    asked = {f"StoreService/{call}" for call, _ in OF_ADMINS} | {
        f"StoreService/{call}" for call in of_writers
    }

    assert asked == set(store_servicer.CALLS)


@pytest.mark.parametrize(("call", "request_"), OF_ADMINS)
def test_what_an_admin_alone_may_ask_is_refused_before_an_audience(
    wire: Wire, keys: Keys, call: str, request_: Message
) -> None:
    for audience in ((), ("user:root",), ("group:hr", "team:red")):
        with pytest.raises(Failed) as failed:
            wire.unary(
                f"StoreService/{call}",
                request_,
                store_pb2.Collection,
                (*keys.of("root"), *told(AUDIENCE, *audience)),
            )
        assert (failed.value.code, failed.value.info.reason) == (
            "PERMISSION_DENIED",
            "BEFORE_AUDIENCE",
        )
        assert "without passageway-audience" in failed.value.text
    with pytest.raises(Failed) as lacking:
        wire.unary(
            f"StoreService/{call}",
            request_,
            store_pb2.Collection,
            (*keys.of("ada"), *told(AUDIENCE)),
        )
    assert lacking.value.info.reason == "ROLE_MISSING"
    listed = wire.unary(
        "StoreService/ListCollections",
        store_pb2.ListCollectionsRequest(),
        store_pb2.ListCollectionsResponse,
        keys.of("root"),
    )
    assert [(each.name, each.description) for each in listed.collections] == [
        ("c", ""),
        ("closed", ""),
    ]


def test_the_names_of_collections_are_told_before_an_audience_by_describe(
    wire: Wire, keys: Keys
) -> None:
    def names(*audience: str) -> list[str]:
        metadata = (*keys.of("root"), *told(AUDIENCE, *audience))
        request, answer = read_pb2.DescribeRequest(), read_pb2.DescribeResponse
        return list(wire.unary("GraphService/Describe", request, answer, metadata).collections)

    assert names() == ["c"]
    assert names("team:red") == ["c", "closed"]


def test_writers_load_and_analyze_before_an_audience_as_without(wire: Wire, keys: Keys) -> None:
    before_bob = (*keys.of("root"), *told(AUDIENCE, "user:bob"))

    loaded = list(wire.load([store_pb2.LoadRequest(collection="closed")], before_bob))
    call = wire.channel.unary_stream(
        "/passageway.v1.StoreService/Analyze",
        request_serializer=store_pb2.AnalyzeRequest.SerializeToString,
        response_deserializer=store_pb2.AnalyzeResponse.FromString,
    )
    request = store_pb2.AnalyzeRequest(collection="closed", as_principals=["public"])
    request.measure = store_pb2.AnalyzeRequest.MEASURE_DEGREE
    *_, last = call(request, metadata=before_bob, timeout=60)

    assert len(loaded) == 1
    assert last.done == 1.0


def test_nothing_is_exported_before_an_audience(wire: Wire, keys: Keys) -> None:
    def export(*metadata: tuple[str, str]) -> int:
        call = wire.channel.unary_stream(
            "/passageway.v1.StoreService/Export",
            request_serializer=store_pb2.ExportRequest.SerializeToString,
            response_deserializer=store_pb2.ExportResponse.FromString,
        )
        try:
            return len(list(call(store_pb2.ExportRequest(collection="c"), metadata=metadata)))
        except Exception as error:
            raise Failed(error) from None  # type: ignore[arg-type]

    assert export(*keys.of("root"))
    for more in (told(AUDIENCE, "group:eng"), told(BEHALF, "user:root")):
        with pytest.raises(Failed, match="PERMISSION_DENIED"):
            export(*keys.of("root"), *more)
