"""Columns whose first rows have no array of their own: a head says what they hold, and rows that came since are behind it.

Several columns of a table may have their heads in one place. Looking rows up there costs more than reading them, and
is done once for all of these.
"""

from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing

_Scalar = TypeVar("_Scalar", bound=np.generic)
_Value = TypeVar("_Value", bound=np.generic)
_Read = TypeVar("_Read", bound=np.generic, covariant=True)

_SEEN = 64
"""Rows that are compared before all are."""


class Head(Protocol[_Read]):
    """What the first rows of a column hold. Nothing of it changes."""

    @property
    def place(self) -> object:
        """Where rows are looked up: the same object for columns that have their heads in one place."""
        ...

    @property
    def dtype(self) -> np.dtype[_Read]:
        """The type of its values."""
        ...

    def __len__(self) -> int: ...

    def find(self, rows: NDArray[np.integer]) -> Any:
        """What `read` needs of *rows*, for any column of the same place."""
        ...

    def read(self, found: Any) -> NDArray[_Read]:
        """What stands at the rows that were *found*, in an array of its own."""
        ...

    def whole(self) -> NDArray[_Read]:
        """What all of its rows hold, in an array of its own that nobody keeps."""
        ...


class Found(NamedTuple):
    """Rows of a column with a head, looked up."""

    of_head: Any
    behind: NDArray[np.bool_] | None  # which are behind the head; None where none is
    places: NDArray[np.integer] | None  # of those, in the tail


class Constant(Generic[_Scalar]):
    """The head of a column of which so many rows hold one *value*."""

    __slots__ = ("_count", "value")

    def __init__(self, value: _Scalar, count: int) -> None:
        self.value = value
        self._count = count

    @property
    def place(self) -> object:
        """Itself: no other column has its head here."""
        return self

    @property
    def dtype(self) -> np.dtype[_Scalar]:
        """The type of its values."""
        return self.value.dtype

    @property
    def stored(self) -> NDArray[_Scalar]:
        """All of it as a view of one value, which has no memory for each row."""
        return np.broadcast_to(self.value, self._count)

    def __len__(self) -> int:
        return self._count

    def find(self, rows: NDArray[np.integer]) -> int:
        """How many *rows* are asked for."""
        return len(rows)

    def read(self, found: int) -> NDArray[_Scalar]:
        """The value so often."""
        values = np.empty(found, dtype=self.value.dtype)
        values.fill(self.value)
        return values

    def whole(self) -> NDArray[_Scalar]:
        """The value as often as there are rows."""
        return np.full(self._count, self.value)


def constant_of(array: NDArray[_Value]) -> Constant[_Value] | None:
    """What *array* holds, as a constant; None where that is more than one value."""
    if not len(array) or not _are_all(array[:: -(-len(array) // _SEEN)], array[0]):
        return None
    return Constant(array[0], len(array)) if _are_all(array, array[0]) else None


def _are_all(values: NDArray[_Value], one: _Value) -> bool:
    """Whether each of *values* is *one*, bit by bit where they are floats: 0.0 is not -0.0, and NaN is itself."""
    if values.dtype.kind != "f":
        return bool((values == one).all())
    bits = np.dtype(f"u{values.dtype.itemsize}")
    return bool((values.view(bits) == one.view(bits)).all())


class Headed(Generic[_Scalar]):
    """A column of fixed content that begins with a *head*; it can be extended into a longer one."""

    __slots__ = ("head", "tail")

    def __init__(self, head: Head[_Scalar], tail: Growing[_Scalar] | None = None) -> None:
        self.head = head
        self.tail: Growing[_Scalar] = (
            Growing(np.empty(0, dtype=head.dtype)) if tail is None else tail
        )

    def __len__(self) -> int:
        return len(self.head) + len(self.tail)

    @property
    def dtype(self) -> np.dtype[_Scalar]:
        """The type of its values."""
        return self.tail.array.dtype

    def find(self, rows: NDArray[np.integer]) -> Found:
        """What `read` needs of *rows*, for any column of as many rows whose head is in the same place."""
        first = len(self.head)
        if not len(self.tail) or not len(rows) or rows.max() < first:
            return Found(self.head.find(rows), None, None)
        behind = rows >= first
        return Found(self.head.find(rows[~behind]), behind, rows[behind] - first)

    def read(self, found: Found) -> NDArray[_Scalar]:
        """What stands at the rows that were *found*, in an array of its own."""
        of_head = self.head.read(found.of_head)
        if found.behind is None:
            return of_head
        values = np.empty(len(found.behind), dtype=self.dtype)
        values[~found.behind] = of_head
        values[found.behind] = self.tail.array[found.places]
        return values

    def whole(self) -> NDArray[_Scalar]:
        """All of it, in an array of its own that nobody keeps."""
        head = self.head.whole()
        return np.concatenate((head, self.tail.array)) if len(self.tail) else head

    def extended(self, values: NDArray[_Scalar]) -> "Headed[_Scalar]":
        """This column with more rows behind it."""
        head = self.head
        if isinstance(head, Constant) and not len(self.tail) and _are_all(values, head.value):
            return Headed(Constant(head.value, len(head) + len(values)), self.tail)
        return Headed(head, self.tail.extended(values))

    def take(self, rows: NDArray[np.integer]) -> NDArray[_Scalar]:
        """What stands at *rows*, in an array of its own."""
        return self.read(self.find(rows))
