"""Tokens of earlier openings: met where this history has their commit, and refused where a crash took it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import PassagewayError, VersionGone, VersionLate
from passageway_server.service.pin import pin
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.halt import Halt
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch
from passageway_server.version import versions
from passageway_server.version.collection import Collection
from passageway_server.version.durability import Durability
from passageway_server.version.store import Store
from passageway_server.version.tokens import (
    next_line,
    token_of,
)
from tests.unit.version.making import node

NEVER = Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9)


def put(kept: Collection, id: str) -> str:
    return kept.apply(Batch(put_nodes=(node(id),))).version


class Crashed:
    """A collection that lost a commit in a crash: who opened the folder after it gave its number to others."""

    def __init__(self, folder: Path, *, after: Sequence[str] = ("c", "d", "e")) -> None:
        store = Store.open(folder / "first", durability=NEVER)
        kept = store.create(CollectionSettings("c"))
        self.kept = put(kept, "a")
        shutil.copytree(folder / "first", folder / "second")
        self.lost = put(kept, "b")
        store.close()
        self.store = Store.open(folder / "second", durability=NEVER)
        self.after = [put(self.store.collection("c"), id) for id in after]

    def told(self, least: str) -> str:
        try:
            return pin(self.store, OPERATOR, "c", ReadOptions(at_least_version=least)).version.token
        except PassagewayError as error:
            return error.reason


@pytest.fixture
def crashed(tmp_path: Path) -> Iterator[Crashed]:
    made = Crashed(tmp_path)
    yield made
    made.store.close()


def test_a_version_of_an_earlier_opening_is_met_and_one_that_a_crash_took_never(
    crashed: Crashed,
) -> None:
    newest = crashed.after[-1]

    assert crashed.lost[20:] == crashed.after[0][20:]
    assert [crashed.told(token) for token in (crashed.kept, *crashed.after)] == [newest] * 4
    assert crashed.told(crashed.lost) == "VERSION_GONE"


def test_that_is_so_after_the_log_is_gone(crashed: Crashed, tmp_path: Path) -> None:
    for _ in range(2):
        crashed.store.close()
        crashed.store = Store.open(tmp_path / "second")
        put(crashed.store.collection("c"), "again")

    newest = crashed.store.collection("c").current.token
    assert [crashed.told(token) for token in (crashed.kept, *crashed.after)] == [newest] * 4
    assert crashed.told(crashed.lost) == "VERSION_GONE"


def test_that_is_so_after_a_restore_in_place(crashed: Crashed, tmp_path: Path) -> None:
    crashed.store.create_snapshot("c", "kept")
    crashed.store.restore("c", "kept")
    shutil.copytree(tmp_path / "second", tmp_path / "third")
    crashed.store.close()
    crashed.store = Store.open(tmp_path / "third")

    newest = crashed.store.collection("c").current.token
    assert [crashed.told(token) for token in (crashed.kept, *crashed.after)] == [newest] * 4
    assert crashed.told(crashed.lost) == "VERSION_GONE"


def test_a_version_that_will_never_come_is_not_waited_for(crashed: Crashed) -> None:
    later = token_of(crashed.lost[:20], 99)

    assert crashed.told(later) == "VERSION_GONE"


def test_the_owner_waits_for_no_commit_of_another_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "_PATIENCE", 0.0)
    crashed = Crashed(tmp_path, after=())
    kept = crashed.store.collection("c")
    number = kept.current.identity.number

    assert crashed.told(crashed.lost) == VersionGone.reason
    assert kept.coming is not None
    for line in (next_line(kept.coming), next_line(kept.current.identity.line)):
        assert crashed.told(token_of(line, number + 1)) == VersionGone.reason
    coming = token_of(kept.coming, number + 1)
    assert crashed.told(coming) == VersionLate.reason
    assert put(kept, "c") == coming
    assert (crashed.told(coming), crashed.told(crashed.lost)) == (coming, VersionGone.reason)
    crashed.store.close()


def test_a_version_of_a_later_opening_is_waited_for_where_another_process_opens(
    crashed: Crashed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "_PATIENCE", 0.0)
    kept = crashed.store.collection("c")
    follower = Collection(kept.current, lines=kept.lines)
    line, number = next_line(kept.current.identity.line), kept.current.identity.number

    with pytest.raises(VersionLate):
        follower.wait_for(token_of(line, number + 1))
    for gone in (token_of(line, number), token_of(crashed.kept[:20], number + 1)):
        with pytest.raises(VersionGone):
            follower.wait_for(gone)
    follower.expect(next_line(line))
    with pytest.raises(VersionGone):
        follower.wait_for(token_of(line, number + 1))


def test_who_waits_hears_at_once_that_a_version_will_not_come(crashed: Crashed) -> None:
    kept = crashed.store.collection("c")
    follower = Collection(kept.current, lines=kept.lines)
    line, number = kept.current.identity.line, kept.current.identity.number
    halt = Halt(seconds=60)

    with ThreadPoolExecutor(1) as pool:
        awaited = pool.submit(follower.wait_for, token_of(line, number + 1), halt)
        with pytest.raises(TimeoutError):
            awaited.result(timeout=0.05)
        follower.expect(next_line(line))
        with pytest.raises(VersionGone):
            awaited.result()
    assert halt.left > 30


def test_a_commit_that_is_told_of_but_cannot_be_read_yet_is_waited_for(
    crashed: Crashed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "_PATIENCE", 0.0)
    kept = crashed.store.collection("c")
    line, number = kept.current.identity.line, kept.current.identity.number
    follower = Collection(kept.current, lines=kept.lines)

    # As while a later snapshot takes the place of what is read.
    follower.lines = kept.lines.going_on(next_line(line), number + 3)

    for told in (token_of(line, number + 1), token_of(line, number + 2)):
        with pytest.raises(VersionLate):
            follower.wait_for(told)
    follower.wait_for(token_of(line, number))


def test_who_waits_for_two_versions_waits_no_longer_than_for_one(
    crashed: Crashed, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, waited = crashed.store.collection("c"), list[float]()
    line, number = crashed.after[-1][:20], int(crashed.after[-1][20:], 16)
    least, at = token_of(line, number + 1), token_of(line, number + 2)

    def wait(is_so: Callable[[], bool], halt: Halt, *, seconds: float) -> bool:
        waited.append(seconds)
        if len(waited) == 1:
            put(kept, "f")
        return is_so()

    monkeypatch.setattr(kept._committing, "wait_until", wait)

    with pytest.raises(VersionLate) as late:
        pin(crashed.store, OPERATOR, "c", ReadOptions(at_version=at, at_least_version=least))

    assert late.value.asked == at
    assert waited == [versions._PATIENCE]


def test_both_versions_of_a_read_have_to_be_in_its_history(crashed: Crashed) -> None:
    read = ReadOptions(at_version=crashed.after[-1], at_least_version=crashed.lost)

    with pytest.raises(VersionGone):
        pin(crashed.store, OPERATOR, "c", read)
