"""The inner query of lookup(): which distinct values does a field hold over the rows that meet a
filter?

The call's project, evidence and other filters do not reach inside; the read gate does. What a query
gives is kept with the version, by read gate and query: bounded, and never what was refused.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.remembered import Remembered
from passageway_server.columns.strings import Strings
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.held import Held, of_rows
from passageway_server.engine.joined import JoinedValues
from passageway_server.engine.predicate import KnownField, Predicate
from passageway_server.values.collections import Kind
from passageway_server.version.version import Version

_ENTRIES, _BYTES = 64, 64 << 20  # of one version
_AT_ONCE = 4096  # texts

_Kept = Remembered[bytes, JoinedValues]


def join_kind(kind: Kind) -> str | None:
    """What a field of *kind* joins with: fields of the same answer. None: it does not join."""
    if kind in (Kind.KEYWORD, Kind.TEXT, Kind.LINK):
        return "string"
    return {Kind.INT: "int", Kind.TIME: "time"}.get(kind)


def joined_values(
    inner: Predicate | None, field: KnownField, version: Version, gate: Gate, *, most: int
) -> JoinedValues | None:
    """The distinct values of *field* over the rows open under *gate*, the read gate, that meet
    *inner*.

    None where they are more than *most*.
    """
    kept = version.remember(joined_values, _room)
    key = _key(inner, field, gate)
    values = kept.get(key)
    if values is None:
        rows = matching_rows(inner, version, read=gate, scope=gate)
        values = _distinct(of_rows(field, version, rows, gate), most)
        if values is not None:
            kept.put(key, values, size=values.size)
    return values if values is not None and len(values) <= most else None


def _room() -> _Kept:
    return Remembered(entries=_ENTRIES, bytes=_BYTES)


def _key(inner: Predicate | None, field: KnownField, gate: Gate) -> bytes:
    """A digest, no two queries share one: no verdicts and no long lists of operands are held."""
    digest = blake2b(gate.verdict.data)
    digest.update(repr((len(gate.verdict), inner, field)).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _distinct(held: Held, most: int) -> JoinedValues | None:
    """The distinct values that candidates hold; None where they are more than *most*."""
    values = held.values if held.places is None else held.values[held.places[held.held]]
    if held.owners is None and held.places is None:
        values = values[held.held]
    if held.texts is not None:
        texts = _distinct_texts(held.texts, np.unique(values), most)
        return None if texts is None else JoinedValues.of_texts(texts)
    if held.terms is not None and len(held.terms) < 16 * len(values):
        present = np.zeros(len(held.terms), dtype=np.bool_)
        present[values] = True
        numbers: NDArray[np.int64] = np.flatnonzero(present)
    else:
        numbers = np.unique(values).astype(np.int64)
    return JoinedValues(held.terms, numbers) if len(numbers) <= most else None


def _distinct_texts(texts: Strings, entries: NDArray[np.integer], most: int) -> list[str] | None:
    """The distinct strings of *entries*; no more are looked at than it takes to know."""
    found: dict[str, None] = {}
    for start in range(0, len(entries), _AT_ONCE):
        found |= dict.fromkeys(texts.take(entries[start : start + _AT_ONCE]))
        if len(found) > most:
            return None
    return list(found)
