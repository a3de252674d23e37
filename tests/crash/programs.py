"""Random programs over the storage of a few collections, and what a crash in the middle of one may leave.

What a program did is kept as marks: after so many operations of the directory, so much was acknowledged and no more
than so much was begun. What is recovered after a crash must lie between the two.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Final

import numpy as np

from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.log.writer import Log
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.npy import AnyArray
from passageway_server.storage.recovery import Recovered
from passageway_server.storage.snapshot import OpenSnapshot, Snapshot
from tests.crash.forgetting import ForgettingDirectory

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
COLLECTIONS: Final[tuple[str, ...]] = ("a", "b")
KEEPS = ("old", "older")
"""Names of snapshots."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a collection holds: its life, which is from its making to its deletion, and for each commit the process that made it.

    A commit that was lost and made anew is another one.
    """

    life: int
    runs: tuple[int, ...]

    @property
    def number(self) -> int:
        """The number of the last commit; the first is the making."""
        return len(self.runs)

    @property
    def token(self) -> str:
        return f"{self.life:08d}-{'.'.join(map(str, self.runs))}"

    @property
    def version(self) -> StoredVersion:
        return StoredVersion(self.number, self.token)

    def and_one(self, run: int) -> "Held":
        return Held(self.life, (*self.runs, run))

    def at(self, number: int) -> "Held":
        return Held(self.life, self.runs[:number])

    def payload(self) -> dict[str, object]:
        """What the last commit holds: some are short, some span several sectors, some look like zeros."""
        draw = Random(self.life * 1009 + self.number)
        size = draw.choice((0, 3, 40, 300, 511, 512, 513, 1500))
        filling = b"\0" * size if draw.random() < 0.3 else draw.randbytes(size)
        return {"life": self.life, "run": self.runs[-1], "filling": filling}

    def arrays(self) -> dict[str, AnyArray]:
        """What a snapshot holds."""
        made: dict[str, AnyArray] = {
            "runs": np.array(self.runs),
            "numbers": np.arange(self.number, dtype=np.int32),
            "empty": np.empty(0, np.uint8),
        }
        for array in made.values():
            array.flags.writeable = False
        return made


@dataclass(frozen=True, slots=True)
class Between:
    """What one collection may be after a crash.

    Any part of ``most`` that has all of ``least``; nothing where ``absent`` is possible. Each named snapshot has that token, or
    where it is ``in_doubt`` may be gone.
    """

    least: Held | None = None
    most: Held | None = None
    absent: bool = True
    kept: Mapping[str, str] = field(default_factory=dict[str, str])
    in_doubt: str = ""

    def allows(self, found: Held | None, kept: Mapping[str, str]) -> bool:
        """Whether a crash may leave *found*, and these named snapshots."""
        if found is None or self.least is None or self.most is None:
            return found is None and self.absent
        return (
            found == self.most.at(found.number)
            and found.number >= self.least.number
            and kept.items() <= self.kept.items()
            and self.kept.keys() - kept.keys() <= {self.in_doubt}
        )

    @classmethod
    def exactly(cls, held: Held | None, kept: Mapping[str, str]) -> "Between":
        """That and nothing else."""
        return cls() if held is None else cls(held, held, absent=False, kept=kept)


NOTHING = Between()


def held_by(opened: OpenSnapshot) -> Held:
    """What a snapshot holds, all of it compared."""
    held = Held(int(str(opened.meta["life"])), tuple(opened.arrays["runs"].tolist()))
    assert opened.version == held.version
    for name, array in held.arrays().items():
        assert opened.arrays[name].tobytes() == array.tobytes()
    return held


def recovered(stored: StoredCollection) -> tuple[Held, Recovered]:
    """What a collection holds by its snapshot and its log."""
    recovered = stored.recover()
    held = held_by(recovered.snapshot)
    for commit in recovered.commits:
        held = held.and_one(int(str(commit.payload["run"])))
        assert commit.number == held.number
        assert commit.payload == held.payload()
    return held, recovered


def kept(stored: StoredCollection) -> dict[str, str]:
    """The tokens of the named snapshots."""
    named = stored.list_named()
    assert not named.damaged
    return {one.name: one.version for one in named.listed}


class Program:
    """One process at work on a folder, from its start; *run* is its number."""

    def __init__(self, directory: ForgettingDirectory, draw: Random, *, run: int) -> None:
        self.directory = directory
        self.marks: list[tuple[int, Mapping[str, Between]]] = []
        self._draw = draw
        self._run = run
        self._lives = 0
        self._folder = DataFolder(directory)
        self._now: dict[str, Between] = dict.fromkeys(COLLECTIONS, NOTHING)
        self._logs: dict[str, Log] = {}
        self._snapshots: dict[str, Snapshot] = {}
        for name in self._folder.names():
            held, _ = recovered(self._stored(name))
            self._now[name] = Between.exactly(held, kept(self._stored(name)))
        self._mark()
        for name in self._folder.names():
            self._open(name)

    def between(self, operations: int) -> Mapping[str, Between]:
        """What a crash after so many operations may leave, by collection."""
        place = bisect_right(self.marks, operations, key=lambda mark: mark[0])
        return self.marks[max(place - 1, 0)][1]

    def _mark(self) -> None:
        self.marks.append((self.directory.operations, dict(self._now)))

    def _become(self, name: str, now: Between) -> None:
        """An act begins or ends: from now on a crash may leave this."""
        self._now[name] = now
        self._mark()

    def do(self, acts: int) -> None:
        """Do so many acts."""
        for _ in range(acts):
            name = self._draw.choice(COLLECTIONS)
            if name not in self._logs:
                self._create(name)
            else:
                acts_and_odds = self._acts()
                self._draw.choices(list(acts_and_odds), list(acts_and_odds.values()))[0](name)

    def _acts(self) -> Mapping[Callable[[str], None], int]:
        return {
            self._commit: 10,
            self._commit_several: 6,
            self._checkpoint: 4,
            self._tell: 4,
            self._roll: 2,
            self._restore: 2,
            self._keep: 2,
            self._let_go: 1,
            self._delete: 1,
            self._reopen: 2,
        }

    def _stored(self, name: str) -> StoredCollection:
        return self._folder.collection(name)

    def _held(self, name: str) -> Held:
        held = self._now[name].least
        assert held is not None
        return held

    def _open(self, name: str) -> None:
        held, found = recovered(self._stored(name))
        assert held == self._held(name)
        self._logs[name] = self._stored(name).open_log(held.number, recovered=found)
        self._snapshots[name] = found.snapshot.snapshot

    def _create(self, name: str) -> None:
        self._lives += 1
        made = Held(100 * self._run + self._lives, (self._run,))
        self._become(name, Between(made, made))
        self._publish(name, made, previous=None)
        self._logs[name] = self._stored(name).open_log(1)
        self._become(name, Between.exactly(made, {}))

    def _publish(self, name: str, held: Held, *, previous: Snapshot | None) -> None:
        self._snapshots[name] = self._stored(name).publish(
            held.version,
            arrays=held.arrays(),
            meta={"life": held.life},
            created_at=NOON,
            previous=previous,
        )

    def _append(self, name: str) -> Held:
        """Begin one more commit, which is not acknowledged by that."""
        most = self._now[name].most
        assert most is not None
        most = most.and_one(self._run)
        self._become(name, replace(self._now[name], most=most))
        self._logs[name].append(most.number, most.payload())
        return most

    def _acknowledge(self, name: str, held: Held) -> None:
        self._become(name, replace(self._now[name], least=held))

    def _commit(self, name: str) -> None:
        made = self._append(name)
        self._logs[name].sync()
        self._acknowledge(name, made)

    def _commit_several(self, name: str) -> None:
        """Several writers share a sync; while it runs, others append, who need another one."""
        log = self._logs[name]
        first = [self._append(name) for _ in range(self._draw.randint(1, 3))]
        later: list[Held] = []
        count = self._draw.randint(0, 2)

        def others(_: str) -> None:
            self.directory.while_syncing = lambda _: None
            later.extend(self._append(name) for _ in range(count))

        self.directory.while_syncing = others
        log.sync()
        self._acknowledge(name, first[-1])
        if later:
            log.sync()
            self._acknowledge(name, later[-1])

    def _checkpoint(self, name: str) -> None:
        """A snapshot of some commit, and only then the log that it stands for goes."""
        held, before = self._held(name), self._snapshots[name]
        at = held.at(self._draw.randint(before.manifest.version.number, held.number))
        if self._draw.random() < 0.5:
            self._logs[name].roll()
        self._publish(name, at, previous=before)
        if self._draw.random() < 0.5:
            self._commit(name)
        if self._draw.random() < 0.8:
            self._logs[name].roll()
        if self._draw.random() < 0.8:
            self._stored(name).drop_old(keep=1)

    def _tell(self, name: str) -> None:
        """DURABLE says how far the log is on the disk, which a commit may be ahead of."""
        if self._draw.random() < 0.5:
            self._logs[name].mark()
            return
        made = self._append(name)
        self._logs[name].mark()
        self._logs[name].sync()
        self._acknowledge(name, made)
        self._logs[name].mark()

    def _roll(self, name: str) -> None:
        """A segment begins, before which all is on the disk, though nobody asked for a sync."""
        made = self._append(name)
        self._logs[name].roll()
        self._acknowledge(name, made)

    def _restore(self, name: str) -> None:
        """A commit that is a snapshot, and not in the log."""
        made = self._held(name).and_one(self._run)
        self._become(name, replace(self._now[name], most=made))
        self._publish(name, made, previous=self._snapshots[name])
        self._logs[name].roll(after=made.number)
        self._acknowledge(name, made)

    def _keep(self, name: str) -> None:
        keep, before = self._draw.choice(KEEPS), self._now[name]
        if keep not in before.kept:
            token = self._snapshots[name].manifest.version.token
            now = replace(before, kept={**before.kept, keep: token})
            self._become(name, replace(now, in_doubt=keep))
            self._stored(name).create_named(keep, created_at=NOON)
            self._become(name, now)

    def _let_go(self, name: str) -> None:
        before = self._now[name]
        for keep in list(before.kept)[:1]:
            self._become(name, replace(before, in_doubt=keep))
            self._stored(name).delete_named(keep)
            left = {one: token for one, token in before.kept.items() if one != keep}
            self._become(name, replace(before, kept=left))

    def _delete(self, name: str) -> None:
        self._become(name, replace(self._now[name], absent=True))
        self._logs.pop(name).close()
        self._stored(name).delete()
        self._become(name, NOTHING)

    def _reopen(self, name: str) -> None:
        """The process ends and another one begins."""
        self._logs.pop(name).close()
        self._open(name)
