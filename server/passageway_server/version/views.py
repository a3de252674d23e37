"""What may be read today of older versions, as it was worked out lately: the latest few, by token.

A view shares with its version what nothing was taken from. What it has of its own is a part of the graph's size, it grows by
what its readers make it remember, and there may be a view of each version that is kept; so they are bounded, in number and in
bytes, and worked out again when need be.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from passageway_server.version.narrowing import Narrowing
from passageway_server.version.version import Identity, Version

MOST, MOST_BYTES = 16, 256 << 20


@dataclass(frozen=True, slots=True)
class Shown:
    """What of the version ``of`` may be read by the newest version ``by``, and what was taken away for that.

    ``base`` is ``of``, or of what nobody had read what was worked out in its place.
    """

    of: Version
    base: Version
    by: Identity
    view: Version
    narrowing: Narrowing

    @property
    def nbytes(self) -> int:
        """Bytes that are there for it alone from the outset; what it remembers for its readers comes on top."""
        view, version, narrowing = self.view, self.base, self.narrowing
        taken = (narrowing.rows, narrowing.row_sets, narrowing.docs, narrowing.doc_sets)
        size = sum(part.nbytes for part in taken)
        if version is not self.of:
            gates = version.gates
            size += gates.of.nbytes + gates.expiry.nbytes + version.rank.nbytes
            size += version.out.nbytes + version.into.nbytes
        if view is version:
            return size
        if view.gates.of is not version.gates.of:
            size += view.gates.of.nbytes
        if view.docs is not version.docs:
            size += view.docs.readers.whole.nbytes + view.out.nbytes + view.into.nbytes
        return size


class Views:
    """At most *most* of them, of at most *most_bytes* together, or else the latest one alone.

    Bytes are counted whenever one is asked for or put: one call at a time may lead past them. Any number of threads may ask
    and put.
    """

    def __init__(self, *, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._held = OrderedDict[str, tuple[Shown, int]]()  # with its own bytes, oldest use first
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def nbytes(self) -> int:
        """Bytes of those that are held, by now."""
        with self._lock:
            return sum(map(_bytes_of, self._held.values()))

    def get(self, token: str) -> Shown | None:
        """That of the version *token*, if it is still held; it counts as used."""
        with self._lock:
            found = self._held.get(token)
            if found is None:
                return None
            self._held.move_to_end(token)
            self._let_go()
            return found[0]

    def put(self, token: str, shown: Shown) -> None:
        """Hold *shown* of the version *token*, in the place of what was held of it."""
        own = shown.nbytes
        with self._lock:
            before = self._held.pop(token, None)
            if before is not None and before[0].view is not shown.view:
                before[0].view.forget()
            self._held[token] = (shown, own)
            self._let_go()

    def drop(self, token: str) -> None:
        """Let that of the version *token* go."""
        with self._lock:
            self._held.pop(token, None)

    def clear(self) -> None:
        """Let all go."""
        with self._lock:
            while self._held:
                self._let_oldest_go()

    def _let_go(self) -> None:
        sizes = [_bytes_of(each) for each in self._held.values()]
        total = sum(sizes)
        for size in sizes[:-1]:
            if len(self._held) <= self._most and total <= self._most_bytes:
                break
            self._let_oldest_go()
            total -= size

    def _let_oldest_go(self) -> None:
        """Let go the one that was used before all others: where it is its very version, that stays, and forgets."""
        _, (shown, _) = self._held.popitem(last=False)
        shown.view.forget()


def _bytes_of(held: tuple[Shown, int]) -> int:
    shown, own = held
    return own + shown.view.remembered_bytes
