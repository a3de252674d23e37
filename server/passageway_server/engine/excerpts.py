"""Exact pieces of texts that are too long to show: where do the words of a query stand thickest?"""

import hashlib
import re
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine.lexical import FieldPlan
from passageway_server.values.answers import Excerpt
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

_ENDS: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s*\n\s*")


def excerpts(
    version: Version, rows: NDArray[np.integer], field: FieldPlan, most: int, gate: Gate
) -> list[Excerpt | None]:
    """Of the content of each of *rows*, where it has more than *most* characters: the sentence with most of the words of
    *field*, and what follows it, up to *most* characters.

    None where no sentence has any. Raises DeadlineExceeded, Cancelled.
    """
    analysis, words = Analysis(field.language), frozenset(field.words)
    found: list[Excerpt | None] = []
    for row in rows.tolist():
        gate.halt.spent()
        text = version.texts[int(version.nodes.content[row])]
        start = thickest(text, analysis, words, gate.halt) if 0 < most < len(text) else None
        if start is None:
            found.append(None)
            continue
        end = ended(text, start, most)
        digest = hashlib.sha256(text.encode()).hexdigest()
        id = version.nodes.ids[row]
        found.append(Excerpt(id, "content", text[start:end], start, end, len(text), digest))
    return found


def thickest(text: str, analysis: Analysis, words: frozenset[str], halt: Halt) -> int | None:
    """Where the first sentence begins that has most of *words*; None where none has any.

    Raises DeadlineExceeded, Cancelled.
    """
    best, most = None, 0
    for start, end in _sentences(text):
        halt.spent()
        count = len(words.intersection(analysis.words(text[start:end])))
        if count > most:
            best, most = start, count
    return best


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _ENDS.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def ended(text: str, start: int, most: int) -> int:
    """Where a piece of at most *most* characters ends: at the last white space in its second half, if there is one."""
    end = min(start + most, len(text))
    if end == len(text) or text[end].isspace():
        return end
    for at in range(end - 1, start + most // 2, -1):
        if text[at].isspace():
            return at
    return end
