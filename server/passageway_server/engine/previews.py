"""Texts as answers show them: cut to a budget of characters, which are Unicode code points."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from passageway_server.values.collections import Kind
from passageway_server.version.version import Version

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


def previews_of(
    version: Version,
    rows: NDArray[np.integer],
    max_chars: int | None,
    *,
    hidden: frozenset[str],
) -> list[Preview]:
    """The content of each of *rows* in at most *max_chars*; None gives all of it.

    A row without content previews what stands in for it, where there is a budget; no *hidden* field does.
    """
    if max_chars is None:
        return [(text, False) for text in version.texts.take(version.nodes.content[rows])]
    texts, keywords = version.texts, version.keywords.strings
    return [
        _preview(texts.encoded(entry) if entry >= 0 else keywords.encoded(~entry), max_chars)
        for entry in bodies(version, hidden=hidden)[rows].tolist()
    ]


def stand_ins(hidden: frozenset[str]) -> tuple[str, ...]:
    """The fields that stand in for a content that is not there, the first one first; none is *hidden*."""
    return tuple(name for name in _STANDS_IN if name not in hidden) if hidden else _STANDS_IN


def bodies(version: Version, *, hidden: frozenset[str]) -> NDArray[np.int32]:
    """By row, the text to preview: an entry of the texts, or ``~number`` of a keyword.

    It is the content; without one, the description or summary, where that is one string and not *hidden*.
    """
    fields = stand_ins(hidden)
    return version.remember((bodies, fields), lambda: _bodies(version, fields))


def _bodies(version: Version, fields: Iterable[str]) -> NDArray[np.int32]:
    nodes, texts = version.nodes, version.texts
    columns = [nodes.properties[name] for name in fields if name in nodes.properties]
    strings = [column for column in columns if column.kind in (Kind.KEYWORD, Kind.TEXT)]
    if not strings:
        return nodes.content
    found = nodes.content.copy()
    empty = np.flatnonzero(texts.bounds[found] == texts.bounds[found + 1])
    for column in strings:
        held = column.at[empty]
        rows, held = empty[held >= 0], held[held >= 0]
        alone = column.many[held] == 0
        rows, numbers = rows[alone], column.values[column.bounds[held[alone]]].astype(np.int32)
        is_keyword = column.kind == Kind.KEYWORD
        bounds = version.keywords.strings.bounds if is_keyword else texts.bounds
        some = bounds[numbers] < bounds[numbers + 1]
        found[rows[some]] = ~numbers[some] if is_keyword else numbers[some]
        empty = np.setdiff1d(empty, rows[some], assume_unique=True)
    found.flags.writeable = False
    return found


def _preview(encoded: memoryview, budget: int) -> Preview:
    """The beginning of a text; no more of it is decoded than could be shown."""
    if len(encoded) <= budget:
        return str(encoded, "utf-8"), False
    return cut(str(encoded[: 4 * (budget + 1)], "utf-8", "ignore"), budget)
