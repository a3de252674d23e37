"""The gate class of every row, worked out from what was put: who may read it, its project, and what retires it.

A span takes all of these from its parent too, so that no test of a span looks there. Classes are numbered as they come: a
commit works out the rows that it touched, and adds the classes that are new.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import BY_STATUS, NEVER, RETIRING, Gates
from passageway_server.columns.growing import Growing
from passageway_server.columns.kinds import EXPIRES_AT
from passageway_server.columns.nodes import ABSENT, NODE, SPAN
from passageway_server.columns.readers import NOBODY
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.version.contents import Contents

RETIRED = frozenset({"superseded", "retracted", "expired", "disputed", "obsolete"})
"""Statuses that retire a row, trimmed and case-folded."""

GATING = frozenset((*RETIRING, EXPIRES_AT))
"""The properties that a gate looks at."""

_STATES = 2 * max(RETIRING.values())  # distinct values of the bits of what retires

_Value = TypeVar("_Value", bound=np.generic)

Rows = NDArray[np.int32]
Key = tuple[int, int, int, int]
"""What a class stands for: readers, project, what retires it, may expire."""


@dataclass(slots=True)
class _Judged:
    """What decides about some rows, side by side."""

    readers: NDArray[np.int32]
    project: NDArray[np.int32]
    retired_by: NDArray[np.uint8]
    expiry: NDArray[np.int64]


class Gating:
    """Gates that grow: the writer's view of them. An older one stays as it is."""

    __slots__ = ("_expiry", "_keys", "_numbers", "_of", "gates")

    def __init__(
        self,
        of: Growing[np.int32],
        expiry: Growing[np.int64],
        keys: "_Keys",
        numbers: dict[Key, int] | None,
    ) -> None:
        self._of, self._expiry, self._keys = of, expiry, keys
        # Of the classes, those of newer versions too; made of the keys when first asked for.
        self._numbers = numbers
        self.gates = Gates(
            of=of.array,
            expiry=expiry.array,
            readers=keys.readers.array,
            project=keys.project.array,
            retired_by=keys.retired_by.array,
            expires=keys.expires.array,
        )

    @classmethod
    def of(cls, contents: Contents) -> "Gating":
        """The gates of all rows, worked out."""
        none = _Keys(
            Growing.empty(np.int32),
            Growing.empty(np.int32),
            Growing.empty(np.uint8),
            Growing.empty(np.uint8),
        )
        empty = cls(Growing.empty(np.int32), Growing.empty(np.int64), none, {})
        return empty.following(contents, np.arange(len(contents.nodes), dtype=np.int32))

    @classmethod
    def adopted(cls, gates: Gates) -> "Gating":
        """*gates* that were stored."""
        keys = _Keys(*(Growing(getattr(gates, name)) for name in _Keys._fields))
        return cls(Growing(gates.of), Growing(gates.expiry), keys, None)

    def following(self, contents: Contents, rows: Rows) -> "Gating":
        """The gates of *contents*, in which no others than *rows*, ascending, are of other classes; new rows are among them."""
        judged = _judged(contents, rows)
        keys, of = self._interned(judged)
        before = len(self._of)
        old = int(rows.searchsorted(before))
        of_rows = _patched(self._of, rows[:old], of[:old]).extended(of[old:])
        expiry = _patched(self._expiry, rows[:old], judged.expiry[:old])
        expiry = expiry.extended(judged.expiry[old:])
        if of_rows is self._of and expiry is self._expiry:
            return self
        return Gating(of_rows, expiry, keys, self._numbers)

    def _interned(self, judged: _Judged) -> tuple["_Keys", NDArray[np.int32]]:
        """The classes with those that are new, and the class of each row that was *judged*."""
        expires = judged.expiry != NEVER
        wide = judged.readers.astype(np.int64) * (int(judged.project.max(initial=0)) + 1)
        code = ((wide + judged.project) * _STATES + judged.retired_by) * 2 + expires
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        distinct = zip(
            judged.readers[first].tolist(),
            judged.project[first].tolist(),
            judged.retired_by[first].tolist(),
            expires[first].tolist(),
            strict=True,
        )
        known = self._numbers
        if known is None:
            known = {key: number for number, key in enumerate(self._keys.listed())}
            self._numbers = known
        numbers: list[int] = []
        new: list[Key] = []
        count = len(self._keys.readers)
        for key in distinct:
            number = known.get(key)
            # One of a version that was never published is not there, or another by now.
            if number is None or number >= count or self._keys.at(number) != key:
                number = count + len(new)
                known[key] = number
                new.append(key)
            numbers.append(number)
        return self._keys.extended(new), np.array(numbers, dtype=np.int32)[place]


