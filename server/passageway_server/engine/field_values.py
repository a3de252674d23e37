"""Values of one field, side by side: how they compare, and what they are.

Numbers compare by exact value, int or float: 1 and 1.0 are equal, and so are 0.0 and -0.0.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns import numbers
from passageway_server.columns.gates import Gate
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.engine.held import Held, Rows, of_edges, of_rows
from passageway_server.engine.ordering import ByNumbers, ByStrings, Comparable, standings
from passageway_server.engine.predicate import KnownField, Over
from passageway_server.engine.sizes import FRAME, size_of_texts
from passageway_server.engine.texts import order
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

FieldValue = str | int | float | bool
"""A value as JSON has it; a time is an int, microseconds since 1970."""

_LOWEST, _PAST_HIGHEST = -(2.0**63), 2.0**63
_OFTEN = 16  # terms are ranked once for all values, where these are so many times more


@dataclass(frozen=True, slots=True)
class FieldValues:
    """Some values of one field.

    Strings are numbers of ``terms`` (of which ``ranks`` is the order, where it is known) or entries
    of ``texts``; numbers are bits, with ``floats`` 1 where they are a double's (None: nowhere).
    """

    kind: Kind
    values: NDArray[Any]
    floats: NDArray[np.uint8] | None
    terms: Terms | None
    texts: Strings | None
    ranks: NDArray[np.int32] | None

    def __len__(self) -> int:
        return len(self.values)

    def chosen(self, which: NDArray[np.integer]) -> "FieldValues":
        """The values at the places *which*, in their order."""
        floats = None if self.floats is None else self.floats[which]
        return FieldValues(
            self.kind, self.values[which], floats, self.terms, self.texts, self.ranks
        )

    def comparable(self, halt: Halt) -> Comparable:
        """The values as candidates of an order: strings by code point, false before true."""
        if self.ranks is not None:
            return ByNumbers((self.ranks[self.values],))
        if self.terms is not None:
            strings = self.terms.strings
            if _OFTEN * len(strings) < len(self.values):
                every = ByStrings(strings, np.arange(len(strings)), halt)
                ranks = standings([lambda _: every], len(strings), halt=halt)
                return ByNumbers((ranks[self.values],))
            return ByStrings(strings, self.values, halt)
        if self.texts is not None:
            return ByStrings(self.texts, self.values, halt)
        if self.floats is None:
            return ByNumbers((self.values,))
        return ByNumbers(_exact(self.values, self.floats))

    def signs(self, value: FieldValue, halt: Halt) -> NDArray[np.int8] | None:
        """-1, 0 or 1 where each is before, equal to or after *value*: int8[values].

        None where *value* is of another kind. Raises what *halt* says.
        """
        if isinstance(value, str):
            strings = self.texts if self.terms is None else self.terms.strings
            return None if strings is None else order(strings, self.values, value, halt)
        if self.terms is not None or self.texts is not None:
            return None
        bits = self.values.astype(np.int64, copy=False)
        above = numbers.compare(bits, self.floats, ">", value)
        below = numbers.compare(bits, self.floats, "<", value)
        return above.astype(np.int8) - below.astype(np.int8)

    @property
    def size(self) -> int:
        """About how many bytes of an answer the values take, each a part of it by itself."""
        strings = self.texts if self.terms is None else self.terms.strings
        if strings is not None:
            return size_of_texts(strings, self.values)
        return (FRAME + 1) * len(self.values)

    def listed(self) -> list[FieldValue]:
        """The values themselves, in their order."""
        strings = self.texts if self.terms is None else self.terms.strings
        if strings is not None:
            return list[FieldValue](strings.take(self.values))
        if self.kind == Kind.BOOL:
            return list[FieldValue](map(bool, self.values.tolist()))
        if self.floats is None:
            return cast(list[FieldValue], self.values.tolist())
        ints, doubles = self.values.tolist(), self.values.view(np.float64).tolist()
        return [
            double if is_float else whole
            for whole, double, is_float in zip(ints, doubles, self.floats.tolist(), strict=True)
        ]


def field_values(
    field: KnownField, version: Version, rows: Rows, gate: Gate, *, over: Over
) -> tuple[FieldValues, NDArray[np.integer]]:
    """What *rows* hold in *field*, and whose each value is: its place among *rows*, ascending.

    *rows* are rows, or keys of edges. A link field holds ids of rows that *gate* opens.
    """
    if over == "nodes":
        held = of_rows(field, version, rows, gate)
    else:
        held = of_edges(field, version, rows)
    values, floats, owners = _flat(held)
    floats = floats if floats is not None and floats.any() else None
    ranks = version.rank if held.terms is version.nodes.ids else None
    return FieldValues(field.kind, values, floats, held.terms, held.texts, ranks), owners


def _flat(held: Held) -> tuple[NDArray[Any], NDArray[np.uint8] | None, NDArray[np.integer]]:
    """The values of *held*, which of them are doubles, and their owners."""
    if held.owners is not None:
        return held.values, held.floats, held.owners
    owners = np.flatnonzero(held.held)
    where = owners if held.places is None else held.places[owners]
    if held.places is None and len(owners) == len(held.values):
        return held.values, held.floats, owners
    return held.values[where], None if held.floats is None else held.floats[where], owners


def _exact(bits: NDArray[np.int64], floats: NDArray[np.uint8]) -> tuple[NDArray[Any], ...]:
    """Arrays, of which the first in which two numbers differ tells their order."""
    doubles = bits.view(np.float64)
    if floats.all():
        return (doubles + 0.0,)  # no sign on a zero
    # A double is a whole number and a fraction of the same sign; past the ints it is all fraction.
    fractions, wholes = np.modf(np.where(floats == 1, doubles, 0.0))
    low, high = wholes < _LOWEST, wholes >= _PAST_HIGHEST
    within = np.where(low | high, 0.0, wholes).astype(np.int64)
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    within = np.where(low, lowest, np.where(high, highest, within))
    fractions = np.where(low | high, wholes, fractions) + 0.0
    return np.where(floats == 1, within, bits), fractions
