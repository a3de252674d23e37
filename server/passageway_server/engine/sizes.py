"""How large an answer would be, judged part by part, each before it is made.

Lengths stand in the bounds of the heaps, so a part that no channel would carry costs no memory.
Only what the answer shows counts: nothing can be told from it of rows that are hidden.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import lengths_of
from passageway_server.columns.nodes import SPAN
from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.cut import previews_size
from passageway_server.engine.previews import bodies
from passageway_server.engine.selection import Selection
from passageway_server.errors import LimitExceeded
from passageway_server.values.collections import Kind
from passageway_server.version import revisions
from passageway_server.version.version import Version

MOST_BYTES = 64 << 20
"""What a channel carries in one message."""

FRAME = 4
"""About what a message of the answer, such as a row, takes beside its texts, at the least."""

_BYTES_OF_A_NUMBER = 8

Rows = NDArray[np.integer]


class Size:
    """How many bytes the parts of one answer take so far; a part is added before it is made."""

    __slots__ = ("_taken",)

    def __init__(self) -> None:
        self._taken = 0

    def add(self, size: int, *, lower: str = "content_max_chars") -> None:
        """Count *size* bytes more. Raises LimitExceeded where the answer would pass `MOST_BYTES`;
        *lower* is the parameter to lower then.
        """
        self.check(size, lower=lower)
        self._taken += size

    def add_ids(self, ids: Sequence[str]) -> None:
        """Count each of *ids*, which are few or stand there already."""
        self.add(sum(FRAME + len(id if id.isascii() else id.encode()) for id in ids))

    def add_texts(self, strings: Strings, entries: Rows) -> None:
        """Count each of *entries* of *strings*, each a part of the answer by itself."""
        self.add(size_of_texts(strings, entries))

    def check(self, size: int, *, lower: str = "content_max_chars") -> None:
        """Raise LimitExceeded where *size* bytes more would pass `MOST_BYTES`."""
        if self._taken + size > MOST_BYTES:
            raise LimitExceeded(
                "ANSWER_BYTES",
                limit=MOST_BYTES,
                parameter=lower,
                advice="an answer of as many bytes cannot be sent: ask for fewer rows, fewer fields,"
                " fewer buckets or shorter previews",
            )


def size_of_texts(strings: Strings, entries: Rows) -> int:
    """The bytes of *entries* of *strings*, each a part of an answer by itself."""
    return _summed(strings, entries) + FRAME * len(entries)


def size_of_nodes(
    version: Version,
    rows: Rows,
    columns: Iterable[tuple[str, Column]],
    *,
    selection: Selection,
    max_chars: int | None,
    hidden: frozenset[str],
) -> int:
    """The bytes of *rows* as an answer shows them, without their links and readers."""
    nodes, asks = version.nodes, selection.asks
    total = size_of_texts(version.nodes.ids.strings, rows)
    total += _summed(version.types.strings, nodes.type[rows])
    if asks("name"):
        total += _summed(version.texts, nodes.name[rows])
    if asks("content"):
        total += _size_of_previews(version, rows, max_chars, hidden)
    if asks("project"):
        total += _summed(version.projects.strings, nodes.project[origins_of(version, rows)])
    if asks("status"):
        total += _summed(version.statuses.strings, nodes.status[rows])
    if selection.revision:
        total += revisions.LENGTH * len(rows)
    spans = rows[nodes.kind[rows] == SPAN]
    if len(spans):
        total += _summed(nodes.ids.strings, nodes.parent[spans])
        total += _summed(version.texts, nodes.breadcrumb[spans])
    return total + size_of_values(version, rows, columns)


def size_of_values(version: Version, rows: Rows, columns: Iterable[tuple[str, Column]]) -> int:
    """The bytes of what *rows* hold in *columns*, with the names."""
    total = 0
    for name, column in columns:
        entries = column.at[rows]
        entries = entries[entries >= 0]
        if not len(entries):
            continue
        positions, _ = column.spread(entries)
        total += len(name.encode()) * len(entries)
        match column.kind:
            case Kind.KEYWORD:
                strings = version.keywords.strings
            case Kind.TEXT:
                strings = version.texts
            case _:
                total += _BYTES_OF_A_NUMBER * len(positions)
                continue
        total += _summed(strings, cast(NDArray[np.int32], column.values[positions]))
    return total


def size_of_readers(sets: Mapping[int, Sequence[str]], numbers: Sequence[int]) -> int:
    """The bytes of the reader sets of *numbers*, each as often as it is there."""
    of_each = {n: sum(len(reader.encode()) + 2 for reader in set_) for n, set_ in sets.items()}
    return sum(map(of_each.__getitem__, numbers))


def origins_of(version: Version, rows: Rows) -> Rows:
    """The row whose project each of *rows* has: of a span, its parent."""
    nodes = version.nodes
    parents = nodes.parent[rows]
    origins: Rows = np.where((nodes.kind[rows] == SPAN) & (parents >= 0), parents, rows)
    return origins


def _size_of_previews(
    version: Version, rows: Rows, max_chars: int | None, hidden: frozenset[str]
) -> int:
    if max_chars is None:
        return _summed(version.texts, version.nodes.content[rows])
    entries = bodies(version, rows, hidden=hidden)
    of_texts = entries >= 0
    total = _previewed(version.texts, entries[of_texts], max_chars)
    if not of_texts.all():
        total += _previewed(version.keywords.strings, ~entries[~of_texts], max_chars)
    return total


def _previewed(strings: Strings, entries: NDArray[np.int32], max_chars: int) -> int:
    heap, bounds = sealed(strings.heap), sealed(strings.bounds)
    return previews_size(heap, bounds, sealed(entries), max_chars, MOST_BYTES)


def _summed(strings: Strings, entries: Rows) -> int:
    return int(lengths_of(strings, entries).sum())
