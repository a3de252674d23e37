"""Logs in memory that a test holds back, breaks and counts, and batches to be kept in them."""

import threading
from collections.abc import Mapping
from random import Random

from passageway_server.errors import DiskFull, ReadOnly
from passageway_server.storage import records
from passageway_server.storage.log.frames import LOG_LIMITS
from passageway_server.storage.log.reading import Logged
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
    PropertyValue,
)

IDS = [*(f"n{i}" for i in range(8)), "é", "日本", "a b"]
TEXTS = ["", "x", "naïve ☃", "tab\tand\nline", "\U0001f600", "\0"]


class MemoryLog:
    """Keeps commits as storage does: as bytes. ``synced`` counts the syncs, ``durable`` is the last that one reached."""

    def __init__(self) -> None:
        self.frames: list[tuple[int, bytes]] = []
        self.appended: int = 1
        self.durable: int = 1
        self.synced = 0
        self.size = 0
        self.full = False
        self.broken = False
        self.grown = threading.Condition()
        self.open = threading.Event()  # what a sync waits for
        self.open.set()

    def append(self, number: int, payload: Mapping[str, object]) -> None:
        packed = records.encode(payload, limits=LOG_LIMITS)
        if self.full:
            raise DiskFull("log", "full")
        with self.grown:
            assert number == self.appended + 1
            self.frames.append((number, packed))
            self.appended, self.size = number, self.size + len(packed)
            self.grown.notify_all()

    def sync(self) -> None:
        covered = self.appended
        self.open.wait()
        if self.broken:
            raise ReadOnly("log", "a sync failed")
        self.synced += 1
        self.durable = max(self.durable, covered)

    def mark(self) -> bool:
        """All that is durable is known to be."""
        return True

    def roll(self, after: int | None = None) -> None:
        self.appended = self.durable = after or self.appended

    def close(self) -> None:
        """Nothing is held."""

    def wait_for(self, number: int) -> None:
        """Wait until commit *number* was appended."""
        with self.grown:
            self.grown.wait_for(lambda: self.appended >= number)

    @property
    def logged(self) -> list[Logged]:
        """The commits, read from their bytes."""
        return [
            Logged(number, records.decode(packed, "log", limits=LOG_LIMITS))
            for number, packed in self.frames
        ]


def random_properties(rng: Random) -> Properties:
    """Values of every kind, the fields named by their kinds."""
    made: dict[str, list[PropertyValue]] = {
        "number": [0, -(1 << 63), (1 << 63) - 1, 0.1, -0.0, 1.0, 5e-324, [1, 2], [0.5], [7]],
        "word": [*TEXTS, ["a"], ["a", "b", "a"], []],
        "flag": [True, False, [True, False]],
        "expires_at": ["2031-01-01", "2030-01-01T00:00:00.000001Z"],
        "né": ["other"],
    }
    names = rng.sample(list(made), rng.randint(0, len(made)))
    return {name: rng.choice(made[name]) for name in names}


def random_batch(rng: Random) -> Batch:
    """Puts of all records, deletions and recuts, some of them of the same ids."""

    def some(most: int) -> tuple[str, ...]:
        return tuple(rng.choices(IDS, k=rng.randint(0, most)))

    def readers() -> tuple[str, ...]:
        return rng.choice(((), ("public",), ("group:a & group:b", "user:é"), ("user:eve",)))

    return Batch(
        delete_edges=tuple(f"e{each}" for each in some(2)),
        delete_nodes=some(2),
        recut_parents=some(1),
        put_nodes=tuple(
            NodeRecord(
                each,
                type=rng.choice(("", "t", "ü")),
                name=rng.choice(TEXTS),
                content=rng.choice(TEXTS),
                project=rng.choice(("", "p", "q")),
                readers=readers(),
                status=rng.choice(("", "open", "expired")),
                properties=random_properties(rng),
                links={
                    name: some(3) for name in rng.sample(("rel", "see", "of"), rng.randint(0, 3))
                },
                covered=rng.random() < 0.5,
            )
            for each in some(4)
        ),
        put_edges=tuple(
            EdgeRecord(
                f"e{each}",
                rng.choice(IDS),
                rng.choice(IDS),
                rng.choice(("", "T", "U")),
                rng.choice((None, 0.0, 0.3, 2.0)),
                random_properties(rng),
                readers(),
            )
            for each in some(4)
        ),
        put_passages=tuple(
            PassageRecord(
                each,
                rng.choice(IDS),
                rng.randint(-1, 1 << 40),
                rng.choice(TEXTS),
                rng.choice(TEXTS),
                rng.choice(TEXTS),
                some(2),
                random_properties(rng),
                rng.choice(("", "part")),
                readers(),
                rng.choice((None, 0, 9)),
            )
            for each in some(3)
        ),
    )
