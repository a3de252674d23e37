"""An array by row of which a commit changes a few: what does row r hold?

Rows come at the end of a shared buffer, and rows that are written again stand aside, as patches. So a version costs what
it changed, and reading some rows costs about as much as from an array. Where nothing is patched, ``whole`` is the array
itself; else it is made when it is first asked for, and kept.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.patches import UNPATCHED, Found, Patches

_Scalar = TypeVar("_Scalar", bound=np.generic)
_Value = TypeVar("_Value", bound=np.generic)


class ByRow(Generic[_Scalar]):
    """A read-only array by row. Indexed by rows it gives an array, by one row a value, as an ndarray does."""

    __slots__ = ("_base", "_patch", "_whole", "patches")

    def __init__(
        self, base: Growing[_Scalar], patch: Growing[_Scalar], patches: Patches = UNPATCHED
    ) -> None:
        self._base = base
        self._patch = patch  # by entry: the values of patched rows
        self.patches = patches
        self._whole: NDArray[_Scalar] | None = None if len(patches.rows) else base.array

    @staticmethod
    def of(array: NDArray[_Value]) -> "ByRow[_Value]":
        """The values of *array*, which nobody writes any more."""
        return ByRow(Growing(array), Growing(np.empty(0, dtype=array.dtype)))

    @staticmethod
    def empty(dtype: type[_Value]) -> "ByRow[_Value]":
        """No rows."""
        return ByRow.of(np.empty(0, dtype=dtype))

    def __len__(self) -> int:
        return len(self._base)

    @overload
    def __getitem__(self, rows: int | np.integer) -> _Scalar: ...
    @overload
    def __getitem__(self, rows: NDArray[np.integer]) -> NDArray[_Scalar]: ...
    def __getitem__(self, rows: int | np.integer | NDArray[np.integer]) -> Any:
        if self._whole is not None:
            return self._whole[rows]
        if isinstance(rows, int | np.integer):
            entry = self.patches.entry(int(rows))
            return self._base.array[rows] if entry < 0 else self._patch.array[entry]
        return self.read(rows, self.patches.find(rows))

    def __iter__(self) -> Iterator[_Scalar]:
        return iter(self.whole)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.whole, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        raise TypeError("rows are compared one by one: take .whole")

    __hash__ = object.__hash__

    @property
    def dtype(self) -> np.dtype[_Scalar]:
        """The type of its values."""
        return self._base.array.dtype

    @property
    def whole(self) -> NDArray[_Scalar]:
        """All rows as one array."""
        if self._whole is None:
            whole = self._base.array.copy()
            whole[self.patches.rows] = self._patch.array[self.patches.entries]
            whole.flags.writeable = False
            self._whole = whole
        return self._whole

    @property
    def nbytes(self) -> int:
        """Bytes of its own arrays."""
        whole = self._whole
        made = 0 if whole is None or whole is self._base.array else whole.nbytes
        return self._base.array.nbytes + self._patch.array.nbytes + made

    def read(self, rows: NDArray[np.integer], patched: Found) -> NDArray[_Scalar]:
        """What stands at *rows*, of which those *patched* were found."""
        values: NDArray[_Scalar] = self._base.array[rows]
        places, entries = patched
        if len(places):
            values[places] = self._patch.array[entries]
        return values

    def extended(self, values: NDArray[_Scalar]) -> "ByRow[_Scalar]":
        """This array with more rows behind it."""
        if not len(values):
            return self
        return ByRow(self._base.extended(values), self._patch, self.patches)

    def patched(self, patches: Patches, values: NDArray[_Scalar]) -> "ByRow[_Scalar]":
        """This array with *values* as the entries that *patches* have beyond its own."""
        return ByRow(self._base, self._patch.extended(values), patches)

    def holding(self, values: NDArray[_Scalar]) -> "ByRow[_Scalar]":
        """An array of the same patches that holds *values*, one for each row, which nobody writes any more."""
        patches = self.patches
        patch = np.zeros(patches.size, dtype=values.dtype)
        patch[patches.entries] = values[patches.rows]
        return ByRow(Growing(values), Growing(patch), patches)

    def settled(self) -> "ByRow[_Scalar]":
        """This array, patched no more, with room at its end; itself where it is that."""
        patches = self.patches
        if not patches.size:
            return self
        base = self._base.rewritten(patches.rows, self._patch.array[patches.entries])
        return ByRow(base, Growing(np.empty(0, dtype=self.dtype)))

    def put(self, rows: NDArray[np.int32], values: NDArray[_Scalar]) -> "ByRow[_Scalar]":
        """This array, which shares its patches with no other, with ``values[i]`` at ``rows[i]``; rows are distinct."""
        in_order = np.argsort(rows)
        patches = self.patches.extended(rows[in_order])
        if not patches.are_many(len(self)):
            return self.patched(patches, values[in_order])
        whole = np.array(self.whole)
        whole[rows] = values
        return ByRow.of(whole)

    @staticmethod
    def read_all(arrays: "Iterable[ByRow[Any]]", rows: NDArray[np.integer]) -> list[NDArray[Any]]:
        """What each of *arrays*, which share their patches, holds at *rows*: patched ones are found once."""
        several = list(arrays)
        patches = several[0].patches
        if not patches.size:
            return [array[rows] for array in several]
        found = patches.find(rows)
        return [array.read(rows, found) for array in several]
