"""When a commit can be read: once it is on the disk, in its turn, and never if the disk did not say so."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from passageway_server.errors import (
    Cancelled,
    DiskFull,
    InvalidRequest,
    ReadOnly,
    Stopping,
    StorageFailed,
    VersionGone,
    VersionLate,
)
from passageway_server.values.collections import Acknowledgement
from passageway_server.values.halt import Halt
from passageway_server.values.records import Batch, Guard, NodeRecord
from passageway_server.version import versions
from passageway_server.version.collection import Collection
from passageway_server.version.committing import Committing
from passageway_server.version.tokens import precedes
from passageway_server.wire.ending import halted_after
from tests.unit.version.logs import MemoryLog
from tests.unit.version.making import collection


def put(identifier: str) -> Batch:
    return Batch(put_nodes=(NodeRecord(identifier),))


def kept_in(log: MemoryLog, *, sync_each: bool = True) -> Collection:
    kept = collection()
    kept.keep_in(log, sync_each=sync_each)
    return kept


def ids(kept: Collection) -> list[str]:
    return kept.current.nodes.ids.take(range(len(kept.current.nodes)))


def several(kept: Collection, log: MemoryLog, count: int) -> list[Future[Acknowledgement]]:
    """So many commits at a time, all of which were appended while no sync comes back."""
    log.open.clear()
    pool = ThreadPoolExecutor(count)
    first = log.appended
    waiting = [pool.submit(kept.apply, put(f"n{i}")) for i in range(count)]
    log.wait_for(first + count)
    pool.shutdown(wait=False)
    return waiting


def test_a_version_is_not_read_before_its_commit_is_on_the_disk() -> None:
    log = MemoryLog()
    kept = kept_in(log)
    before = kept.current

    (waiting,) = several(kept, log, 1)
    assert (kept.current, log.appended) == (before, 2)
    log.open.set()

    assert waiting.result().version == kept.current.token
    assert (kept.current.identity.number, log.durable) == (2, 2)


def test_no_reader_ever_sees_a_version_past_what_is_durable() -> None:
    log = MemoryLog()
    kept = kept_in(log)
    seen: list[tuple[int, int]] = []
    kept.on_change(lambda: seen.append((kept.current.identity.number, log.durable)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(kept.apply, (put(f"n{i}") for i in range(40))))

    assert len(seen) >= 1
    assert all(number <= durable for number, durable in seen)
    assert [number for number, _ in seen] == sorted(number for number, _ in seen)


def test_commits_that_come_together_share_their_syncs() -> None:
    log = MemoryLog()
    kept = kept_in(log)

    waiting = several(kept, log, 16)
    log.open.set()
    tokens = {each.result().version for each in waiting}

    assert len(tokens) == 16
    assert log.synced <= 2  # that of the first one, and one for all who came meanwhile
    assert kept.current.identity.number == 17


def test_each_commit_is_made_on_the_one_before_though_nobody_sees_that_yet() -> None:
    log = MemoryLog()
    kept = kept_in(log)

    waiting = several(kept, log, 5)
    log.open.set()
    for each in waiting:
        each.result()

    assert sorted(ids(kept)) == [f"n{i}" for i in range(5)]
    assert max(each.result().version for each in waiting) == kept.current.token


def test_a_commit_that_finds_the_disk_full_is_gone_and_the_next_one_is_taken() -> None:
    log = MemoryLog()
    kept = kept_in(log)
    kept.apply(put("a"))

    log.full = True
    with pytest.raises(DiskFull):
        kept.apply(put("b"))
    assert ids(kept) == ["a"]
    log.full = False
    kept.apply(put("c"))

    assert ids(kept) == ["a", "c"]
    assert kept.read_only is None
    assert kept.current.identity.number == log.durable == 3


def test_after_a_failed_sync_nothing_is_published_and_no_commit_is_taken() -> None:
    log = MemoryLog()
    kept = kept_in(log)
    kept.apply(put("a"))
    told: list[str] = []
    kept.on_change(lambda: told.append("changed"))

    waiting = several(kept, log, 4)
    log.broken = True
    log.open.set()

    for each in waiting:
        with pytest.raises(ReadOnly):
            each.result()
    assert ids(kept) == ["a"]
    assert isinstance(kept.read_only, ReadOnly)
    assert told
    log.broken = False
    frames = len(log.frames)
    later: list[Callable[[], object]] = [
        lambda: kept.apply(put("b")),
        lambda: kept.update(lambda settings: settings),
        kept.sync,
    ]
    for act in later:
        with pytest.raises(ReadOnly):
            act()
    assert (len(log.frames), ids(kept)) == (frames, ["a"])


def test_what_is_wrong_with_a_batch_reaches_no_log() -> None:
    log = MemoryLog()
    kept = kept_in(log)

    with pytest.raises(InvalidRequest):
        kept.apply(put(""))

    assert log.frames == []


def test_without_a_sync_for_each_a_commit_is_read_at_once_and_synced_later() -> None:
    log = MemoryLog()
    kept = kept_in(log, sync_each=False)
    kept.apply(put("a"))
    synced = log.synced

    kept.apply(put("b"))
    assert (ids(kept), log.synced, log.durable) == (["a", "b"], synced, 2)
    kept.sync()

    assert log.durable == 3


def test_the_first_commit_of_an_epoch_is_synced_whatever_comes_after_it() -> None:
    """Else a crash could take it, and the next owner would give its token to another version."""
    log = MemoryLog()
    kept = kept_in(log, sync_each=False)

    (waiting,) = several(kept, log, 1)
    assert kept.current.identity.number == 1
    log.open.set()
    waiting.result()

    assert log.durable == 2


def test_a_sync_that_fails_later_ends_commits_and_keeps_what_was_read() -> None:
    log = MemoryLog()
    kept = kept_in(log, sync_each=False)
    kept.apply(put("a"))
    kept.apply(put("b"))

    log.broken = True
    with pytest.raises(ReadOnly):
        kept.sync()

    assert ids(kept) == ["a", "b"]
    with pytest.raises(ReadOnly):
        kept.apply(put("c"))


def test_who_waits_for_a_version_goes_on_once_it_can_be_read() -> None:
    log = MemoryLog()
    kept = kept_in(log)
    line = kept.apply(put("a")).version[:20]

    (waiting,) = several(kept, log, 1)
    with ThreadPoolExecutor(1) as pool:
        awaited = pool.submit(kept.wait_for, f"{line}{3:012x}", Halt(seconds=60))
        assert not awaited.done()
        log.open.set()
        awaited.result()

    assert kept.current.token == waiting.result().version


def test_a_version_that_does_not_come_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_PATIENCE", 0.0)
    kept = collection()
    token = kept.current.token
    later = f"{token[:20]}{9:012x}"

    kept.wait_for(token)
    with pytest.raises(VersionLate) as late:
        kept.wait_for(later)
    assert (late.value.asked, late.value.newest) == (later, token)
    with pytest.raises(VersionGone):
        kept.wait_for("0" * 32)


def test_who_gives_up_waits_no_longer() -> None:
    kept, halt = collection(), Halt(seconds=60)
    threading.Timer(0, halt.cancel).start()

    with pytest.raises(Cancelled):
        kept.wait_for(f"{kept.current.token[:20]}{9:012x}", halt)


def test_an_epoch_later_is_of_the_same_collection_and_of_no_other() -> None:
    kept = collection()
    before = kept.apply(put("a")).version

    kept.keep_in(MemoryLogAfter(2), sync_each=True)
    after = kept.apply(put("b")).version

    assert before[:8] == after[:8]
    assert int(after[8:12], 16) == int(before[8:12], 16) + 1
    assert collection().current.token[:8] != before[:8]


class MemoryLogAfter(MemoryLog):
    """A log that goes on behind a commit."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.appended = self.durable = number


