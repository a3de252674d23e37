"""A window of the spans of a memory, and pages of one text.

Spans go by index, then id; only those that the call may see count. Characters are Unicode code
points.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import lengths_of
from passageway_server.columns.gates import Gate
from passageway_server.columns.kinds import EXPIRES_AT
from passageway_server.columns.nodes import SPAN
from passageway_server.engine.previews import cut
from passageway_server.engine.rows import node_rows
from passageway_server.engine.selection import EVERYTHING, REVISION, Selection
from passageway_server.engine.sizes import Size
from passageway_server.errors import InvalidRequest, TextChanged
from passageway_server.values.answers import NodeRow, TextPage
from passageway_server.values.collections import Kind
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive spans of a memory; of one that was never cut, the memory itself."""

    passages: list[NodeRow]
    sliced: bool
    start: int | None  # index of the first span
    passage_total: int | None  # as all spans that declare one agree
    covers_parent: bool  # nothing of the memory that the call may see is outside it


def memory_of(version: Version, row: int) -> int:
    """The row that *row* was cut from; *row* itself where it is no span."""
    nodes = version.nodes
    return int(nodes.parent[row]) if nodes.kind[row] == SPAN else row


def window_of(
    version: Version,
    row: int,
    *,
    read: Gate,
    scope: Gate,
    size: int,
    max_chars: int,
    admin: bool,
    answer: Size | None = None,
) -> Window:
    """At most *size* spans around the span *row*, or from the first one of the memory *row*.

    The window keeps its size at both ends, and an even one has one more after the anchor. Contents
    take *max_chars* in all: the span that exhausts them is cut, those after it are empty. *answer* is
    the size of the whole answer. Raises LimitExceeded.
    """
    memory = memory_of(version, row)
    spans = version.spans_of(memory)
    spans = spans[version.gates.open(scope, spans)]
    shown = _around(spans, row, size) if len(spans) else np.array([memory], dtype=np.int32)
    rows = node_rows(
        version,
        read,
        shown,
        selection=EVERYTHING,
        max_chars=_head(max_chars),
        admin=admin,
        size=answer,
    )
    lengths = lengths_of(version.texts, version.nodes.content[shown])
    passages = _spent(rows, lengths > 0, max_chars)
    was_cut = any(passage.content_truncated for passage in passages)
    if not len(spans):
        return Window(passages, False, None, None, not was_cut)
    indices = version.nodes.index[shown].tolist()
    total = _agreed(version.nodes.total[spans])
    covers = (
        bool(version.nodes.covered[memory])
        and not was_cut
        and len(shown) == len(spans)
        and _are_all(indices, total)
    )
    return Window(passages, True, indices[0], total, covers)


def text_of(version: Version, row: int, name: str | None) -> str | None:
    """The content of *row* (*name* None), or its property *name* where that is one string."""
    if name is None:
        return version.texts[int(version.nodes.content[row])]
    column = version.nodes.properties.get(name)
    entry = -1 if column is None else int(column.at[row])
    if column is None or entry < 0 or column.many[entry]:
        return None
    value = column.value(row, keywords=version.keywords, texts=version.texts)
    return value if isinstance(value, str) else None


def cited(version: Version) -> Selection:
    """What stands beside a page of text: where its row comes from, whether it still holds, and what guards an edit."""
    columns = version.nodes.properties
    names = [
        name
        for name in dict.fromkeys((*version.settings.cited, EXPIRES_AT))
        if name in columns and columns[name].kind != Kind.VECTOR
    ]
    return Selection(False, frozenset({"status", REVISION}), tuple(names))


def page_of(text: str, *, offset: int, max_chars: int, sha256: str) -> TextPage:
    """The page of *text* from *offset* on; joined, the pages give the text back.

    Raises TextChanged where *sha256* (not "") is not of this text, InvalidRequest where *offset* is
    past its end.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()
    if sha256 not in ("", digest):
        raise TextChanged
    if offset > len(text):
        raise InvalidRequest.one("page.offset", f"is {offset}; the text has {len(text)} characters")
    return part_of(text, offset, max_chars, digest)


def part_of(text: str, offset: int, chars: int, digest: str) -> TextPage:
    """The page of at most *chars* characters of *text*, whose *digest* this is, from *offset* on."""
    end = min(offset + chars, len(text))
    return TextPage(
        text=text[offset:end],
        offset=offset,
        next_offset=end if end < len(text) else None,
        total_chars=len(text),
        sha256=digest,
        truncated=offset > 0 or end < len(text),
    )


def _around(spans: NDArray[np.int32], row: int, size: int) -> NDArray[np.int32]:
    places = np.flatnonzero(spans == row)
    place = int(places[0]) if len(places) else 0
    start = min(max(place - (size - 1) // 2, 0), max(len(spans) - size, 0))
    return spans[start : start + size]


def _head(budget: int) -> int:
    """So many characters of a text are cut to *budget*, or fewer, as all of it would be.

    A text that is cut keeps at least half of them, which is *budget*, and the sign behind.
    """
    return 2 * budget + 1


def _spent(rows: list[NodeRow], held: NDArray[np.bool_], budget: int) -> list[NodeRow]:
    """*rows* with contents of *budget* in all; nothing stands in for one that is not *held*."""
    passages: list[NodeRow] = []
    for row, has_content in zip(rows, held.tolist(), strict=True):
        content, was_cut = cut(row.content if has_content else "", budget)
        budget = 0 if was_cut else budget - len(content)
        passages.append(row._replace(content=content, content_truncated=was_cut))
    return passages


def _are_all(indices: list[int], total: int | None) -> bool:
    """Whether *indices* hold every one below *total*, which is declared, and not 0."""
    if total is None or not 0 < total <= len(indices):
        return False
    return set(range(total)) <= set(indices)


def _agreed(totals: NDArray[np.int64]) -> int | None:
    declared = np.unique(totals[totals >= 0])
    return int(declared[0]) if len(declared) == 1 else None
