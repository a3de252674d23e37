"""The values of a field, entry by entry: what does entry i hold?

Entry i is ``values[bounds[i]:bounds[i + 1]]``, and ``many[i]`` says that it was put as a list. An entry never changes; new ones
come at the end, behind what all older states see. Those of vectors are as long as each other, so that the values are the
rows of a matrix.
"""

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.ranges import Ranges, side_by_side
from passageway_server.columns.remembered import Grown
from passageway_server.columns.sketch import Sketch

_NO_FLOATS = np.empty(0, dtype=np.uint8)


class Entries:
    """Entries of one field. ``floats`` is by value, or empty, as in `Column`."""

    __slots__ = (
        "_bounds", "_doubles", "_floats", "_many", "_values",
        "bounds", "floats", "many", "sketch", "values",
    )  # fmt: skip

    def __init__(
        self,
        bounds: Growing[np.int64],
        many: Growing[np.uint8],
        values: Growing[np.generic],
        floats: Growing[np.uint8],
        *,
        sketch: Grown[Sketch] | None = None,
    ) -> None:
        self.sketch = Grown[Sketch]() if sketch is None else sketch  # of vectors
        self._doubles: bool | None = None
        self._bounds, self._many, self._values, self._floats = bounds, many, values, floats
        self.bounds: NDArray[np.int64] = bounds.array
        self.many: NDArray[np.uint8] = many.array
        self.values: NDArray[np.generic] = values.array
        self.floats: NDArray[np.uint8] = floats.array

    @classmethod
    def of(
        cls,
        bounds: NDArray[np.int64],
        many: NDArray[np.uint8],
        values: NDArray[np.generic],
        floats: NDArray[np.uint8],
    ) -> "Entries":
        """Those of arrays that nobody writes any more."""
        return cls(Growing(bounds), Growing(many), Growing(values), Growing(floats))

    @classmethod
    def none(cls, dtype: type[np.generic]) -> "Entries":
        """No entries, of values of a type."""
        return cls.of(
            np.zeros(1, dtype=np.int64), np.empty(0, np.uint8), np.empty(0, dtype), _NO_FLOATS
        )

    def __len__(self) -> int:
        return len(self.many)

    @property
    def doubles(self) -> bool:
        """Whether some value is a double."""
        if self._doubles is None:
            self._doubles = bool(self.floats.any())
        return self._doubles

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Of vectors: the values as they stand, a row for each entry, without a copy."""
        values = cast(NDArray[np.float32], self.values)
        return values.reshape(len(self), -1 if len(self) else 0)

    def check_vectors(self, dimensions: int) -> None:
        """Raise ValueError unless these are vectors of so many *dimensions*, finite and side by side."""
        if self.values.dtype != np.float32 or len(self.values) != len(self) * dimensions:
            raise ValueError(f"not {len(self)} vectors of {dimensions} numbers")
        bounds = np.arange(len(self) + 1, dtype=np.int64) * dimensions
        if not np.array_equal(self.bounds, bounds) or self.many.any():
            raise ValueError("vectors that do not lie side by side")
        if not np.isfinite(cast(NDArray[np.float32], self.values)).all():
            raise ValueError("a number of a vector that is not finite")

    def ranges(self, entries: NDArray[np.integer]) -> Ranges:
        """Where the values of *entries* are."""
        starts = self.bounds[entries]
        return side_by_side(starts, self.bounds[entries + 1] - starts)

    def extended(
        self,
        lengths: NDArray[np.int64],
        many: NDArray[np.uint8],
        values: NDArray[np.generic],
        floats: NDArray[np.uint8],
    ) -> "Entries":
        """These entries and more behind them, of so many *values* each."""
        if not len(lengths):
            return self
        return Entries(
            self._bounds.extended(lengths.cumsum() + self.bounds[-1]),
            self._many.extended(many),
            self._values.extended(values),
            self._floats.extended(floats),
            sketch=Grown(self.sketch),
        )

    def chosen(self, entries: NDArray[np.integer]) -> "Entries":
        """*entries* and no others, numbered from 0 in their order."""
        if self.values.dtype == np.float32:
            vectors = self.vectors[entries]
            bounds = np.arange(len(entries) + 1, dtype=np.int64) * vectors.shape[1]
            return Entries.of(bounds, self.many[entries], vectors.reshape(-1), self.floats)
        kept, bounds = self.ranges(entries)
        floats = self.floats[kept] if len(self.floats) else _NO_FLOATS
        return Entries.of(bounds, self.many[entries], self.values[kept], floats)

    def renumbered(self, numbers: NDArray[np.int32]) -> "Entries":
        """These entries, value v being ``numbers[v]``."""
        values = Growing[np.generic](numbers[cast(NDArray[np.int32], self.values)])
        return Entries(self._bounds, self._many, values, self._floats)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {
            "bounds": self.bounds,
            "many": self.many,
            "values": self.values,
            "floats": self.floats,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Entries":
        """The inverse of `arrays`."""
        return cls.of(
            cast(NDArray[np.int64], arrays["bounds"]),
            cast(NDArray[np.uint8], arrays["many"]),
            arrays["values"],
            cast(NDArray[np.uint8], arrays["floats"]),
        )
