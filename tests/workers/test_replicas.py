"""A server that follows another one's folder, or what that publishes: the same versions, and no commits."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from passageway.v1 import read_pb2, store_pb2
from passageway_server.errors import FolderMissing, NothingPublished, ReadFailed, SettingInvalid
from passageway_server.wire.replica import Replica
from passageway_server.wire.server import Server, Settings
from tests.wire.serving import Failed
from tests.workers.objects import ObjectServer, object_server
from tests.workers.serving import Line, wait_until


@pytest.fixture(scope="module")
def objects() -> Iterator[ObjectServer]:
    with object_server() as server:
        yield server


@contextmanager
def running(server: Server) -> Generator[Line]:
    line = Line(server.address)
    try:
        yield line
    finally:
        line.channel.close()
        server.stop()


def primary(data: Path, publish: str | None = None, **settings: object) -> Server:
    return Server(Settings(data, "127.0.0.1:0", publish=publish, **settings))  # type: ignore[arg-type]


def replica(follow: str | Path, cache: Path | None = None) -> Server:
    return Replica(Settings(listen="127.0.0.1:0", follow=str(follow), cache=cache))


@pytest.fixture(params=["folder", "objects"])
def source(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Path, str | None, str]]:
    """Where a primary keeps its rows, where it publishes, and what a replica of it follows."""
    if request.param == "folder":
        yield tmp_path / "data", None, str(tmp_path / "data")
    else:
        objects: ObjectServer = request.getfixturevalue("objects")
        with objects.in_environment():
            url = objects.new_url()
            yield tmp_path / "data", url, url


Source = tuple[Path, str | None, str]


@contextmanager
def both(source: Source) -> Generator[tuple[Line, Line]]:
    """A line to a primary with an empty collection c, and one to its replica."""
    data, publish, follow = source
    with running(primary(data, publish)) as first:
        first.create("c")
        wait_until(lambda: starts(follow))
        with running(replica(follow)) as second:
            wait_until(lambda: "c" in names(second))
            yield first, second


def starts(follow: str) -> bool:
    """Whether there is something to follow yet."""
    try:
        replica(follow).stop()
    except (ReadFailed, FolderMissing, NothingPublished):
        return False
    return True


def names(line: Line) -> list[str]:
    request = store_pb2.ListCollectionsRequest()
    listed = line.unary("StoreService/ListCollections", request, store_pb2.ListCollectionsResponse)
    return [collection.name for collection in listed.collections]


def test_a_replica_reads_what_was_committed_also_the_last_before_a_pause(source: Source) -> None:
    with both(source) as (first, second):
        ids = [f"n{number}" for number in range(10)]
        version = [first.put(id) for id in ids][-1]

        assert second.found(*ids, at_least=version) == ids
        again = first.put("again")
        assert second.found("again", at_least=again) == ["again"]
        assert second.found("again", at=version) == []


def test_a_replica_takes_no_commits(source: Source) -> None:
    with both(source) as (_, second):
        for change in (
            lambda: second.put("a"),
            lambda: second.create("d"),
            lambda: second.delete("c"),
        ):
            with pytest.raises(Failed) as refused:
                change()
            assert (refused.value.code, refused.value.info.reason) == (
                "FAILED_PRECONDITION",
                "REPLICA",
            )
        with pytest.raises(Failed) as refused:
            list(second.load([store_pb2.LoadRequest(collection="c")]))
        assert refused.value.info.reason == "REPLICA"


def test_a_replica_follows_snapshots_deletions_and_new_collections(source: Source) -> None:
    with both(source) as (first, second):
        old = first.put("old")
        second.get("old", at_least=old)
        first.unary(
            "StoreService/CreateSnapshot",
            store_pb2.CreateSnapshotRequest(collection="c", name="s"),
            store_pb2.Snapshot,
        )
        later = first.put("later")
        assert second.found("old", "later", at_least=later) == ["old", "later"]
        restored = first.unary(
            "StoreService/RestoreSnapshot",
            store_pb2.RestoreSnapshotRequest(collection="c", name="s"),
            store_pb2.Collection,
        )
        assert second.found("old", "later", at_least=restored.version) == ["old"]
        after = first.put("after")
        assert second.found("old", "later", "after", at_least=after) == ["old", "after"]

        first.create("d")
        first.put("row", collection="d")
        wait_until(lambda: names(second) == ["c", "d"])
        first.delete("c")
        first.create("c")
        new = first.put("new")

        wait_until(lambda: reads(second, "new", at_least=new) == ["new"])
        assert second.found("old", "new") == ["new"]
        first.delete("d")
        wait_until(lambda: names(second) == ["c"])


def reads(line: Line, *ids: str, at_least: str) -> list[str]:
    """What is found of *ids*; nothing while the collection is another one."""
    try:
        return line.found(*ids, at_least=at_least)
    except Failed as error:
        if error.info.reason not in ("VERSION_GONE", "VERSION_LATE", "NOT_FOUND"):
            raise
        return []


def test_a_replica_goes_on_with_another_server_of_the_same_folder(source: Source) -> None:
    data, publish, follow = source
    with running(primary(data, publish)) as first:
        first.create("c")
        first.put("before")
    with running(replica(follow)) as second:
        assert second.found("before") == ["before"]
        with running(primary(data, publish)) as first:
            version = first.put("after")
            assert second.found("before", "after", at_least=version) == ["before", "after"]


def test_a_page_of_the_primary_goes_on_at_the_replica(source: Source) -> None:
    with both(source) as (first, second):
        version = [first.put(id) for id in "abcd"][-1]
        request = read_pb2.LookupRequest(collection="c", page_size=2)
        page = first.unary("GraphService/Lookup", request, read_pb2.LookupResponse)
        second.get("a", at_least=version)
        request.page_token = page.next_page_token

        rest = second.unary("GraphService/Lookup", request, read_pb2.LookupResponse)

        assert [node.id for node in rest.nodes] == ["c", "d"]


def test_a_replica_begins_again_with_what_it_fetched(objects: ObjectServer, tmp_path: Path) -> None:
    with objects.in_environment():
        url = objects.new_url()
        with running(primary(tmp_path / "data", url)) as first:
            first.create("c")
            version = first.put("a")
        with running(replica(url, tmp_path / "cache")) as second:
            assert second.found("a", at_least=version) == ["a"]
        with objects.away(), running(replica(url, tmp_path / "cache")) as second:
            assert second.found("a", at_least=version) == ["a"]
            assert second.get("a").version == version
        with running(primary(tmp_path / "data", url)) as first:
            later = first.put("b")
            with running(replica(url, tmp_path / "cache")) as second:
                assert second.found("a", "b", at_least=later) == ["a", "b"]


def test_of_two_publishers_the_one_that_began_last_goes_on(
    objects: ObjectServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with objects.in_environment(), caplog.at_level("INFO", logger="passageway.server"):
        url = objects.new_url()
        with running(primary(tmp_path / "one", url)) as one:
            one.create("c")
            one.put("of-one")
            wait_until(lambda: starts(url))
            with running(primary(tmp_path / "two", url)) as two:
                two.create("c")
                version = two.put("of-two")
                with running(replica(url)) as second:
                    wait_until(lambda: reads(second, "of-two", at_least=version) == ["of-two"])
                    one.put("more")
                    wait_until(
                        lambda: (
                            "no longer published: another server publishes there" in caplog.messages
                        )
                    )
                    assert one.put("and more")  # it goes on as a server
                    assert second.found("of-one", "of-two", "more") == ["of-two"]


def test_what_is_published_and_damaged_is_not_read(objects: ObjectServer, tmp_path: Path) -> None:
    with objects.in_environment():
        url = objects.new_url()
        with running(primary(tmp_path / "data", url)) as first:
            first.create("c")
            first.put("a")
        damaged = objects.damage(url)

        assert damaged > 0
        with pytest.raises(Exception, match="other bytes than its name says"):
            replica(url).stop()


def test_a_replica_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(FolderMissing):
        replica(tmp_path / "nothing")
    with pytest.raises(SettingInvalid, match="cache: a folder is followed where it is"):
        replica(tmp_path, cache=tmp_path / "cache")
    with pytest.raises(SettingInvalid, match="workers: a replica is one process"):
        Replica(Settings(listen="127.0.0.1:0", follow=str(tmp_path), workers=2))
    with pytest.raises(SettingInvalid, match="data: a replica has none"):
        Replica(Settings(tmp_path, "127.0.0.1:0", follow=str(tmp_path)))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(SettingInvalid, match="holds something else"):
        replica("memory:///", cache=tmp_path / "full")


def test_the_folder_that_is_followed_is_not_changed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(primary(data)) as first:
        first.create("c")
        first.put("a")
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*")}

    with running(replica(data)) as second:
        assert second.found("a") == ["a"]

    assert {path: path.stat().st_mtime_ns for path in data.rglob("*")} == before


def test_a_read_past_the_newest_version_waits_until_its_deadline(tmp_path: Path) -> None:
    with (
        running(primary(tmp_path / "data")) as first,
        running(replica(tmp_path / "data")) as second,
    ):
        first.create("c")
        version = first.put("a")
        wait_until(lambda: "c" in names(second))
        late = version[:20] + f"{int(version[20:], 16) + 1:012x}"
        call = second.channel.unary_unary("/passageway.v1.GraphService/Get", bytes, bytes)
        request = read_pb2.GetRequest(collection="c", ids=["b"])
        request.read.at_least_version = late
        waiting = call.future(request.SerializeToString(), timeout=60)

        assert first.put("b") == late

        assert read_pb2.GetResponse.FromString(waiting.result()).version == late
        assert waiting.code() is grpc.StatusCode.OK
