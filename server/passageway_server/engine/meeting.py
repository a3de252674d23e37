"""Which of the values that candidates hold meet what a filter compares them with?

Strings are compared as numbers where they are interned, and by their bytes where order or a part is
asked for: each distinct one once, where those are fewer than the values. What looks at bytes may
take long: it raises what *halt* says.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns import comparing, numbers
from passageway_server.columns.strings import Strings
from passageway_server.engine import texts
from passageway_server.engine.held import Held, Mask
from passageway_server.engine.joined import JoinedValues
from passageway_server.engine.predicate import Interval, Operand, Order
from passageway_server.values.halt import Halt

_StringTest = Callable[[Strings, NDArray[np.integer]], Mask]

_FEW = 2048  # strings that are judged one by one, without looking for the distinct ones
_SPARSE = 256  # values are sorted, not marked in a table of all terms, where they are fewer
_MANY = 4  # operands that are looked up in a set, rather than compared one by one

_SIGNS: dict[Order, Callable[[Any, Any], Mask]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_AFFIXES = {
    "starts_with": texts.starting,
    "ends_with": texts.ending,
    "contains": comparing.containing,
}


def equal(held: Held, operands: tuple[Operand, ...], halt: Halt) -> Mask:
    """Which values are one of *operands*, which are of one kind: bool[values]."""
    if not operands:
        return np.zeros(len(held.values), dtype=np.bool_)
    match operands[0]:
        case str():
            return _equal_strings(held, [str(operand) for operand in operands], halt)
        case Interval():
            starts, ends = _disjoint([one for one in operands if isinstance(one, Interval)])
            place = np.searchsorted(starts, held.values, side="right") - 1
            inside: Mask = (place >= 0) & (held.values < ends[place])
            return inside
        case bool():
            return np.isin(held.values, list({int(bool(operand)) for operand in operands}))
        case _:
            wanted = [one for one in operands if isinstance(one, int | float)]
            return numbers.equal_to_any(held.values, held.floats, wanted)


def _equal_strings(held: Held, operands: list[str], halt: Halt) -> Mask:
    if held.terms is not None:
        wanted = held.terms.find_all(operands)
        if len(wanted) == 1:
            met: Mask = np.equal(held.values, wanted[0])
            return met
        return np.isin(held.values, wanted[wanted >= 0])
    assert held.texts is not None
    if len(operands) > _MANY:
        return comparing.among(held.texts, held.values, operands, halt)
    met = np.zeros(len(held.values), dtype=np.bool_)
    for operand in operands:
        met |= texts.equal(held.texts, held.values, operand, halt)
    return met


def _disjoint(intervals: list[Interval]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends, ascending, of intervals that hold what *intervals* do and do not overlap."""
    ordered = sorted((interval.start, interval.end) for interval in intervals)
    starts, ends = np.array(ordered, dtype=np.int64).T
    ends = np.maximum.accumulate(ends)
    first = np.append(True, starts[1:] > ends[:-1])
    return starts[first], ends[np.append(first[1:], True)]


def ordered(held: Held, sign: Order, operand: Operand, halt: Halt) -> Mask:
    """Which values stand in *sign* to *operand*: bool[values]. False comes before true."""
    compared = _SIGNS[sign]
    if isinstance(operand, str):
        return _judged(held, lambda strings, e: compared(texts.order(strings, e, operand, halt), 0))
    if isinstance(operand, Interval):
        if sign in ("<", ">="):
            return compared(held.values, operand.start)
        met: Mask = np.less(held.values, operand.end) ^ (sign == ">")
        return met
    if isinstance(operand, bool):
        return compared(held.values, int(operand))
    return numbers.compare(held.values, held.floats, sign, operand)


def affixed(
    held: Held, test: Literal["starts_with", "ends_with", "contains"], text: str, halt: Halt
) -> Mask:
    """Which values begin with, end with or contain *text*: bool[values]."""
    return _judged(held, lambda strings, entries: _AFFIXES[test](strings, entries, text, halt))


def joined(held: Held, values: JoinedValues, halt: Halt) -> Mask:
    """Which values are among those of an inner query: bool[values]."""
    if held.terms is not None:
        return values.meets_terms(held.terms, held.values, halt)
    if held.texts is not None:
        return values.meets_texts(held.texts, held.values, halt)
    met = values.meets_integers(held.values)
    return met if held.floats is None else met & (held.floats == 0)


def _judged(held: Held, test: _StringTest) -> Mask:
    """The verdict of *test* on string values."""
    if held.terms is None:
        assert held.texts is not None
        return test(held.texts, held.values)
    strings = held.terms.strings
    if len(held.values) <= _FEW:
        return test(strings, held.values)
    if _SPARSE * len(held.values) < len(strings):
        numbers_held, places = np.unique(held.values, return_inverse=True)
        return test(strings, numbers_held)[places]
    met = np.zeros(len(strings), dtype=np.bool_)
    met[held.values] = True
    distinct = np.flatnonzero(met)
    met[distinct] = test(strings, distinct)
    verdicts: Mask = met[held.values]
    return verdicts
