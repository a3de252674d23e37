"""An array by row of which a commit changes a few: what does row r hold?

Rows come at the end of a shared buffer, and rows that are written again stand aside, as patches. So a version costs what
it changed, and reading some rows costs about as much as from an array. Where nothing is patched, ``whole`` is the array
itself; else it is made when it is first asked for, and kept. The first rows may have no array of their own (`Headed`): of
these a ``whole`` is made each time, and not kept.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.headed import Constant, Headed, constant_of
from passageway_server.columns.patches import UNPATCHED, Found, Patches

_Scalar = TypeVar("_Scalar", bound=np.generic)
_Value = TypeVar("_Value", bound=np.generic)


class ByRow(Generic[_Scalar]):
    """A read-only array by row. Indexed by rows it gives an array, by one row a value, as an ndarray does."""

    __slots__ = ("_base", "_patch", "_whole", "patches")

    def __init__(
        self,
        base: Growing[_Scalar] | Headed[_Scalar],
        patch: Growing[_Scalar] | None = None,
        patches: Patches = UNPATCHED,
    ) -> None:
        self._base = base
        # By entry: the values of patched rows.
        self._patch = Growing(np.empty(0, dtype=base.dtype)) if patch is None else patch
        self.patches = patches
        self._whole: NDArray[_Scalar] | None = None
        if isinstance(base, Growing) and not len(patches.rows):
            self._whole = base.array

    @staticmethod
    def of(array: NDArray[_Value]) -> "ByRow[_Value]":
        """The values of *array*, which nobody writes any more; of a view of one value, that alone."""
        if len(array) and not any(array.strides):
            return ByRow(Headed(Constant(array[0], len(array))))
        return ByRow(Growing(array))

    @staticmethod
    def filled(value: _Value, count: int) -> "ByRow[_Value]":
        """So many rows of one *value*, which is all that is kept."""
        return ByRow(Headed(Constant(value, count)))

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
        if isinstance(rows, np.ndarray):
            return self._read(self._base.take(rows), self.patches.find(rows))
        entry = self.patches.entry(int(rows))
        return self._one(rows) if entry < 0 else self._patch.array[entry]

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
        return self._base.dtype

    @property
    def place(self) -> object:
        """Where its first rows have their values, if not in an array; None if they do."""
        return self._base.head.place if isinstance(self._base, Headed) else None

    @property
    def whole(self) -> NDArray[_Scalar]:
        """All rows as one array."""
        if self._whole is not None:
            return self._whole
        whole = self._made_whole()
        whole.flags.writeable = False
        if isinstance(self._base, Growing):
            self._whole = whole
        return whole

    @property
    def stored(self) -> NDArray[_Scalar]:
        """All rows as one array; where one value is all that it holds, as a view of that, as `of` takes it."""
        base = self._base
        if self.patches.size or not isinstance(base, Headed) or len(base.tail):
            return self.whole
        return base.head.stored if isinstance(base.head, Constant) else self.whole

    def _one(self, row: int | np.integer) -> Any:
        base = self._base
        if isinstance(base, Growing):
            return base.array[row]
        return base.read(base.find(np.array([row])))[0]

    def _made_whole(self) -> NDArray[_Scalar]:
        base = self._base
        whole = base.array.copy() if isinstance(base, Growing) else base.whole()
        whole[self.patches.rows] = self._patch.array[self.patches.entries]
        return whole

    def _read(self, values: NDArray[_Scalar], patched: Found) -> NDArray[_Scalar]:
        """What stands at some rows, whose *values* in the base are written over where they are *patched*."""
        places, entries = patched
        if len(places):
            values[places] = self._patch.array[entries]
        return values

    def begins(self, other: "ByRow[_Scalar]") -> bool:
        """Whether *other* has these rows first, and both are in arrays, with nothing beside."""
        mine, theirs = self._base, other._base  # noqa: SLF001  (of its own kind)
        if self.patches.size or other.patches.size:
            return False
        return isinstance(mine, Growing) and isinstance(theirs, Growing) and mine.begins(theirs)

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
        """This array, patched no more, with room at its end, or as one value where it holds no other; itself where it is that."""
        patches, base = self.patches, self._base
        if isinstance(base, Headed):
            if not patches.size and not len(base.tail):
                return self
            whole = self._made_whole()
            constant = constant_of(whole)
            return ByRow(Growing(whole) if constant is None else Headed(constant))
        if patches.size:
            base = base.rewritten(patches.rows, self._patch.array[patches.entries])
        constant = constant_of(base.array)
        if constant is not None:
            return ByRow(Headed(constant))
        return ByRow(base) if patches.size else self

    def put(self, rows: NDArray[np.int32], values: NDArray[_Scalar]) -> "ByRow[_Scalar]":
        """This array, which shares its patches with no other, with ``values[i]`` at ``rows[i]``; rows are distinct."""
        in_order = np.argsort(rows)
        patches = self.patches.extended(rows[in_order])
        if not patches.are_many(len(self)):
            return self.patched(patches, values[in_order])
        whole = self._made_whole()
        whole[rows] = values
        return ByRow.of(whole)

    @staticmethod
    def read_all(arrays: "Iterable[ByRow[Any]]", rows: NDArray[np.integer]) -> list[NDArray[Any]]:
        """What each of *arrays*, which share their patches, holds at *rows*: patched ones are found once."""
        several = list(arrays)
        patched = several[0].patches.find(rows)
        places: dict[int, Any] = {}
        return [array._read(array._taken(rows, places), patched) for array in several]  # noqa: SLF001  (of its own kind)

    def _taken(self, rows: NDArray[np.integer], places: dict[int, Any]) -> NDArray[_Scalar]:
        """What the base holds at *rows*, which are looked up unless that was done: what was found is in *places*."""
        base = self._base
        if isinstance(base, Growing):
            return base.take(rows)
        place = id(base.head.place)
        if place not in places:
            places[place] = base.find(rows)
        return base.read(places[place])
