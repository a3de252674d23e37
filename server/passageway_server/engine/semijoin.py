"""The inner query of lookup(): which distinct values does a field hold over the rows, or the edge
documents, that meet a filter?

The call's project, evidence and other filters do not reach inside; the read gate does. What a query
gives is kept with the version, by read gate and query: bounded, and never what was refused or cut
short.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.remembered import Remembered
from passageway_server.columns.strings import Strings
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.held import Held, of_edges, of_rows
from passageway_server.engine.joined import JoinedValues
from passageway_server.engine.matching_edges import matching_edges
from passageway_server.engine.predicate import InnerQuery, KnownField, queries_in
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
    query: InnerQuery, version: Version, gate: Gate, *, most: int
) -> JoinedValues | None:
    """The distinct values of *query* over what the holder of *gate*, the read gate, sees.

    None where they are more than *most*. None of them is there where the call's time is spent: what
    is to meet them cannot be judged then.
    """
    kept = version.remember(joined_values, _room)
    key = _key(query, gate)
    values = kept.get(key)
    if values is None:
        held = _held(query, version, gate)
        if gate.halt.spent():
            return _no_values(query.from_field)
        values = _distinct(held, most)
        if values is not None:
            kept.put(key, values, size=values.size)
    return values if values is not None and len(values) <= most else None


def _held(query: InnerQuery, version: Version, gate: Gate) -> Held:
    if query.over == "edges":
        stored = matching_edges(query.inner, version, gate)
        return of_edges(query.from_field, version, stored)
    rows = matching_rows(query.inner, version, read=gate, scope=gate)
    return of_rows(query.from_field, version, rows, gate)


def _no_values(field: KnownField) -> JoinedValues:
    if join_kind(field.kind) == "string":
        return JoinedValues.of_texts([])
    return JoinedValues(None, np.empty(0, dtype=np.int64))


def _room() -> _Kept:
    return Remembered(entries=_ENTRIES, bytes=_BYTES)


def _key(query: InnerQuery, gate: Gate) -> bytes:
    """A digest, no two queries share one: no verdicts and no long lists of operands are held.

    What edges show depends on the verdict on each row and on the reader sets of their own.
    """
    over_edges = any(each.over == "edges" for each in (query, *queries_in(query.inner)))
    verdicts = [gate.verdict, gate.holds] if over_edges else [gate.verdict]
    digest = blake2b()
    for verdict in verdicts:
        digest.update(verdict.data)
    lengths = [len(verdict) for verdict in verdicts]
    digest.update(repr((lengths, query)).encode("utf-8", "surrogatepass"))
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
