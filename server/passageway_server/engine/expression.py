"""Expressions over the numbers of rows: what a query gives as its score in place of its own.

They are worked out in doubles, in which there is one zero, without a sign. What has no value as a real number is not finite in
the end: a logarithm of 0, a root of a negative number, a division by 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.field_values import field_values
from passageway_server.engine.kernels import functions
from passageway_server.engine.predicate import KnownField
from passageway_server.version.version import Version

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Number:
    value: float


@dataclass(frozen=True, slots=True)
class Score:
    """What the query scores the row with."""


@dataclass(frozen=True, slots=True)
class Held:
    """What the row holds in a field of numbers, the smallest where it holds several; where it holds none, what ``missing`` is."""

    field: KnownField
    missing: "Expression"


@dataclass(frozen=True, slots=True)
class Chain:
    """A first part, and signs with further ones, which are applied from left to right."""

    first: "Expression"
    rest: "tuple[tuple[str, Expression], ...]"


@dataclass(frozen=True, slots=True)
class Negated:
    part: "Expression"


@dataclass(frozen=True, slots=True)
class Call:
    """One of `FUNCTIONS` of its arguments."""

    function: str
    arguments: "tuple[Expression, ...]"


Expression = Number | Score | Held | Chain | Negated | Call


class Function(NamedTuple):
    """How many arguments it takes, and how two, or the only one, are made one number."""

    least: int
    most: int
    of: Callable[..., Numbers]


def _raised(base: Numbers, exponent: Numbers) -> Numbers:
    base, exponent = np.broadcast_arrays(base, exponent)
    raised = np.empty(base.shape)
    functions.power(np.ascontiguousarray(base), np.ascontiguousarray(exponent), raised)
    return raised


def _each(kernel: Callable[[Numbers, Numbers], None]) -> Callable[[Numbers], Numbers]:
    def of(numbers: Numbers) -> Numbers:
        found = np.empty(numbers.shape)
        kernel(np.ascontiguousarray(numbers), found)
        return found

    return of


FUNCTIONS: Final[Mapping[str, Function]] = {
    "abs": Function(1, 1, np.abs),
    "ln": Function(1, 1, _each(functions.ln)),
    "log1p": Function(1, 1, _each(functions.log1p)),
    "max": Function(2, 64, np.maximum),
    "min": Function(2, 64, np.minimum),
    "pow": Function(2, 2, _raised),
    "sqrt": Function(1, 1, np.sqrt),
}
"""By name; min and max of what is no number are none either."""

_SIGNS: Final[Mapping[str, Callable[[Numbers, Numbers], Numbers]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


def worked_out(
    expression: Expression,
    version: Version,
    rows: NDArray[np.int32],
    scores: Numbers,
    gate: Gate,
) -> Numbers:
    """What *expression* is for each of *rows*, which are distinct and have *scores*: float64[rows].

    *gate* is the read gate. Raises DeadlineExceeded, Cancelled.
    """
    with np.errstate(all="ignore"):
        return _Working(version, rows, scores, gate).of(expression)


class _Working:
    """One set of rows for which an expression is worked out."""

    def __init__(
        self, version: Version, rows: NDArray[np.int32], scores: Numbers, gate: Gate
    ) -> None:
        self._version, self._rows, self._scores, self._gate = version, rows, scores, gate

    def of(self, expression: Expression) -> Numbers:
        """By row; a zero has no sign."""
        self._gate.halt.spent()
        return self._of(expression) + 0.0

    def _of(self, expression: Expression) -> Numbers:
        match expression:
            case Number(value):
                return np.full(len(self._rows), value)
            case Score():
                return self._scores
            case Held(field, missing):
                return self._held(field, missing)
            case Chain(first, rest):
                found = self.of(first)
                for sign, part in rest:
                    found = _SIGNS[sign](found, self.of(part)) + 0.0
                return found
            case Negated(part):
                return -self.of(part)
            case Call(function, arguments):
                of, parts = FUNCTIONS[function].of, [*map(self.of, arguments)]
                return reduce(of, parts) if len(parts) > 1 else of(*parts)

    def _held(self, field: KnownField, missing: Expression) -> Numbers:
        values, owners = field_values(field, self._version, self._rows, self._gate, over="nodes")
        numbers = values.values.astype(np.float64)
        if values.floats is not None:
            numbers = np.where(values.floats == 1, values.values.view(np.float64), numbers)
        found = self.of(missing).copy()
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        if len(starts):
            found[owners[starts]] = np.minimum.reduceat(numbers + 0.0, starts)
        return found
