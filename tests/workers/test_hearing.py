"""A reader hears late of what its owner did: who wrote by way of it reads that all the same."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway.v1 import store_pb2
from passageway_server.wire.settings import Settings
from passageway_server.wire.workers.feed import Feed, Held
from passageway_server.wire.workers.owner import Owner
from passageway_server.wire.workers.reader import Reader
from tests.wire.serving import Failed
from tests.workers.serving import PATIENCE, Line

NAME = "c"


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """A line to a reader, which learns what became of a collection no sooner than a call waits for that."""
    awaited = threading.Event()

    class LateHeld(Held):
        def catch_up(self, name: str, token: str = "", *, upto: int | None = None) -> bool:
            assert awaited.wait(PATIENCE)
            return super().catch_up(name, token, upto=upto)

    class LateFeed(Feed):
        def wait_for(self, changes: int, *, seconds: float | None = None) -> None:  # noqa: ARG002
            awaited.set()
            super().wait_for(changes, seconds=PATIENCE)
            awaited.clear()

    monkeypatch.setattr("passageway_server.wire.workers.reader.Held", LateHeld)
    monkeypatch.setattr("passageway_server.wire.workers.reader.Feed", LateFeed)
    socket, data = f"unix:{tmp_path}/owner", tmp_path / "data"
    owner = Owner(Settings(data, socket, auth="none"))
    reader = Reader(Settings(data, "127.0.0.1:0", auth="none"), owner=socket)
    line = Line(reader.address)
    try:
        line.create(NAME)
        yield line
    finally:
        awaited.set()
        line.channel.close()
        reader.stop()
        owner.stop()


def test_who_wrote_reads_what_was_written(line: Line) -> None:
    line.put("a", collection=NAME)

    assert line.found("a", collection=NAME) == ["a"]


def test_who_began_a_load_that_failed_reads_what_was_acknowledged(line: Line) -> None:
    acknowledged = list[int]()

    with pytest.raises(Failed) as refused:
        acknowledged.extend(
            answer.batch for answer in line.load([loading("a"), loading("b"), loading("")])
        )

    assert acknowledged == [1, 2]
    assert refused.value.fields == ["batch.put_nodes[0].id"]
    assert line.found("a", "b", collection=NAME) == ["a", "b"]


def loading(id: str) -> store_pb2.LoadRequest:
    request = store_pb2.LoadRequest(collection=NAME)
    request.batch.put_nodes.add(id=id)
    return request
