"""Strings packed into one heap of UTF-8: which text is entry i?

Entry i is the bytes ``bounds[i]:bounds[i + 1]`` of ``heap``. Entries never change; new ones come at the end.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.ranges import AT_ONCE, side_by_side

Numbers = NDArray[np.int32]


class Strings:
    """A growing list of strings without a Python object for each."""

    __slots__ = ("_bounds", "_heap", "_view", "bounds", "heap")

    def __init__(self, heap: Growing[np.uint8], bounds: Growing[np.int64]) -> None:
        self._heap = heap
        self._bounds = bounds
        self.heap: NDArray[np.uint8] = heap.array
        self.bounds: NDArray[np.int64] = bounds.array
        self._view = memoryview(self.heap.data)

    @classmethod
    def of(cls, strings: Sequence[str] = ()) -> "Strings":
        """The given strings, numbered from 0."""
        return cls(
            Growing(np.empty(0, dtype=np.uint8)), Growing(np.zeros(1, dtype=np.int64))
        ).extended(strings)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, entry: int) -> str:
        return str(self.encoded(entry), "utf-8")

    def encoded(self, entry: int) -> memoryview:
        """The UTF-8 bytes of *entry*."""
        bounds = self.bounds
        return self._view[int(bounds[entry]) : int(bounds[entry + 1])]

    def take(self, entries: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """The strings of *entries*, in their order."""
        which = np.asarray(entries, dtype=np.int64)
        starts = self.bounds[which].tolist()
        ends = self.bounds[which + 1].tolist()
        view = self._view
        return [str(view[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]

    def chosen(self, entries: NDArray[np.integer]) -> "Strings":
        """The strings of *entries*, in their order, numbered from 0."""
        starts = self.bounds[entries]
        lengths = self.bounds[entries + 1] - starts
        bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=bounds[1:])
        heap = np.empty(int(bounds[-1]), dtype=np.uint8)
        first = 0
        while first < len(lengths):
            end = _end(bounds, first)
            some = side_by_side(starts[first:end], lengths[first:end]).positions
            heap[bounds[first] : bounds[end]] = self.heap[some]
            first = end
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
        added = np.cumsum(lengths) + self.bounds[-1]
        return Strings(self._heap.extended(heap), self._bounds.extended(added))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {"heap": self.heap, "bounds": self.bounds}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Strings":
        """The inverse of `arrays`."""
        return cls(Growing(arrays["heap"]), Growing(arrays["bounds"]))  # type: ignore[arg-type]


def _end(bounds: NDArray[np.int64], first: int) -> int:
    """Where a part that begins with entry *first* ends: after so many bytes, but after one entry at least."""
    within = int(bounds.searchsorted(int(bounds[first]) + AT_ONCE, side="right"))
    return max(within - 1, first + 1)
