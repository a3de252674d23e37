"""How large an answer would be, judged before any of it is made.

Lengths stand in the bounds of the heaps, so an answer that no channel would carry costs no memory.
"""

from collections.abc import Iterable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.properties import Column
from passageway_server.columns.strings import Strings
from passageway_server.errors import LimitExceeded
from passageway_server.values.collections import Kind
from passageway_server.version.version import Version

MOST_BYTES = 64 << 20
"""What a channel carries in one message."""

_BYTES_OF_A_CHARACTER = 4


def check_texts(
    version: Version, rows: NDArray[np.int64], *, content: bool, max_chars: int | None
) -> None:
    """Raise LimitExceeded where the previews of *rows* alone would pass `MOST_BYTES`."""
    if content:
        lengths = _lengths(version.texts, version.nodes.content[rows])
        if max_chars is not None:
            lengths = np.minimum(lengths, _BYTES_OF_A_CHARACTER * max_chars)
        check(int(lengths.sum()))


def check_values(version: Version, rows: NDArray[np.int64], columns: Iterable[Column]) -> None:
    """Raise LimitExceeded where the values of *rows* in *columns* would pass `MOST_BYTES`."""
    total = 0
    for column in columns:
        entries = column.at[rows]
        positions, _ = column.spread(entries[entries >= 0])
        match column.kind:
            case Kind.KEYWORD:
                strings = version.keywords.strings
            case Kind.TEXT:
                strings = version.texts
            case _:
                total += 8 * len(positions)
                continue
        numbers = cast(NDArray[np.int32], column.values[positions])
        total += int(_lengths(strings, numbers).sum())
    check(total)


def check(size: int) -> None:
    """Raise LimitExceeded where an answer of *size* bytes would pass `MOST_BYTES`."""
    if size > MOST_BYTES:
        raise LimitExceeded(
            "ANSWER_BYTES",
            limit=MOST_BYTES,
            parameter="content_max_chars",
            advice="an answer of as many bytes cannot be sent: ask for fewer rows, fewer fields or"
            " shorter previews",
        )


def _lengths(strings: Strings, entries: NDArray[np.int32]) -> NDArray[np.int64]:
    lengths: NDArray[np.int64] = strings.bounds[entries + 1] - strings.bounds[entries]
    return lengths
