"""Idempotency keys of a collection: which batch came under a key, and what was answered to it.

A key belongs to its writer. It is kept for a day at least, and as long as it is among the newest 10,000; they are let go by
the block. Keys and batches are known by digests. Keys are looked up and added by the one writer of a collection; snapshots are taken of
them from another thread.
"""

import hashlib
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.errors import InvalidRequest
from passageway_server.values.collections import Acknowledgement
from passageway_server.version.commits.record import Named, Stamp
from passageway_server.version.keyed import (
    BATCH,
    DANGLING,
    DIGEST,
    LOAD,
    NUMBER,
    PLACE,
    Block,
)
from passageway_server.version.tokens import token_of

DAY = 86_400_000_000
"""How long a key is kept, in microseconds."""

KEPT = 10_000
"""So many of the newest keys are kept, however old."""

_COLUMNS = ("digests", "lines", "numbers")
_NO_LOAD = bytes(DIGEST)
_LOADED = re.compile("(.+)/[0-9a-f]{16}/([1-9][0-9]{0,17})", re.DOTALL)  # a place is an int64


@dataclass(frozen=True, slots=True)
class Entry:
    """What came under a key: the SHA-256 of its batch, and the commit that it became.

    ``at`` is when, in microseconds since 1970.
    """

    sub: str
    key: str
    digest: bytes
    line: str
    number: int
    dangling_edges: int
    at: int

    @classmethod
    def of(cls, named: Named, stamp: Stamp, number: int) -> "Entry":
        """The entry of the commit *number*, made at *stamp*."""
        return cls(
            named.sub,
            named.key,
            named.digest,
            stamp.line,
            number,
            named.dangling_edges,
            stamp.at,
        )


class Answered(NamedTuple):
    """A commit, and what the first who sent it was told."""

    number: int
    answer: Acknowledgement


class Keys:
    """The keys of one collection, oldest first."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._loads: dict[bytes, tuple[Block, int]] = {}  # the latest batch of each load
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return sum(block.length for block in self._blocks)

    def find(self, sub: str, key: str, digest: bytes) -> Answered | None:
        """What came under *key* before, None where nothing did; InvalidRequest where that was another batch."""
        wanted = _digest(sub, key)
        for block in reversed(self._blocks):
            place = block.find(wanted)
            if place >= 0:
                if block.digests[place, BATCH].tobytes() != digest[:DIGEST]:
                    message = "came with another batch before; a key names one batch"
                    raise InvalidRequest.one("idempotency_key", message)
                return _answered(block, place)
        return None

    def loaded(self, sub: str, name: str) -> tuple[int, Answered] | None:
        """The latest batch of the load *name*: its place in it, and what came under its key (`batch_of_load`)."""
        with self._lock:
            found = self._loads.get(_digest(sub, name))
        if found is None:
            return None
        block, place = found
        return int(block.numbers[place, PLACE]), _answered(block, place)

    def add(self, entry: Entry) -> None:
        """Keep *entry*, the newest, and let go what is kept for long enough by then."""
        load, place = _NO_LOAD, -1
        batch_of = batch_of_load(entry.key)
        if batch_of is not None:
            name, place = batch_of
            load = _digest(entry.sub, name)
        digests = _digest(entry.sub, entry.key) + entry.digest[:DIGEST] + load
        numbers = (entry.number, entry.dangling_edges, entry.at, place)
        with self._lock:
            if not self._blocks or self._blocks[-1].full:
                self._blocks.append(Block())
            block = self._blocks[-1]
            block.add(digests, bytes.fromhex(entry.line), numbers)
            if place >= 0:
                self._loads[load] = (block, block.length - 1)
            self._let_go(entry.at)

    def _let_go(self, now: int) -> None:
        """Keep no block whose entries are all past what is kept."""
        count, kept = len(self), len(self._blocks)
        while count - self._blocks[0].length >= KEPT and now - self._blocks[0].latest > DAY:
            count -= self._blocks.pop(0).length
        if len(self._blocks) < kept:
            self._loads = {
                load: found for load, found in self._loads.items() if found[0] in self._blocks
            }

    def arrays(self, *, through: int) -> dict[str, NDArray[np.generic]]:
        """What a snapshot of the version *through* stores: the keys of all commits up to it."""
        with self._lock:
            blocks = [block.arrays(through=through) for block in self._blocks]
        return {
            f"{i}.{name}": array for i, block in enumerate(blocks) for name, array in block.items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Keys":
        """The inverse of `arrays`; none where there are none. ValueError or KeyError where they do not fit together."""
        keys = cls()
        count, left = divmod(len(arrays), len(_COLUMNS))
        if left:
            raise ValueError("keys without some of their arrays")
        for i in range(count):
            digests, lines, numbers = (arrays[f"{i}.{name}"] for name in _COLUMNS)
            if len({len(digests), len(lines), len(numbers)}) > 1:
                raise ValueError("keys of several lengths")
            if len(numbers):
                keys._adopt(Block.of(digests, lines, numbers))
        return keys

    def _adopt(self, block: Block) -> None:
        self._blocks.append(block)
        for place in np.flatnonzero(block.numbers[: block.length, PLACE] >= 0).tolist():
            self._loads[block.digests[place, LOAD].tobytes()] = (block, place)


def _answered(block: Block, place: int) -> Answered:
    line, number = block.lines[place].tobytes().hex(), int(block.numbers[place, NUMBER])
    dangling = int(block.numbers[place, DANGLING])
    return Answered(number, Acknowledgement(token_of(line, number), dangling))


def _digest(sub: str, name: str) -> bytes:
    """What tells the key or load *name* of the writer *sub* from every other."""
    writer = sub.encode()
    whole = len(writer).to_bytes(4, "little") + writer + name.encode()
    return hashlib.sha256(whole).digest()[:DIGEST]


def batch_of_load(key: str) -> tuple[str, int] | None:
    """The name of the load that *key* is of, and the place in it, from 1; None for a key of another form.

    Such a key is the name, 16 hex digits that the writer drew for the load, and the place, with ``/`` between.
    """
    found = _LOADED.fullmatch(key)
    return None if found is None else (found[1], int(found[2]))
