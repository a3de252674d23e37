"""A server that is killed while a collection is made, changed, kept, taken back or deleted: that was done whole, or not at all.

The kill comes at once, once others have had a few commits acknowledged, or once the act was; then it was done.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from google.protobuf.message import Message

from passageway.v1 import query_pb2, read_pb2, store_pb2, types_pb2
from tests.crash.servers import Calls, Hatched, Hatchery, hatchery
from tests.crash.sizes import ACT_KILLS, SEED
from tests.crash.writers import NAME as BESIDE
from tests.crash.writers import Writer, writing
from tests.wire.serving import Failed

NAME, OTHER = "c", "other"
ROWS = ("first", "second", "third")
MOMENTS = (0, 1, 2, 4, 8, None)
"""Commits of others after which the kill comes; None: once the act was acknowledged."""


@dataclass(frozen=True, slots=True)
class Held:
    """What one collection holds: settings and counts, its records in stored order, and its named snapshots with their versions."""

    settings: store_pb2.Collection
    records: tuple[Message, ...]
    kept: Mapping[str, str]


World = Mapping[str, Held]


@dataclass(frozen=True, slots=True)
class Act:
    """A call, and what there is after it: given what there was before, and what snapshot "kept" holds."""

    method: str
    request: Message
    answer: type[Message]
    after: Callable[[World, Held], World]
    commits: bool = False


def taken_back(world: World, kept: Held) -> World:
    return {**world, NAME: replace(kept, kept=world[NAME].kept)}


def copied(world: World, kept: Held) -> World:
    settings = store_pb2.Collection()
    settings.CopyFrom(kept.settings)
    settings.name = OTHER
    return {**world, OTHER: replace(kept, settings=settings, kept={})}


def made(world: World, _: Held) -> World:
    return {**world, OTHER: Held(store_pb2.Collection(name=OTHER), (), {})}


def deleted(world: World, _: Held) -> World:
    return {name: held for name, held in world.items() if name != NAME}


def updated(world: World, _: Held) -> World:
    settings = store_pb2.Collection()
    settings.CopyFrom(world[NAME].settings)
    settings.default_readers[:] = ["group:eng"]
    return {**world, NAME: replace(world[NAME], settings=settings)}


def kept_again(world: World, _: Held) -> World:
    held = world[NAME]
    return {**world, NAME: replace(held, kept={**held.kept, "again": NEWEST})}


def let_go(world: World, _: Held) -> World:
    return {**world, NAME: replace(world[NAME], kept={})}


NEWEST = "the newest version"
UPDATE = store_pb2.UpdateCollectionRequest(
    collection=store_pb2.Collection(name=NAME, default_readers=["group:eng"])
)
ACTS = {
    "restore in place": Act(
        "RestoreSnapshot",
        store_pb2.RestoreSnapshotRequest(collection=NAME, name="kept"),
        store_pb2.Collection,
        taken_back,
        commits=True,
    ),
    "restore under a new name": Act(
        "RestoreSnapshot",
        store_pb2.RestoreSnapshotRequest(collection=NAME, name="kept", into=OTHER),
        store_pb2.Collection,
        copied,
    ),
    "create": Act(
        "CreateCollection",
        store_pb2.CreateCollectionRequest(collection=store_pb2.Collection(name=OTHER)),
        store_pb2.Collection,
        made,
    ),
    "delete": Act(
        "DeleteCollection",
        store_pb2.DeleteCollectionRequest(name=NAME),
        store_pb2.DeleteCollectionResponse,
        deleted,
    ),
    "update": Act("UpdateCollection", UPDATE, store_pb2.Collection, updated, commits=True),
    "create a snapshot": Act(
        "CreateSnapshot",
        store_pb2.CreateSnapshotRequest(collection=NAME, name="again"),
        store_pb2.Snapshot,
        kept_again,
    ),
    "delete a snapshot": Act(
        "DeleteSnapshot",
        store_pb2.DeleteSnapshotRequest(collection=NAME, name="kept"),
        store_pb2.DeleteSnapshotResponse,
        let_go,
    ),
}


@pytest.fixture(scope="module")
def servers() -> Iterator[Hatchery]:
    with hatchery() as servers:
        yield servers


def held(calls: Calls, name: str) -> tuple[str, Held]:
    """The newest version of a collection, and what it holds."""
    settings = calls.call(
        "StoreService/GetCollection",
        store_pb2.GetCollectionRequest(name=name),
        store_pb2.Collection,
    )
    version = settings.version
    for of_the_process in ("version", "memory_bytes", "created_at"):
        settings.ClearField(of_the_process)
    export = calls.channel.unary_stream(
        "/passageway.v1.StoreService/Export",
        request_serializer=store_pb2.ExportRequest.SerializeToString,
        response_deserializer=store_pb2.ExportResponse.FromString,
    )
    parts = [each.batch for each in export(store_pb2.ExportRequest(collection=name))]
    records = [each for part in parts for each in (*part.put_nodes, *part.put_edges)]
    listed = calls.call(
        "StoreService/ListSnapshots",
        store_pb2.ListSnapshotsRequest(collection=name),
        store_pb2.ListSnapshotsResponse,
    )
    kept = {one.name: NEWEST if one.version == version else one.version for one in listed.snapshots}
    return version, Held(settings, tuple(records), kept)


def world(calls: Calls) -> World:
    """All collections but the one that others write to."""
    listed = calls.call(
        "StoreService/ListCollections",
        store_pb2.ListCollectionsRequest(),
        store_pb2.ListCollectionsResponse,
    )
    return {one.name: held(calls, one.name)[1] for one in listed.collections if one.name != BESIDE}


def batch(id_: str) -> store_pb2.Batch:
    made = store_pb2.Batch(put_nodes=[types_pb2.Node(id=id_, name=id_, readers=["public"])])
    made.put_edges.add(id=f"{id_}-edge", source=id_, target=ROWS[0], type="T")
    return made


KEYED = store_pb2.ApplyRequest(collection=NAME, batch=batch("second"), idempotency_key="monday")


def keyed(calls: Calls) -> store_pb2.ApplyResponse:
    return calls.call("StoreService/Apply", KEYED, store_pb2.ApplyResponse)


def begin(calls: Calls) -> tuple[Held, store_pb2.ApplyResponse]:
    """The collection, with a snapshot of earlier, a key and settings since then: what that snapshot holds, and the key's answer."""
    for name in world(calls):
        gone = store_pb2.DeleteCollectionRequest(name=name)
        calls.call("StoreService/DeleteCollection", gone, store_pb2.DeleteCollectionResponse)
    calls.create(NAME)
    calls.apply(NAME, batch("first"))
    snapshot = store_pb2.CreateSnapshotRequest(collection=NAME, name="kept")
    calls.call("StoreService/CreateSnapshot", snapshot, store_pb2.Snapshot)
    _, kept = held(calls, NAME)
    answer = keyed(calls)
    settings = store_pb2.Collection(name=NAME, description="later")
    update = store_pb2.UpdateCollectionRequest(collection=settings)
    calls.call("StoreService/UpdateCollection", update, store_pb2.Collection)
    calls.apply(NAME, batch("third"))
    return kept, answer


