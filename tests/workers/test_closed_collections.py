"""A collection that is closed to its caller goes the way of an absent one at a reader: to the owner."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2, store_pb2
from tests.wire.serving import Failed, Keys
from tests.workers.pair import Pair, pair
from tests.workers.serving import wait_until

CLOSED, ABSENT = "closed", "absent"  # of one length, which the details of a status tell
READS: dict[str, type[Any]] = {
    "Expand": graph_pb2.ExpandRequest,
    "Paths": graph_pb2.PathsRequest,
    "Slice": read_pb2.SliceRequest,
    "Lookup": read_pb2.LookupRequest,
    "Get": read_pb2.GetRequest,
    "Describe": read_pb2.DescribeRequest,
}
Reply = tuple[str, str, dict[str, str]]


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    keys = Keys(tmp_path)
    keys.add("root", roles=["admin"])
    keys.add("ada", principals=["group:eng"])
    keys.add("eve")
    return keys


@pytest.fixture
def both(tmp_path: Path, keys: Keys) -> Iterator[Pair]:
    with pair(tmp_path, keys) as both:
        asked = store_pb2.CreateCollectionRequest(
            collection=store_pb2.Collection(
                name=CLOSED, users=["group:eng"], default_readers=["public"]
            )
        )
        both.line.unary(
            "StoreService/CreateCollection", asked, store_pb2.Collection, keys.of("root")
        )
        wait_until(lambda: CLOSED in both.reader._store.names())
        yield both


def reply(both: Pair, keys: Keys, read: str, name: str) -> Reply:
    """What eve is told of a collection, which stands in it as NAME."""
    call: Any = both.line.channel.unary_unary(f"/passageway.v1.GraphService/{read}", bytes, bytes)
    request: Message = READS[read](collection=name)
    ended = call.future(request.SerializeToString(), timeout=60, metadata=keys.of("eve"))
    assert ended.code() is not grpc.StatusCode.OK
    trailers = {key: str(value) for key, value in ended.trailing_metadata() or ()}
    return (
        ended.code().name,
        ended.details().replace(name, "NAME"),
        {key: value.replace(name, "NAME") for key, value in trailers.items()},
    )


@pytest.mark.parametrize("read", READS)
def test_a_closed_one_is_told_from_an_absent_one_by_nothing(
    both: Pair, keys: Keys, read: str
) -> None:
    there = [reply(both, keys, read, name) for name in (CLOSED, ABSENT)]
    both.owner.stop()
    away = [reply(both, keys, read, name) for name in (CLOSED, ABSENT)]

    assert there[0] == there[1]
    assert there[0][0] == "NOT_FOUND"
    assert away[0] == away[1]
    assert away[0][0] == "UNAVAILABLE"


def test_those_to_whom_it_is_open_read_it_while_the_owner_is_away(both: Pair, keys: Keys) -> None:
    both.line.metadata = keys.of("ada")
    both.owner.stop()

    assert both.line.found("a", collection=CLOSED) == []
    asked = read_pb2.SliceRequest(collection=CLOSED, id="a")
    with pytest.raises(Failed, match="NOT_FOUND: no row 'a'"):
        both.line.unary("GraphService/Slice", asked, read_pb2.SliceResponse, keys.of("ada"))


def test_one_that_was_just_opened_is_read_at_a_reader_that_has_not_heard_of_it(
    both: Pair, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stays(*_: object) -> bool:
        return True

    monkeypatch.setattr(both.reader._store, "catch_up", stays)
    asked = store_pb2.UpdateCollectionRequest(
        collection=store_pb2.Collection(name=CLOSED, users=["public"]),
        update_mask=FieldMask(paths=["users"]),
    )
    root = keys.of("root")
    opened = both.line.unary(
        "StoreService/UpdateCollection", asked, store_pb2.Collection, root
    ).version
    both.line.metadata = keys.of("eve")

    answer = both.line.get("a", collection=CLOSED, at_least=opened)

    assert both.reader._store.collection(CLOSED).current.token != opened
    assert answer.version == opened
