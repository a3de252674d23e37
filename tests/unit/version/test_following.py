"""Collections that another process writes: a follower has the versions that the owner has, however it came to them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.errors import FollowerOnly, NotFound, PassagewayError, VersionGone
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.disk import DiskDirectory
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version import following as module
from passageway_server.version.export import export
from passageway_server.version.following import Following
from passageway_server.version.store import Store
from passageway_server.version.version import Version


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "data")
    yield store
    store.close()


@pytest.fixture
def faults() -> list[tuple[str, Exception]]:
    return []


@pytest.fixture
def follower(tmp_path: Path, owner: Store, faults: list[tuple[str, Exception]]) -> Following:
    return Following(
        DiskDirectory(tmp_path / "data"),
        source="the owner",
        page_key=owner.page_key,
        report=lambda name, fault: faults.append((name, fault)),
    )


def put(owner: Store, *ids: str, readers: tuple[str, ...] = ("public",), to: str = "a") -> str:
    nodes = tuple(NodeRecord(id, name=id, content=f"of {id}", readers=readers) for id in ids)
    edges = tuple(EdgeRecord(f"{id}-{to}", id, to, "T") for id in ids)
    return owner.collection("c").apply(Batch(put_nodes=nodes, put_edges=edges)).version


def content(version: Version) -> object:
    """All that a version holds, whatever its rows are numbered by."""
    return (version.token, list(export(version)))


def same(owner: Store, follower: Following) -> bool:
    return content(owner.collection("c").current) == content(follower.collection("c").current)


def test_a_follower_has_each_version_that_it_is_told_of(owner: Store, follower: Following) -> None:
    owner.create(CollectionSettings("c"))
    for number in range(12):
        token = put(owner, f"n{number}", "a")

        assert follower.catch_up("c", token)
        assert same(owner, follower)
    assert follower.names() == ["c"]


def test_without_being_told_it_goes_as_far_as_the_files_say(
    owner: Store, follower: Following
) -> None:
    owner.create(CollectionSettings("c"))
    first, second = put(owner, "a"), put(owner, "b")

    assert follower.catch_up("c")

    assert follower.collection("c").current.token in (first, second)
    owner.create_snapshot("c", "")
    assert follower.catch_up("c")
    assert same(owner, follower)


def test_it_begins_again_with_a_later_snapshot_and_keeps_what_readers_may_ask_for(
    owner: Store, follower: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONG_TAIL", 0)
    owner.create(CollectionSettings("c"))
    tokens = [put(owner, f"n{number}", "a") for number in range(4)]
    follower.catch_up("c", tokens[-1])
    collection = follower.collection("c")
    owner.create_snapshot("c", "")
    tokens += [put(owner, f"m{number}") for number in range(2)]

    assert follower.catch_up("c", tokens[-1])

    assert same(owner, follower)
    assert follower.collection("c") is collection  # who waits for a version of it is not lost
    for token in tokens:
        old = owner.collection("c").at(token)
        assert content(collection.at(token)) == content(old)


def test_versions_before_commits_that_it_missed_are_not_read(
    owner: Store, follower: Following
) -> None:
    owner.create(CollectionSettings("c"))
    first = put(owner, "a", "b")
    follower.catch_up("c", first)
    put(owner, "b", readers=("user:ada",))
    owner.collection("c").apply(Batch(delete_nodes=("b",)))
    owner.create_snapshot("c", "")
    put(owner, "d")
    owner.create_snapshot("c", "")
    owner.collection("c")
    last = put(owner, "e")

    assert follower.catch_up("c", last)

    assert same(owner, follower)
    kept = follower.collection("c")
    try:
        view = kept.at(first)
    except VersionGone:
        return
    assert content(view) == content(owner.collection("c").at(first))


def test_a_restore_in_place_is_followed(owner: Store, follower: Following) -> None:
    owner.create(CollectionSettings("c"))
    put(owner, "a", "b")
    owner.create_snapshot("c", "s")
    follower.catch_up("c", put(owner, "d"))

    owner.restore("c", "s", into="")
    token = owner.collection("c").current.token

    assert follower.catch_up("c", token)
    assert same(owner, follower)
    assert follower.catch_up("c", put(owner, "e"))
    assert same(owner, follower)


def test_a_collection_that_was_made_anew_takes_the_place_of_the_one_before(
    owner: Store, follower: Following
) -> None:
    owner.create(CollectionSettings("c"))
    old = put(owner, "a")
    follower.catch_up("c", old)
    owner.delete("c")
    owner.create(CollectionSettings("c"))
    new = put(owner, "b")

    assert follower.catch_up("c", new)

    assert same(owner, follower)
    with pytest.raises(VersionGone):
        follower.collection("c").at(old)
    follower.drop("c")
    with pytest.raises(NotFound):
        follower.collection("c")


@pytest.mark.parametrize("commits", [0, 1, 5, 9])
@pytest.mark.parametrize("snapshots", [0, 1, 2])
def test_a_collection_that_was_made_anew_is_noticed_in_the_files_alone(
    owner: Store, follower: Following, commits: int, snapshots: int
) -> None:
    owner.create(CollectionSettings("c"))
    for number in range(5):
        put(owner, f"old{number}")
        if number == 2:
            owner.create_snapshot("c", "")
    assert follower.catch_up("c")
    before = follower.collection("c").current.token
    owner.delete("c")
    owner.create(CollectionSettings("c"))
    for number in range(commits):
        put(owner, f"new{number}")
        if number < snapshots:
            owner.create_snapshot("c", "")
    owner.collection("c").mark()

    for _ in range(2):  # the first look may find the log gone, and no more
        follower.catch_up("c")

    assert follower.collection("c").current.token[:8] != before[:8]
    assert same(owner, follower)


@pytest.mark.parametrize("checked", [True, False])
def test_a_damaged_snapshot_is_not_followed_unless_somebody_else_checks_it(
    owner: Store, tmp_path: Path, faults: list[tuple[str, Exception]], checked: bool
) -> None:
    owner.create(CollectionSettings("c"))
    put(owner, "a")
    owner.create_snapshot("c", "")
    file = tmp_path / "data/c/snapshots/0000000000000002/texts.heap.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    follower = Following(
        DiskDirectory(tmp_path / "data"),
        source="the owner",
        page_key=owner.page_key,
        report=lambda name, fault: faults.append((name, fault)),
        opening=StoredCollection.open if checked else StoredCollection.map,
    )

    assert follower.catch_up("c") is not checked

    assert [str(file.relative_to(tmp_path / "data")) in str(fault) for _, fault in faults] == (
        [True] if checked else []
    )


def test_commits_are_refused_with_the_source(owner: Store, follower: Following) -> None:
    owner.create(CollectionSettings("c"))
    follower.catch_up("c", put(owner, "a"))

    with pytest.raises(FollowerOnly, match="the owner"):
        follower.collection("c").apply(Batch(put_nodes=(NodeRecord("b"),)))
    assert follower.catch_up("c", put(owner, "b"))


def test_what_cannot_be_followed_is_told_and_stays_as_it_was(
    owner: Store, follower: Following, faults: list[tuple[str, Exception]]
) -> None:
    assert not follower.catch_up("nope", "")
    assert [name for name, _ in faults] == ["nope"]
    assert isinstance(follower.damaged["nope"], PassagewayError)

    owner.create(CollectionSettings("c"))
    token = put(owner, "a")
    follower.catch_up("c", token)
    late = token[:20] + f"{int(token[20:], 16) + 1:012x}"

    assert not follower.catch_up("c", late)
    assert same(owner, follower)
    assert follower.catch_up("c", put(owner, "b"))
