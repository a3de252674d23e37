"""Strings packed into one heap of UTF-8: which text is entry i?

Entry i is the bytes ``bounds[i]:bounds[i + 1]`` of ``heap``. Entries never change; new ones come at the end. Where there are very many
short ones, their bounds may be held in 32 bits, up to 4 GiB: ask for ranges then.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.ranges import AT_ONCE, side_by_side

Numbers = NDArray[np.int32]

_NARROW = 1 << 32  # bytes of a heap whose bounds have 32 bits


class Strings:
    """A growing list of strings without a Python object for each."""

    __slots__ = ("_bounds", "_heap", "_view", "heap")

    def __init__(
        self, heap: Growing[np.uint8], bounds: Growing[np.int64] | Growing[np.uint32]
    ) -> None:
        self._heap = heap
        self._bounds = bounds
        self.heap: NDArray[np.uint8] = heap.array
        self._view = memoryview(self.heap.data)

    @classmethod
    def of(cls, strings: Sequence[str] = ()) -> "Strings":
        """The given strings, numbered from 0."""
        return cls(
            Growing(np.empty(0, dtype=np.uint8)), Growing(np.zeros(1, dtype=np.int64))
        ).extended(strings)

    @classmethod
    def narrow(cls) -> "Strings":
        """No strings so far, and 32 bits for the bounds of those to come, as long as that will do."""
        return cls(Growing(np.empty(0, dtype=np.uint8)), Growing(np.zeros(1, dtype=np.uint32)))

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where each entry begins, and behind the last; made each time where they are held in 32 bits."""
        return self._bounds.array.astype(np.int64, copy=False)

    @property
    def are_narrow(self) -> bool:
        """Whether the bounds are held in 32 bits."""
        return self._bounds.dtype == np.uint32

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each entry has."""
        return np.diff(self._bounds.array).astype(np.int64, copy=False)

    def __getitem__(self, entry: int) -> str:
        return str(self.encoded(entry), "utf-8")

    def encoded(self, entry: int) -> memoryview:
        """The UTF-8 bytes of *entry*."""
        bounds = self._bounds.array
        return self._view[int(bounds[entry]) : int(bounds[entry + 1])]

    def ranges(self, entries: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where *entries* begin and end."""
        bounds = self._bounds.array
        starts, ends = bounds[entries], bounds[entries + 1]
        return starts.astype(np.int64, copy=False), ends.astype(np.int64, copy=False)

    def between(self, first: int, last: int) -> NDArray[np.int64]:
        """The bounds of the entries from *first* up to *last*."""
        return self._bounds.array[first : last + 1].astype(np.int64, copy=False)

    def up_to(self, first: int, size: int) -> int:
        """Where a part ends that begins with entry *first*: after so many bytes, but after one entry at least."""
        bounds = self._bounds.array
        past = min(int(bounds[first]) + size, int(bounds[-1]))
        within = int(bounds.searchsorted(bounds.dtype.type(past), side="right"))
        return max(within - 1, first + 1)

    def take(self, entries: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """The strings of *entries*, in their order."""
        starts, ends = self.ranges(np.asarray(entries, dtype=np.int64))
        view = self._view
        return [
            str(view[start:end], "utf-8")
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]

    def chosen(self, entries: NDArray[np.integer]) -> "Strings":
        """The strings of *entries*, in their order, numbered from 0."""
        starts, ends = self.ranges(entries)
        lengths = ends - starts
        bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=bounds[1:])
        heap = np.empty(int(bounds[-1]), dtype=np.uint8)
        first = 0
        while first < len(lengths):
            last = max(
                int(bounds.searchsorted(int(bounds[first]) + AT_ONCE, "right")) - 1, first + 1
            )
            some = side_by_side(starts[first:last], lengths[first:last]).positions
            heap[bounds[first] : bounds[last]] = self.heap[some]
            first = last
        if self.are_narrow and len(heap) < _NARROW:
            return Strings(Growing(heap), Growing(bounds.astype(np.uint32)))
        return Strings(Growing(heap), Growing(bounds))

    def extended(self, strings: Iterable[str]) -> "Strings":
        """These strings with *strings* behind them."""
        encoded = [string.encode() for string in strings]
        if not encoded:
            return self
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return self.extended_by(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths)

    def extended_by(self, heap: NDArray[np.uint8], lengths: NDArray[np.int64]) -> "Strings":
        """These strings with those behind them that stand side by side in *heap*."""
        added = np.cumsum(lengths) + int(self._bounds.array[-1])
        bounds: Growing[Any] = self._bounds
        if self.are_narrow and len(added) and added[-1] >= _NARROW:
            bounds = Growing(self.bounds)
        return Strings(self._heap.extended(heap), bounds.extended(added))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {"heap": self.heap, "bounds": self._bounds.array}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Strings":
        """The inverse of `arrays`."""
        return cls(Growing(arrays["heap"]), Growing(arrays["bounds"]))  # type: ignore[arg-type]
