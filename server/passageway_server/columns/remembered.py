"""What was worked out lately, by key: values that are dropped, oldest use first, when there are too
many.

A version and its readers ask for the same verdicts and lookups again and again; what a caller can
make them remember is bounded in entries and in bytes.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar, cast

from passageway_server.values.halt import Halt

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Remembered(Generic[_Key, _Value]):
    """At most *entries* values, of at most *bytes* in all.

    Any number of threads may ask and put.
    """

    __slots__ = ("_bytes", "_entries", "_held", "_lock", "_values")

    def __init__(self, *, entries: int, bytes: int) -> None:
        self._entries, self._bytes = entries, bytes
        self._held = 0  # bytes
        self._values: OrderedDict[_Key, tuple[_Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    @property
    def nbytes(self) -> int:
        """Bytes of the values that are held."""
        return self._held

    def get(self, key: _Key) -> _Value | None:
        """What was put for *key*, if it is still held; it counts as used."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def items(self) -> list[tuple[_Key, _Value]]:
        """What is held, oldest use first."""
        with self._lock:
            return [(key, value) for key, (value, _) in self._values.items()]

    def put(self, key: _Key, value: _Value, *, size: int) -> None:
        """Hold *value*, of *size* bytes, in place of what *key* had.

        One that is larger than all room is not held.
        """
        with self._lock:
            before = self._values.pop(key, None)
            if before is not None:
                self._held -= before[1]
            if size > self._bytes:
                return
            self._values[key] = (value, size)
            self._held += size
            while len(self._values) > self._entries or self._held > self._bytes:
                _, (_, freed) = self._values.popitem(last=False)
                self._held -= freed


class Followed:
    """What was worked out from arrays, by key: it is found again while they are the same objects.

    Versions share what a commit did not change, so this stands with one of the arrays' owners,
    lives as long as it does, and is asked by every version that holds it. It keeps the latest
    inputs alone: those of an older version, still read, are worked out anew.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[tuple[object, ...], object]] = {}

    def of(self, key: Hashable, inputs: tuple[object, ...], make: Callable[[], _Value]) -> _Value:
        """What *make* gives of *inputs*, which never change; made once, twice where calls meet."""
        known = self._known.get(key)
        if known is not None and all(a is b for a, b in zip(known[0], inputs, strict=True)):
            return cast(_Value, known[1])
        made = make()
        self._known[key] = (inputs, made)
        return made


class Grown(Generic[_Value]):
    """What was worked out of entries that only grow at their end, all of them or, of a shorter state, the first.

    Each state has its own, and begins with the latest that was known of the one before it.
    """

    __slots__ = ("_before", "_known", "_making")

    def __init__(self, before: "Grown[_Value] | None" = None) -> None:
        self._known: _Value | None = None
        self._before = before.latest if before is not None else None
        self._making = threading.Lock()

    @property
    def latest(self) -> _Value | None:
        """What is known of all entries, or of the first."""
        before = self._before  # read first: it goes when all are known
        return before if self._known is None else self._known

    def of(self, make: Callable[[_Value | None], _Value], halt: Halt) -> _Value:
        """What *make* gives of what is known of the first entries, if anything is; made once, whichever threads ask.

        Raises DeadlineExceeded, Cancelled.
        """
        if self._known is None:
            halt.wait_for(lambda moment: self._making.acquire(timeout=moment))
            try:
                if self._known is None:  # who came before may have made it
                    self._known = make(self._before)
                    self._before = None
            finally:
                self._making.release()
        return self._known
