"""Reads at a version: the latest few can be asked for, later ones are waited for, and all others are gone."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict
from google.rpc import error_details_pb2, status_pb2

from passageway.v1 import graph_pb2, read_pb2, store_pb2
from passageway_server.version import versions
from tests.peers import OPERATOR, Caller, LocalPeer, Reply
from tests.wire.small_world import REQUESTS, Json, applied, asked, small_peer

EVA = Caller("eva")


@pytest.fixture
def peer() -> Iterator[LocalPeer]:
    made = small_peer()
    yield made
    made.close()


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[LocalPeer]:
    """The same over a folder."""
    made = small_peer(tmp_path / "data")
    yield made
    made.close()


def put(peer: LocalPeer, **node: object) -> str:
    """The version that has *node*."""
    request = {"collection": "c", "batch": {"put_nodes": [node]}}
    return applied(peer, request).read(store_pb2.ApplyResponse).version


def reading(peer: LocalPeer, ids: Sequence[str], read: Json, caller: Caller = OPERATOR) -> Reply:
    """The reply to a Get with these options."""
    request = ParseDict({"collection": "c", "ids": ids, "read": read}, read_pb2.GetRequest())
    return peer.call("GraphService/Get", request, caller=caller)


def get(
    peer: LocalPeer,
    *ids: str,
    caller: Caller = OPERATOR,
    at_version: str | None = None,
    at_least_version: str | None = None,
) -> Reply:
    told = {"at_version": at_version, "at_least_version": at_least_version}
    return reading(peer, ids, {name: token for name, token in told.items() if token}, caller)


def names(reply: Reply) -> dict[str, str]:
    return {node.id: node.name for node in reply.read(read_pb2.GetResponse).nodes}


def version(reply: Reply) -> str:
    return reply.read(read_pb2.GetResponse).version


def told(reply: Reply) -> tuple[str, dict[str, str]]:
    info = error_details_pb2.ErrorInfo()
    status = status_pb2.Status.FromString(reply.details)
    assert any(detail.Unpack(info) for detail in status.details)
    return info.reason, dict(info.metadata)


def after(token: str, commits: int) -> str:
    """The token of the version that will have so many more commits."""
    return f"{token[:20]}{int(token[20:], 16) + commits:012x}"


def test_an_older_version_is_read_as_it_was(peer: LocalPeer) -> None:
    first = put(peer, id="x", name="one")
    second = put(peer, id="x", name="two")

    assert names(get(peer, "x", at_version=first)) == {"x": "one"}
    assert version(get(peer, "x", at_version=first)) == first
    assert names(get(peer, "x", at_version=second)) == names(get(peer, "x")) == {"x": "two"}


@pytest.mark.parametrize(
    ("call", "request_", "answer"),
    [
        ("Expand", {"seeds": [{"ids": ["x"]}]}, graph_pb2.ExpandResponse),
        ("Paths", {"sources": ["x"], "targets": ["x"]}, graph_pb2.PathsResponse),
        ("Lookup", {"filter": "id = x"}, read_pb2.LookupResponse),
        ("Slice", {"id": "x"}, read_pb2.SliceResponse),
        ("Get", {"ids": ["x"]}, read_pb2.GetResponse),
        ("Describe", {}, read_pb2.DescribeResponse),
    ],
)
def test_every_read_says_the_version_that_it_was_asked_for(
    peer: LocalPeer, call: str, request_: Json, answer: type[read_pb2.GetResponse]
) -> None:
    first = put(peer, id="x", name="one")
    second = put(peer, id="x", name="two")
    kind = {**REQUESTS, "Describe": read_pb2.DescribeRequest}[call]

    for read in ({"at_version": first}, {"at_least_version": first}):
        message = ParseDict({"collection": "c", "read": read, **request_}, kind())
        reply = peer.call(f"GraphService/{call}", message, caller=OPERATOR)
        assert reply.read(answer).version == (first if "at_version" in read else second)


def test_the_latest_eight_can_be_read_unless_the_collection_says_otherwise(
    peer: LocalPeer,
) -> None:
    tokens = [put(peer, id="x", name=str(number)) for number in range(9)]

    gone = get(peer, "x", at_version=tokens[0])

    assert gone.code == "FAILED_PRECONDITION"
    assert told(gone) == ("VERSION_GONE", {"oldest": tokens[1]})
    assert names(get(peer, "x", at_version=tokens[1])) == {"x": "1"}
    retain(peer, 2)
    last = put(peer, id="x", name="last")
    assert told(get(peer, "x", at_version=tokens[8]))[0] == "VERSION_GONE"
    assert names(get(peer, "x", at_version=last)) == {"x": "last"}


def retain(peer: LocalPeer, number: int) -> Reply:
    settings = store_pb2.Collection(name="c", retain_versions=number)
    request = store_pb2.UpdateCollectionRequest(collection=settings)
    request.update_mask.paths.append("retain_versions")
    return peer.call("StoreService/UpdateCollection", request, caller=OPERATOR)


@pytest.mark.parametrize(("number", "code"), [(1, "OK"), (1024, "OK"), (1025, "INVALID_ARGUMENT")])
def test_how_many_are_kept_has_bounds(peer: LocalPeer, number: int, code: str) -> None:
    reply = retain(peer, number)

    assert reply.code == code
    if code == "OK":
        assert reply.read(store_pb2.Collection).retain_versions == number
    else:
        assert reply.faults() == frozenset({"collection.retain_versions"})


def test_none_kept_is_refused(peer: LocalPeer) -> None:
    assert retain(peer, 0).faults() == frozenset({"collection.retain_versions"})


@pytest.mark.parametrize("name", ["at_version", "at_least_version"])
@pytest.mark.parametrize("token", ["x", "0" * 24, "0" * 31, "0" * 33, "G" * 32, "é" * 32])
def test_what_is_no_version_is_a_fault(peer: LocalPeer, name: str, token: str) -> None:
    reply = reading(peer, ["a"], {name: token})

    assert (reply.code, reply.faults()) == ("INVALID_ARGUMENT", frozenset({f"read.{name}"}))


@pytest.mark.parametrize("name", ["at_version", "at_least_version"])
def test_a_version_of_another_collection_is_gone(peer: LocalPeer, name: str) -> None:
    other = asked(peer, "Lookup", {"collection": "other"}).read(read_pb2.LookupResponse).version

    reply = reading(peer, ["a"], {name: other})

    assert (reply.code, told(reply)[0]) == ("FAILED_PRECONDITION", "VERSION_GONE")


def test_a_version_at_or_below_the_newest_is_not_waited_for(peer: LocalPeer) -> None:
    first = put(peer, id="x", name="one")
    second = put(peer, id="x", name="two")

    for token in (first, second):
        assert names(get(peer, "x", at_least_version=token)) == {"x": "two"}


@pytest.mark.parametrize("name", ["at_version", "at_least_version"])
def test_a_version_that_is_on_its_way_is_waited_for(peer: LocalPeer, name: str) -> None:
    first = put(peer, id="x", name="one")
    found: list[Reply] = []
    reader = threading.Thread(
        target=lambda: found.append(reading(peer, ["x"], {name: after(first, 1)}))
    )
    reader.start()

    second = put(peer, id="x", name="two")

    reader.join()
    assert second == after(first, 1)
    assert (names(found[0]), version(found[0])) == ({"x": "two"}, second)


@pytest.mark.parametrize("name", ["at_version", "at_least_version"])
def test_a_version_that_does_not_come_is_late(
    peer: LocalPeer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "_PATIENCE", 0.05)
    newest = put(peer, id="x", name="one")

    reply = reading(peer, ["x"], {name: after(newest, 2)})

    assert reply.code == "UNAVAILABLE"
    assert told(reply) == ("VERSION_LATE", {"newest": newest})


def test_a_row_that_was_closed_since_is_closed_at_older_versions_too(peer: LocalPeer) -> None:
    first = put(peer, id="x", name="open", readers=["public"])
    assert names(get(peer, "x", caller=EVA, at_version=first)) == {"x": "open"}

    put(peer, id="x", name="closed", readers=["user:ada"])

    assert names(get(peer, "x", caller=EVA, at_version=first)) == {}
    ada = Caller("ada")
    assert names(get(peer, "x", caller=ada, at_version=first)) == {"x": "open"}
    assert names(get(peer, "x", at_version=first)) == {"x": "open"}


def test_versions_survive_a_restart(tmp_path: Path) -> None:
    peer = small_peer(tmp_path / "data")
    before = put(peer, id="x", name="one")
    peer.close()

    again = LocalPeer(tmp_path / "data", now_us=lambda: 0)
    assert version(get(again, "x")) == before
    later = put(again, id="x", name="two")

    assert before < later
    assert names(get(again, "x", at_version=before)) == {"x": "one"}
    again.close()


def test_a_restore_in_place_is_the_next_version(kept: LocalPeer) -> None:
    peer = kept
    put(peer, id="x", name="one")
    keep = store_pb2.CreateSnapshotRequest(collection="c", name="kept")
    assert peer.call("StoreService/CreateSnapshot", keep, caller=OPERATOR).code == "OK"
    before = put(peer, id="x", name="two")
    put(peer, id="y", name="new")

    restore = store_pb2.RestoreSnapshotRequest(collection="c", name="kept")
    reply = peer.call("StoreService/RestoreSnapshot", restore, caller=OPERATOR)

    restored = reply.read(store_pb2.Collection)
    assert (restored.name, restored.version) == ("c", after(before, 2))
    assert names(get(peer, "x", "y")) == {"x": "one"}
    assert names(get(peer, "x", at_version=before)) == {"x": "two"}
    listed = peer.call(
        "StoreService/ListSnapshots",
        store_pb2.ListSnapshotsRequest(collection="c"),
        caller=OPERATOR,
    ).read(store_pb2.ListSnapshotsResponse)
    assert [one.name for one in listed.snapshots] == ["kept"]
    assert put(peer, id="y", name="next") == after(before, 3)


def test_a_restore_in_place_is_for_admins_and_of_what_there_is(kept: LocalPeer) -> None:
    peer = kept
    writer = Caller("wim", roles=frozenset({"writer"}))
    restore = store_pb2.RestoreSnapshotRequest(collection="c", name="none")

    refused = peer.call("StoreService/RestoreSnapshot", restore, caller=writer)
    missing = peer.call("StoreService/RestoreSnapshot", restore, caller=OPERATOR)

    assert (refused.code, missing.code) == ("PERMISSION_DENIED", "NOT_FOUND")
