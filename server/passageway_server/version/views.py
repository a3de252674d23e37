"""What may be read today of older versions, as it was worked out lately: the latest few, by token.

A view shares with its version what nothing was taken from. What it has of its own is a part of the graph's size, and there
may be a view of each version that is kept; so they are bounded, in number and in bytes, and worked out again when need be.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from passageway_server.version.narrowing import Narrowing
from passageway_server.version.version import Identity, Version

MOST, MOST_BYTES = 16, 256 << 20


@dataclass(frozen=True, slots=True)
class Shown:
    """What of the version ``of`` may be read by the newest version ``by``, and what was taken away for that."""

    of: Version
    by: Identity
    view: Version
    narrowing: Narrowing

    @property
    def nbytes(self) -> int:
        """Bytes that are there for it alone."""
        view, version, narrowing = self.view, self.of, self.narrowing
        taken = (narrowing.rows, narrowing.row_sets, narrowing.docs, narrowing.doc_sets)
        size = sum(part.nbytes for part in taken)
        if view is version:
            return size
        if view.gates.of is not version.gates.of:
            size += view.gates.of.nbytes
        if view.docs is not version.docs:
            size += view.docs.readers.whole.nbytes + view.out.nbytes + view.into.nbytes
        return size


class Views:
    """At most *most* of them, of at most *most_bytes* together, or else the latest one alone.

    Any number of threads may ask and put.
    """

    def __init__(self, *, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._held = OrderedDict[str, tuple[Shown, int]]()  # with its bytes, oldest use first
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def nbytes(self) -> int:
        """Bytes of those that are held."""
        with self._lock:
            return sum(size for _, size in self._held.values())

    def get(self, token: str) -> Shown | None:
        """That of the version *token*, if it is still held; it counts as used."""
        with self._lock:
            found = self._held.get(token)
            if found is None:
                return None
            self._held.move_to_end(token)
            return found[0]

    def put(self, token: str, shown: Shown) -> None:
        """Hold *shown* of the version *token*, in the place of what was held of it."""
        size = shown.nbytes
        with self._lock:
            self._held.pop(token, None)
            self._held[token] = (shown, size)
            total = sum(each for _, each in self._held.values())
            while len(self._held) > 1 and (
                len(self._held) > self._most or total > self._most_bytes
            ):
                total -= self._held.popitem(last=False)[1][1]

    def drop(self, token: str) -> None:
        """Let that of the version *token* go."""
        with self._lock:
            self._held.pop(token, None)

    def clear(self) -> None:
        """Let all go."""
        with self._lock:
            self._held.clear()
