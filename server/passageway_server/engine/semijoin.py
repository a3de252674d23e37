"""The inner query of lookup(): which distinct values does a field hold over the rows, or the edge
documents, that meet a filter?

The call's project, evidence and other filters do not reach inside; the read gate does. What a query
gives is kept with the version, by read gate and query: bounded, and never what was refused or cut
short.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.gates import Gate
from passageway_server.columns.remembered import Remembered
from passageway_server.columns.terms import Terms
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.held import Held, of_edges, of_rows
from passageway_server.engine.joined import JoinedValues
from passageway_server.engine.matching_edges import matching_edges
from passageway_server.engine.predicate import InnerQuery, KnownField, queries_in
from passageway_server.engine.texts import TextSet
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt, OutOfTime
from passageway_server.version.version import Version

_ENTRIES, _BYTES = 64, 64 << 20  # of one version
_AT_ONCE = 1 << 18  # values that are sorted between two looks at the halt

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
        try:
            gate.halt.check()
            values = _distinct(held, most, gate.halt, beside=_most_strings(version))
        except OutOfTime:
            return _no_values(query.from_field)
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
        return JoinedValues(Terms.of(), np.empty(0, dtype=np.int64))
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


def _most_strings(version: Version) -> int:
    """How many strings there may be of which it is kept whether they meet values: a byte each."""
    terms = max(map(len, (version.keywords, version.nodes.ids, version.docs.ids)))
    return max(len(version.texts), terms)


def _distinct(held: Held, most: int, halt: Halt, *, beside: int) -> JoinedValues | None:
    """The distinct values that candidates hold; None where they are more than *most*.

    Strings may need *beside* bytes more. Raises OutOfTime, DeadlineExceeded and Cancelled.
    """
    values = held.values if held.places is None else held.values[held.places[held.held]]
    if held.owners is None and held.places is None:
        values = values[held.held]
    if held.texts is not None:
        entries = _distinct_entries(values, len(held.texts))
        texts = TextSet.of(held.texts, entries, halt=halt, most=most)
        return None if texts is None else JoinedValues.of_texts(texts, beside=beside)
    if held.terms is not None:
        numbers = _distinct_entries(values, len(held.terms))
    else:
        numbers, beside = _distinct_numbers(values, most, halt), 0
    return JoinedValues(held.terms, numbers, beside=beside) if len(numbers) <= most else None


def _distinct_entries(values: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """The distinct *values*, ascending, all of them below *count*."""
    if len(values) < _AT_ONCE and 16 * len(values) < count:
        return united(values).astype(np.int64)
    present = np.zeros(count, dtype=np.bool_)
    present[values] = True
    return np.flatnonzero(present)


def _distinct_numbers(values: NDArray[np.integer], most: int, halt: Halt) -> NDArray[np.int64]:
    """The distinct *values*, ascending; of more than *most*, some, more than those."""
    found = np.empty(0, dtype=np.int64)
    for start in range(0, len(values), _AT_ONCE):
        halt.check()
        if len(found) > most:
            break
        # Sorted, not hashed: that takes a fraction of the time.
        some = values[start : start + _AT_ONCE].astype(np.int64, copy=False)
        found = np.sort(np.concatenate([found, some]))
        found = found[np.append(True, found[1:] != found[:-1])]
    return found