def found_at(calls: Calls, version: str) -> list[str] | str:
    """The rows of an older version, or why it cannot be read."""
    try:
        return found(calls, at=version)
    except Failed as failed:
        return failed.info.reason


def found(calls: Calls, *, at: str = "", at_least: str = "") -> list[str]:
    """The rows of a version."""
    read = query_pb2.ReadOptions()
    if at:
        read.at_version = at
    if at_least:
        read.at_least_version = at_least
    request = read_pb2.GetRequest(collection=NAME, ids=[*ROWS, "after"], read=read)
    answer = calls.call("GraphService/Get", request, read_pb2.GetResponse)
    return [node.id for node in answer.nodes]


def number(token: str) -> int:
    return int(token[20:], 16)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_kill_leaves_what_was_or_what_was_to_be(
    servers: Hatchery, tmp_path: Path, act: Act
) -> None:
    draw, data = Random(f"{SEED} {act.method}"), tmp_path / "data"
    writer = Writer("w", tmp_path)
    running = servers.serve(data)
    with Calls.to(running.address) as calls:
        calls.create(BESIDE)
    for _ in range(ACT_KILLS):
        with Calls.to(running.address) as calls:
            kept, answer = begin(calls)
            before, version = world(calls), held(calls, NAME)[0]
            told = done_and_killed(act, calls, running, writer, draw.choice(MOMENTS))

        running = servers.serve(data)
        with Calls.to(running.address) as calls:
            there, after = world(calls), act.after(before, kept)
            assert there == after or (told is None and there == before)
            writer.check([calls])
            if NAME in there:
                newest = held(calls, NAME)[0]
                assert number(newest) == number(version) + (act.commits and there == after)
                assert (newest == version) == (number(newest) == number(version))
                if act.commits and told is not None:
                    assert told == newest
                assert keyed(calls) == answer
                assert held(calls, NAME)[0] == newest
                assert found_at(calls, version) in (list(ROWS), "VERSION_GONE")
                rows = found(calls)
                last = calls.apply(NAME, batch("after"))
                assert found(calls, at_least=last) == [*rows, "after"]
    running.kill()


def done_and_killed(
    act: Act, calls: Calls, running: Hatched, writer: Writer, moment: int | None
) -> str | None:
    """Begin *act*, and kill the server at the *moment*: the version that was answered, or None where nothing was."""
    with writing([writer], running.address) as done, ThreadPoolExecutor(1) as thread:
        acting = thread.submit(calls.call, f"StoreService/{act.method}", act.request, act.answer)
        if moment is None:
            acting.result()
        for _ in range(moment or 0):
            done.acquire()
        running.kill()
    try:
        return getattr(acting.result(), "version", "")
    except Failed:
        return None
