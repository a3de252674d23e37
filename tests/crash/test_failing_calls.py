"""Each call of the disk fails once, or from then on: memory and disk agree, and what was acknowledged stays.

One story is told again for each call that could fail, until it is told without a failure. Of the many arrays of a snapshot
one stands for all, but at night.
"""

import errno
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

import pytest

from passageway_server.errors import DiskFull, NotDurable, PassagewayError, ReadOnly, StorageFailed
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.verification import verify_folder
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, EdgeRecord, Guard, NodeRecord
from passageway_server.version.store import Store
from tests.crash.faults import NEEDS_ROOM, READS, Fault, FaultyDirectory
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.sizes import AT_NIGHT, scaled, seed_of
from tests.crash.stories import look, opened, stop_threads
from tests.properties.words import NOW_US

NAME, KEPT = "a", "kept"
MADE = frozenset({"b", "c"})
"""Collections that the story makes."""

STEP = max(1, 10 // scaled(10))
"""From one failing call to the next: every call, where not fewer graphs are asked for than in CI."""


def one_array_of_many(path: str) -> bool:
    """Whether this is another file than an array, or the one that stands for all."""
    return AT_NIGHT or not path.endswith(".npy") or path.endswith("nodes.kind.npy")


def that_changes(act: str, path: str) -> bool:
    return act not in READS and one_array_of_many(path)


def that_reads(act: str, path: str) -> bool:
    """Calls that look at the collection, and change nothing."""
    return act in READS and path.startswith(f"{NAME}/") and one_array_of_many(path)


def that_needs_room(act: str, path: str) -> bool:
    return act in NEEDS_ROOM and one_array_of_many(path)


FAULTS = {
    "an error, once": Fault(0, errno.EIO, among=that_changes),
    "an error, for good": Fault(0, errno.EIO, for_good=True, among=that_changes),
    "a part and then no room, once": Fault(0, errno.ENOSPC, short=True, among=that_changes),
    "no room, for good": Fault(0, errno.ENOSPC, for_good=True, short=True, among=that_needs_room),
}


def row(number: int) -> Batch:
    return Batch(
        put_nodes=(NodeRecord(f"n{number}", content="x" * 600, readers=("public",)),),
        put_edges=(EdgeRecord(f"e{number}", f"n{number}", "n0"),),
    )


def describe(settings: CollectionSettings) -> CollectionSettings:
    return replace(settings, description=settings.description + "x")


Act = Callable[[Store], object]
ACTS: list[Act] = [
    lambda store: store.collection(NAME).apply(row(1)),
    lambda store: store.collection(NAME).apply(row(2), Guard(idempotency_key="two")),
    lambda store: store.collection(NAME).update(describe),
    lambda store: store.create_snapshot(NAME, ""),
    lambda store: store.collection(NAME).apply(row(3)),
    lambda store: store.create_snapshot(NAME, "more"),
    lambda store: store.restore(NAME, KEPT),
    lambda store: store.collection(NAME).apply(row(4)),
    lambda store: store.restore(NAME, "more", into="b"),
    lambda store: store.collection("b").apply(row(5)),
    lambda store: store.delete_snapshot(NAME, "more"),
    lambda store: store.delete("b"),
    lambda store: store.create(CollectionSettings("c")),
    lambda store: store.collection("c").apply(row(6)),
    lambda store: store.collection(NAME).apply(row(7)),
]


@pytest.fixture(scope="module")
def prepared() -> ForgettingDirectory:
    """A folder with a collection of a few commits, and a named snapshot of it."""
    directory = ForgettingDirectory()
    with opened(directory) as store:
        store.create(CollectionSettings(NAME))
        store.collection(NAME).apply(row(0))
        store.create_snapshot(NAME, KEPT)
        store.collection(NAME).apply(row(10))
        store.close()
    return directory


@dataclass
class Told:
    """What became of a story: the versions that memory held last, and the collections of which a restart may find others.

    ``memory`` is None where the store could not be opened.
    """

    memory: dict[str, str] | None = None
    doubted: set[str] = field(default_factory=set[str])
    errors: list[PassagewayError] = field(default_factory=list[PassagewayError])


def tell(faulty: FaultyDirectory, *, closing: bool) -> Told:
    """Do all that can be done, and see that each refusal is the right one and changes nothing that is served."""
    told = Told()
    try:
        store = Store(DataFolder(faulty), now=lambda: NOW_US)
    except StorageFailed as error:
        told.errors.append(error)
        return told
    for act in ACTS:
        before = {each: look(store.collection(each).current) for each in store.names()}
        try:
            act(store)
        except PassagewayError as error:
            told.errors.append(error)
            if isinstance(error, NotDurable):
                told.doubted |= {NAME, *MADE}
                continue
            assert before == {each: look(store.collection(each).current) for each in store.names()}
            told.doubted |= store.read_only.keys()
    told.memory = {name: store.collection(name).current.token for name in store.names()}
    if closing:
        try:
            store.close()
        except PassagewayError as error:
            told.errors.append(error)
    stop_threads(store)
    return told


def right(error: PassagewayError, fault: Fault) -> bool:
    """Whether this is what callers should be told of such a failure."""
    if isinstance(error, ReadOnly | NotDurable):
        return True
    if error.reason in ("NOT_FOUND", "ALREADY_EXISTS"):
        return True  # what an act before would have made or removed
    full = ("RESOURCE_EXHAUSTED", "DISK_FULL"), ("UNAVAILABLE", "WRITE_FAILED")
    return (error.code, error.reason) == full[0 if fault.code == errno.ENOSPC else 1]


def failures(prepared: ForgettingDirectory, fault: Fault) -> Iterator[tuple[int, FaultyDirectory]]:
    """A folder for each call that fails, until none does."""
    for number in count(0, STEP):
        faulty = FaultyDirectory(prepared.whole(), replace(fault, at=number))
        yield number, faulty
        if not faulty.failed:
            assert number > 50
            return


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_after_any_call_that_fails_memory_and_disk_agree(
    prepared: ForgettingDirectory, fault: Fault
) -> None:
    with opened(prepared.whole()) as store:
        before = {NAME: store.collection(NAME).current.token}
    for number, faulty in failures(prepared, fault):
        told = tell(faulty, closing=number % 2 == 0)
        where = faulty.failed[:1]
        assert faulty.misuses == [], where
        assert all(right(error, fault) for error in told.errors), (where, told.errors)
        base = faulty.inner
        assert isinstance(base, ForgettingDirectory)
        assert base.misuses == [], where
        expected = before if told.memory is None else told.memory
        left = base.whole() if number % 3 else base.crashed(Random(seed_of(number)))
        assert not verify_folder(left).damaged, where
        with opened(left) as store:
            assert not store.damaged, (where, store.damaged)
            found = {name: store.collection(name).current.token for name in store.names()}
            for name in (found.keys() | expected.keys()) - told.doubted:
                assert found.get(name) == expected.get(name), (where, name, told)


def that_appends(act: str, _: str) -> bool:
    return act == "append"


def test_a_commit_that_was_refused_does_not_come_back_in_a_crash(
    prepared: ForgettingDirectory,
) -> None:
    log = f"{NAME}/log"
    faulty = FaultyDirectory(
        prepared.whole(), Fault(0, errno.ENOSPC, whole=True, among=that_appends)
    )
    assert isinstance(faulty.inner, ForgettingDirectory)
    with opened(faulty) as store:
        before = faulty.inner.files(log)
        with pytest.raises(DiskFull):
            ACTS[0](store)
    for number in range(400):
        assert faulty.inner.crashed(Random(seed_of(number))).files(log) == before


def test_a_collection_whose_sync_failed_is_read_until_a_restart_and_not_written(
    prepared: ForgettingDirectory,
) -> None:
    fault = Fault(0, among=lambda act, path: act == "sync_log" and path.startswith(NAME))
    faulty = FaultyDirectory(prepared.whole(), fault)
    with opened(faulty) as store:
        store.create(CollectionSettings("other"))
        collection = store.collection(NAME)
        before = look(collection.current)
        for act in [ACTS[commit] for commit in (0, 1, 2, 4, 6, 7)]:
            with pytest.raises(ReadOnly):
                act(store)
        store.collection("other").apply(row(0))

        assert look(collection.current) == before
        assert [*store.read_only] == [NAME]
        assert faulty.misuses == []

    assert isinstance(faulty.inner, ForgettingDirectory)
    with opened(faulty.inner.whole()) as store:
        assert not store.read_only
        store.collection(NAME).apply(row(1))


def test_a_file_that_cannot_be_read_stops_its_collection_alone_and_is_left_as_it_is(
    prepared: ForgettingDirectory,
) -> None:
    base, before = prepared.whole(), told_before(prepared)
    with opened(base) as store:
        store.create(CollectionSettings("other"))
        store.close()
    for number in count():
        fault = Fault(number, among=that_reads)
        faulty = FaultyDirectory(base.whole(), fault)
        with opened(faulty) as store:
            refused = {*store.damaged, *store.read_only}
            assert refused <= {NAME}
            store.collection("other").apply(row(0))
        assert isinstance(faulty.inner, ForgettingDirectory)
        with opened(faulty.inner.whole()) as store:
            assert not store.damaged
            assert look(store.collection(NAME).current) == before
        if not faulty.failed:
            assert number > 30
            break


def told_before(prepared: ForgettingDirectory) -> str:
    with opened(prepared.whole()) as store:
        return look(store.collection(NAME).current)
