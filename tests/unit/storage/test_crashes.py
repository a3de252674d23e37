"""A machine that stops after any one change of the disk, and forgets what was not synced by then."""

from collections.abc import Callable
from random import Random

import pytest

from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.verification import verify_folder
from tests.crash.forgetting import ForgettingDirectory
from tests.unit.storage.disks import NOON, assert_same, opened, publish, some_arrays

SEEDS = range(12)
Act = Callable[[StoredCollection], object]
State = tuple[int, tuple[str, ...]]
"""The number of the version that counts, 0 without a collection, and the named snapshots."""


def publish_first(collection: StoredCollection) -> None:
    publish(collection, 1)


def publish_next(collection: StoredCollection) -> None:
    """Publish a version that shares half of its arrays with the one before, and drop that one."""
    opened = collection.open()
    kept = dict(list(opened.arrays.items())[:4])
    publish(collection, 3, arrays=some_arrays() | kept, previous=opened.snapshot)
    collection.drop_old()


def publish_anew(collection: StoredCollection) -> None:
    """Publish a version of which a part was written before a crash."""
    collection.directory.make_folder("debian/snapshots/0000000000000003")
    collection.directory.write("debian/snapshots/0000000000000003/foreign", [b"x"])
    publish_next(collection)


def create_named(collection: StoredCollection) -> None:
    collection.create_named("new", created_at=NOON)


def drop_old(collection: StoredCollection) -> None:
    collection.drop_old()


def delete_named(collection: StoredCollection) -> None:
    collection.delete_named("old")


def delete(collection: StoredCollection) -> None:
    collection.delete()


def named_for(each: object) -> str:
    return str(getattr(each, "__name__", ""))


BEFORE: State = (2, ("old",))
ACTS: list[tuple[Act, State, State]] = [
    (publish_first, (0, ()), (1, ())),
    (publish_next, BEFORE, (3, ("old",))),
    (publish_anew, BEFORE, (3, ("old",))),
    (create_named, BEFORE, (2, ("new", "old"))),
    (drop_old, BEFORE, BEFORE),
    (delete_named, BEFORE, (2, ())),
    (delete, BEFORE, (0, ())),
]


def prepared(act: Act) -> ForgettingDirectory:
    """An empty folder for the first version; two versions and a named snapshot for the other acts."""
    directory = ForgettingDirectory()
    collection = DataFolder(directory).collection("debian")
    if act is not publish_first:
        publish(collection, 1)
        publish(collection, 2)
        collection.create_named("old", created_at=NOON)
    return directory


def state(directory: ForgettingDirectory) -> State:
    """What is there after a start; all of it must be whole."""
    folder = DataFolder(directory)
    found = opened(folder)
    if not found:
        return 0, ()
    collection = folder.collection("debian")
    assert not verify_folder(directory).damaged
    assert_same(found["debian"].arrays, some_arrays())
    named = collection.list_named()
    assert not named.damaged
    return found["debian"].version.number, tuple(one.name for one in named.listed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("act", "before", "after"), ACTS, ids=named_for)
def test_a_crash_anywhere_leaves_what_was_or_what_was_to_be(
    act: Act, before: State, after: State, seed: int
) -> None:
    draw = Random(seed)
    directory = prepared(act)
    begun = directory.operations
    act(StoredCollection(directory, "debian"))
    for operations in range(begun, directory.operations + 1):
        survivor = directory.crashed(draw, after=operations)

        assert state(survivor) in (before, after)
        again = StoredCollection(survivor, "debian")
        publish(again, 9)
        assert state(survivor.crashed(draw))[0] == 9
    assert directory.misuses == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("act", "before", "after"), ACTS, ids=named_for)
def test_what_is_done_survives_a_crash(act: Act, before: State, after: State, seed: int) -> None:
    draw = Random(seed)
    directory = prepared(act)
    assert state(directory.crashed(draw)) == before

    act(StoredCollection(directory, "debian"))

    assert state(directory.crashed(draw)) == after


@pytest.mark.parametrize("seed", SEEDS)
def test_the_format_of_a_folder_survives_a_crash_before_anything_is_put_into_it(seed: int) -> None:
    directory = ForgettingDirectory()
    DataFolder(directory)

    assert directory.crashed(Random(seed)).read("FORMAT", limit=8) == b"2\n"
