"""Texts as answers show them: cut to a budget of characters, which are Unicode code points."""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.strings import Strings
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.cut import previews_size
from passageway_server.engine.sizes import MOST_BYTES, summed
from passageway_server.values.collections import Kind
from passageway_server.version.version import Version

Bodies = NDArray[np.int32]
"""Texts to preview: entries of the texts, or ``~number`` of a keyword."""

Preview = tuple[str, bool]
"""A text as an answer shows it, and whether it was cut."""

NO_PREVIEW: Preview = ("", False)
_STANDS_IN = ("description", "summary")


def cut(text: str, budget: int) -> Preview:
    """*text* in at most *budget* code points: with ``…`` at its end where something was left out.

    It is cut at the last white space in the second half of what fits, if there is one.
    """
    if len(text) <= budget:
        return text, False
    if budget == 0:
        return "", True
    head = text[: budget - 1]
    word = "" if head[-1:].isspace() else head.rsplit(None, 1)[-1] if head else ""
    space = len(head) - len(word) - 1  # the last white space, -1 where there is none
    if space >= len(head) // 2 and space >= 0:
        head = head[:space]
    return head + "…", True


def previews_of(version: Version, found: Bodies, max_chars: int | None) -> list[Preview]:
    """The texts that were *found* in at most *max_chars*; None gives all of each, which are contents then."""
    if max_chars is None:
        return [(text, False) for text in version.texts.take(found)]
    texts, keywords = version.texts, version.keywords.strings
    return [
        _preview(texts.encoded(entry) if entry >= 0 else keywords.encoded(~entry), max_chars)
        for entry in found.tolist()
    ]


def size_of_bodies(version: Version, found: Bodies, max_chars: int | None) -> int:
    """The bytes of these previews, up to more than an answer has."""
    if max_chars is None:
        return summed(version.texts, found)
    of_texts = found >= 0
    total = _previewed(version.texts, found[of_texts], max_chars)
    if not of_texts.all():
        total += _previewed(version.keywords.strings, ~found[~of_texts], max_chars)
    return total


def _previewed(strings: Strings, entries: NDArray[np.int32], max_chars: int) -> int:
    heap, bounds = sealed(strings.heap), sealed(strings.bounds)
    return previews_size(heap, bounds, sealed(entries), max_chars, MOST_BYTES)


def stand_ins(hidden: frozenset[str]) -> tuple[str, ...]:
    """The fields that stand in for a content that is not there, the first one first; none is *hidden*."""
    return tuple(name for name in _STANDS_IN if name not in hidden) if hidden else _STANDS_IN


def bodies(
    version: Version,
    rows: NDArray[np.integer],
    contents: NDArray[np.int32],
    *,
    hidden: frozenset[str],
) -> Bodies:
    """The text to preview of each of *rows*, whose *contents* are written over.

    It is the content; without one, the description or summary, where that is one string and not *hidden*.
    """
    nodes, texts, found = version.nodes, version.texts, contents
    empty = np.flatnonzero(texts.bounds[found] == texts.bounds[found + 1])
    for name in stand_ins(hidden) if len(empty) else ():
        column = nodes.properties.get(name)
        if column is None or column.kind not in (Kind.KEYWORD, Kind.TEXT):
            continue
        entries = column.at[rows[empty]]
        held = np.flatnonzero(entries >= 0)
        held = held[column.many[entries[held]] == 0]
        numbers = column.values[column.bounds[entries[held]]].astype(np.int32)
        is_keyword = column.kind == Kind.KEYWORD
        bounds = version.keywords.strings.bounds if is_keyword else texts.bounds
        some = bounds[numbers] < bounds[numbers + 1]
        held, numbers = held[some], numbers[some]
        found[empty[held]] = ~numbers if is_keyword else numbers
        left = np.ones(len(empty), dtype=np.bool_)
        left[held] = False
        empty = empty[left]
    return found


def _preview(encoded: memoryview, budget: int) -> Preview:
    """The beginning of a text; no more of it is decoded than could be shown."""
    if len(encoded) <= budget:
        return str(encoded, "utf-8"), False
    return cut(str(encoded[: 4 * (budget + 1)], "utf-8", "ignore"), budget)
