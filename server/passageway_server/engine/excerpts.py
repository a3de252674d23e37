"""Exact pieces of texts that are too long to show: where do the words of a query stand thickest?"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine.near import near
from passageway_server.engine.searched import FieldPlan
from passageway_server.values.answers import Excerpt
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

_ENDS: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words of texts in one field, and which of the words that are asked for each of them meets."""

    analysis: Analysis
    meant: Mapping[str, set[str]]

    @classmethod
    def of(cls, version: Version, field: FieldPlan, halt: Halt) -> "Wanted":
        """What *field*, of texts, is searched for. Raises DeadlineExceeded, Cancelled."""
        meant = {word: {word} for word in field.words}
        terms = version.words.terms
        for word in field.words if field.edits else ():
            for met in terms.take(near(terms.vocabulary, word, field.edits, halt)):
                meant.setdefault(met, set()).add(word)
        return cls(Analysis(field.language), meant)

    def thickest(self, text: str, halt: Halt) -> int | None:
        """Where the first sentence begins that has most of the words that are asked for; None where none has any.

        Raises DeadlineExceeded, Cancelled.
        """
        best, most = None, 0
        for start, end in _sentences(text):
            halt.spent()
            held = self.analysis.words(text[start:end])
            count = len(set[str]().union(*(self.meant.get(word, ()) for word in held)))
            if count > most:
                best, most = start, count
        return best


def excerpts(
    version: Version, rows: NDArray[np.integer], field: FieldPlan, most: int, gate: Gate
) -> list[Excerpt | None]:
    """Of the content of each of *rows*, where it has more than *most* characters: the sentence with most of the words of
    *field*, and what follows it, up to *most* characters.

    None where no sentence has any. Raises DeadlineExceeded, Cancelled.
    """
    wanted = Wanted.of(version, field, gate.halt)
    found: list[Excerpt | None] = []
    for row in rows.tolist():
        gate.halt.spent()
        text = version.texts[int(version.nodes.content[row])]
        start = wanted.thickest(text, gate.halt) if 0 < most < len(text) else None
        if start is None:
            found.append(None)
            continue
        end = ended(text, start, most)
        digest = hashlib.sha256(text.encode()).hexdigest()
        id = version.nodes.ids[row]
        found.append(Excerpt(id, "content", text[start:end], start, end, len(text), digest))
    return found


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