class _Keys(NamedTuple):
    """What each class stands for."""

    readers: Growing[np.int32]
    project: Growing[np.int32]
    retired_by: Growing[np.uint8]
    expires: Growing[np.uint8]

    def at(self, number: int) -> Key:
        """What class *number* stands for."""
        readers, project, retired_by, expires = (int(part.array[number]) for part in self)
        return readers, project, retired_by, expires

    def listed(self) -> list[Key]:
        """What the classes stand for, by number."""
        return list(zip(*(part.array.tolist() for part in self), strict=True))

    def extended(self, keys: list[Key]) -> "_Keys":
        """These and more classes."""
        if not keys:
            return self
        readers, project, retired_by, expires = zip(*keys, strict=True)
        return _Keys(
            self.readers.extended(np.array(readers, dtype=np.int32)),
            self.project.extended(np.array(project, dtype=np.int32)),
            self.retired_by.extended(np.array(retired_by, dtype=np.uint8)),
            self.expires.extended(np.array(expires, dtype=np.uint8)),
        )


def _patched(values: Growing[_Value], rows: Rows, wanted: NDArray[_Value]) -> Growing[_Value]:
    """*values* with those *wanted* at *rows*: the same object where they are there already."""
    other = np.flatnonzero(values.array[rows] != wanted)
    return values.rewritten(rows[other], wanted[other]) if len(other) else values


def _judged(contents: Contents, rows: Rows) -> _Judged:
    """What decides about *rows*: of a span its parent and itself."""
    nodes = contents.nodes
    judged = _judged_alone(contents, rows)
    spans = np.flatnonzero(nodes.kind[rows] == SPAN)
    parents = nodes.parent[rows[spans]]
    whole = parents >= 0
    whole[whole] = nodes.kind[parents[whole]] == NODE
    judged.readers[spans[~whole]] = NOBODY
    cut, origins = spans[whole], _judged_alone(contents, parents[whole])
    own = nodes.readers[rows[cut]]
    judged.readers[cut] = _narrowed(contents, origins.readers, own)
    judged.project[cut] = origins.project
    judged.retired_by[cut] |= origins.retired_by
    judged.expiry[cut] = np.minimum(judged.expiry[cut], origins.expiry)
    return judged


def _judged_alone(contents: Contents, rows: Rows) -> _Judged:
    """What each of *rows* says by itself."""
    nodes = contents.nodes
    default = contents.readers.intern(contents.settings.default_readers)
    own = nodes.readers[rows]
    readers = np.where(own < 0, default, own).astype(np.int32)
    readers[nodes.kind[rows] == ABSENT] = NOBODY
    return _Judged(
        readers, nodes.project[rows], _retired_by(contents, rows), _expiry(contents, rows)
    )


def _narrowed(
    contents: Contents, of_parent: NDArray[np.int32], own: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The reader sets of spans: those of their parents, and where they have some their own too."""
    narrowed = own >= 0
    pairs = np.stack([of_parent[narrowed], own[narrowed]], axis=1)
    distinct, place = np.unique(pairs, axis=0, return_inverse=True)
    joined = [contents.readers.both(first, second) for first, second in distinct.tolist()]
    effective = of_parent.copy()
    effective[narrowed] = np.array(joined, dtype=np.int32)[place.reshape(-1)]
    return effective


def _retired_by(contents: Contents, rows: Rows) -> NDArray[np.uint8]:
    """The bits of the status of each of *rows*, and of its keyword fields, that retire it."""
    nodes = contents.nodes
    retired_by = _retiring(contents.statuses, nodes.status[rows]) * np.uint8(BY_STATUS)
    for name, bit in RETIRING.items():
        column = nodes.properties.get(name)
        if column is None or column.kind != Kind.KEYWORD:
            continue
        entries = column.at[rows]
        held = np.flatnonzero(entries >= 0)
        positions, owners = column.spread(entries[held])
        values = cast("NDArray[np.int32]", column.values)[positions]
        retired_by[held[owners[_retiring(contents.keywords, values)]]] |= np.uint8(bit)
    return retired_by


def _retiring(terms: Terms, numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
    """For each of *numbers*: whether its term, trimmed and case-folded, retires."""
    distinct, place = np.unique(numbers, return_inverse=True)
    retires = [term.strip().casefold() in RETIRED for term in terms.take(distinct)]
    return np.array(retires, dtype=np.bool_)[place]


def _expiry(contents: Contents, rows: Rows) -> NDArray[np.int64]:
    """When the own expires_at of each of *rows* comes, in microseconds since 1970."""
    expiry = np.full(len(rows), NEVER, dtype=np.int64)
    column = contents.nodes.properties.get(EXPIRES_AT)
    if column is not None:
        entries = column.at[rows]
        held = np.flatnonzero(entries >= 0)
        expiry[held] = column.values[column.bounds[entries[held]]]
    return expiry
