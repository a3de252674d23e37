"""Who may read a row of an older version by now: its readers in the last version that has it.

That is the newest version, or, of what was deleted since, the last one before that. Rows keep their numbers from version
to version as long as these share their reader sets. After a restore in place, and where a merge left dead edge
documents out, they are found by their ids.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.nodes import ABSENT, SPAN
from passageway_server.columns.readers import ReaderSets
from passageway_server.version.version import Version

Numbers = NDArray[np.int32]

_NEVER = -1  # the readers of what never was there


@dataclass(frozen=True, slots=True)
class Gone:
    """What a commit deleted: rows, and edge documents."""

    rows: NDArray[np.int64]
    docs: NDArray[np.int64]

    @classmethod
    def between(cls, base: Version, new: Version) -> "Gone":
        """What stands in *base* and not in *new*, the next version; nothing where a restore lies between."""
        if base.readers is not new.readers:
            none = np.empty(0, dtype=np.int64)
            return cls(none, none)
        kind, alive = base.nodes.kind.whole, base.docs.alive.whole
        absent = new.nodes.kind.whole[: len(kind)] == ABSENT
        dead = ~new.docs.alive.whole[: len(alive)]
        return cls(np.flatnonzero((kind != ABSENT) & absent), np.flatnonzero(alive & dead))


def effective_readers(version: Version) -> Numbers:
    """By row: its effective readers."""
    return version.gates.readers[version.gates.of]


def readers_now(chain: Sequence[Version], gone: Sequence[Gone]) -> tuple[Numbers, Numbers]:
    """By row, and by edge document, of ``chain[0]``: the readers in the last version that has it, -1 where none has."""
    version, starts = chain[0], _lineages(chain)
    rows = np.full(len(version.nodes), _NEVER, dtype=np.int32)
    docs = np.full(len(version.docs), _NEVER, dtype=np.int32)
    for start, end in zip(starts, [*starts[1:], len(chain)], strict=True):
        newest = chain[end - 1]
        row_last, doc_last = _last(chain[start:end], gone[start : end - 1])
        row_at, doc_at = _places(version, newest)
        _take(rows, row_last, row_at, of=newest.readers, among=version.readers)
        _take(docs, doc_last, doc_at, of=newest.readers, among=version.readers)
    left = np.flatnonzero(version.docs.alive.whole & (docs == _NEVER))
    docs[left] = of_docs_by_id(chain, left)
    return _by_their_parents(version, chain[-1], rows), docs


def of_docs_by_id(chain: Sequence[Version], docs: NDArray[np.integer]) -> Numbers:
    """The own readers of each of *docs*, alive in ``chain[0]``, in the last version where one of its id is.

    A commit may put a document again and delete it too, by a span over an end of it: the row that it got then was never alive.
    """
    version = chain[0]
    ids = np.array(version.docs.ids.take(docs), dtype=object)
    found = np.full(len(docs), _NEVER, dtype=np.int32)
    for each in reversed(chain):
        left = np.flatnonzero(found == _NEVER)
        if not len(left):
            break
        at = each.docs.ids.find_all(ids[left].tolist())
        left, at = left[at >= 0], at[at >= 0]
        alive = each.docs.alive[at]
        left, at = left[alive], at[alive]
        found[left] = _taken_over(each.docs.readers[at], of=each.readers, among=version.readers)
    return found


def _lineages(chain: Sequence[Version]) -> list[int]:
    """The places in *chain* at which a restore begins other rows for the same ids."""
    return [
        place
        for place, version in enumerate(chain)
        if not place or version.readers is not chain[place - 1].readers
    ]


def _last(versions: Sequence[Version], gone: Sequence[Gone]) -> tuple[Numbers, Numbers]:
    """By row, and by edge document, of the last of *versions*: the readers where it stood last, -1 where never."""
    newest = versions[-1]
    rows = np.where(newest.nodes.kind.whole == ABSENT, _NEVER, effective_readers(newest)).astype(
        np.int32
    )
    docs = np.where(newest.docs.alive.whole, newest.docs.readers.whole, _NEVER).astype(np.int32)
    for base, deleted in zip(reversed(versions[:-1]), reversed(gone), strict=True):
        late = deleted.rows[rows[deleted.rows] == _NEVER]
        if len(late):
            rows[late] = effective_readers(base)[late]
        late = deleted.docs[docs[deleted.docs] == _NEVER]
        docs[late] = base.docs.readers[late]
    return rows, docs


def _places(version: Version, newest: Version) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The row in *newest* of each row, and of each edge document, of *version*; -1 where there is none."""
    ids, doc_ids = version.nodes.ids, version.docs.ids
    row_at: NDArray[np.integer] = np.arange(len(ids))
    doc_at: NDArray[np.integer] = np.arange(len(doc_ids))
    if newest.readers is not version.readers:
        row_at = newest.nodes.ids.find_all(ids.take(row_at))
        return row_at, newest.docs.ids.find_all(doc_ids.take(doc_at))
    # A document that was deleted and put again may stand at another row.
    left = np.flatnonzero(version.docs.alive.whole & ~newest.docs.alive.whole[: len(doc_at)])
    doc_at[left] = newest.docs.ids.find_all(doc_ids.take(left))
    return row_at, doc_at


def _take(
    sets: Numbers,
    last: Numbers,
    at: NDArray[np.integer],
    *,
    of: ReaderSets,
    among: ReaderSets,
) -> None:
    """Write over *sets* what stands in *last* at the places *at*: numbers of *of*, which get those of *among*."""
    there = np.flatnonzero(at >= 0)
    there = there[last[at[there]] != _NEVER]
    sets[there] = _taken_over(last[at[there]], of=of, among=among)


def _taken_over(numbers: Numbers, *, of: ReaderSets, among: ReaderSets) -> Numbers:
    """The numbers *among* other sets of those that are *numbers* of *of*."""
    if of is among:
        return numbers
    distinct, place = np.unique(numbers, return_inverse=True)
    taken = [among.taken_over(of, number) for number in distinct.tolist()]
    return np.array(taken, dtype=np.int32)[place]


def _by_their_parents(version: Version, newest: Version, now: Numbers) -> Numbers:
    """*now*, in which a span that is no longer one of its parent is for those alone who may read that parent now."""
    nodes = version.nodes
    spans = np.flatnonzero((nodes.kind.whole == SPAN) & (nodes.parent.whole >= 0))
    if newest.readers is version.readers:
        parents = newest.nodes.parent[spans]
        still = (newest.nodes.kind[spans] == SPAN) & (parents == nodes.parent[spans])
        spans = spans[~still]
    parents = nodes.parent[spans]
    had = nodes.kind[parents] != ABSENT
    spans, parents = spans[had], parents[had]
    now = now.copy()
    now[spans] = held_with(version.readers, now[spans], now[parents])
    return now


def held_with(sets: ReaderSets, first: Numbers, second: Numbers) -> Numbers:
    """The set that is held when that of *first* and that of *second* are, pair by pair."""
    if not len(first):
        return first
    pairs, place = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    joined = [sets.both(one, other) for one, other in pairs.tolist()]
    return np.array(joined, dtype=np.int32)[place.reshape(-1)]