class OpensOnce:
    """Gives *log* when there is room; until then, and where the disk is broken, what a disk says."""

    def __init__(self, log: MemoryLog) -> None:
        self.log = log
        self.tried = 0

    def __call__(self) -> MemoryLog:
        self.tried += 1
        if self.log.full:
            raise DiskFull("log", "no room")
        if self.log.broken:
            raise StorageFailed("log", "input/output error")
        return self.log


def test_a_log_that_finds_no_room_is_opened_by_the_first_commit_that_finds_some() -> None:
    log = MemoryLog()
    log.full = True
    opens = OpensOnce(log)
    kept = collection()
    line = kept.current.identity.line
    kept.keep_once_open(opens, sync_each=True)

    for identifier in ("a", "b"):
        with pytest.raises(DiskFull):
            kept.apply(put(identifier), Guard(idempotency_key=identifier))
    assert (ids(kept), kept.read_only, opens.tried) == ([], None, 3)
    log.full = False
    kept.apply(put("b"), Guard(idempotency_key="b"))
    kept.apply(put("c"))

    assert (ids(kept), log.appended, opens.tried) == (["b", "c"], 3, 4)
    assert precedes(line, kept.current.identity.line)


def test_a_log_that_cannot_be_opened_for_another_reason_takes_no_commits_until_a_restart() -> None:
    log = MemoryLog()
    log.full = True
    opens = OpensOnce(log)
    kept = collection()
    kept.keep_once_open(opens, sync_each=True)
    log.full, log.broken = False, True

    for _ in range(2):
        with pytest.raises(ReadOnly):
            kept.apply(put("a"))
    log.broken = False
    with pytest.raises(ReadOnly):
        kept.apply(put("a"))
    assert opens.tried == 2


def test_a_log_that_waits_for_room_is_not_opened_once_its_collection_is_closed() -> None:
    log = MemoryLog()
    log.full = True
    opens = OpensOnce(log)
    kept = collection()
    kept.keep_once_open(opens, sync_each=True)
    kept.close(Stopping())
    log.full = False

    with pytest.raises(Stopping):
        kept.resume()
    assert opens.tried == 1


def test_a_call_with_a_deadline_is_told_before_it_that_a_version_is_late() -> None:
    kept = collection()
    token = kept.current.token

    with halted_after(0.5) as halt:
        with pytest.raises(VersionLate) as late:
            kept.wait_for(f"{token[:20]}{9:012x}", halt)
        assert not halt.spent()

    assert late.value.newest == token


class Leaving(Committing):
    """Commits whose log is let go between two looks at it."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name == "log" and found is not None:
            self.log = None
        return found


@pytest.mark.parametrize("act", [Committing.sync, Committing.mark, Committing.roll])
def test_a_log_that_is_let_go_is_left_alone(act: Callable[[Committing], object]) -> None:
    committing = Leaving(collection().current, published=lambda _: None)
    committing.log = MemoryLog()

    act(committing)
