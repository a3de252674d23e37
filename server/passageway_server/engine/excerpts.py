"""Exact pieces of texts that are too long to show: where do the words of a query stand thickest?"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import lengths_of
from passageway_server.columns.gates import Gate
from passageway_server.columns.words.analysis import AT_ONCE, Analysis, in_parts
from passageway_server.engine.searched import FieldPlan
from passageway_server.engine.sizes import Size
from passageway_server.values.answers import Excerpt
from passageway_server.values.halt import Halt, OutOfTime
from passageway_server.version.version import Version

# White space is looked at from where it begins alone: from each of its characters on, a long run would take for ever.
_ENDS: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|(?<!\s)\s*\n\s*")
_NO_SPACE: Final = re.compile(r"\S")


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
            for met in terms.take(field.met.by(lambda: terms.vocabulary, word, field.edits, halt)):
                meant.setdefault(met, set()).add(word)
        return cls(Analysis(field.language), meant)

    def thickest(self, text: str, halt: Halt) -> int | None:
        """Where the first sentence begins that has most of the words that are asked for; None where none has any.

        Raises OutOfTime, DeadlineExceeded, Cancelled.
        """
        best, most = None, 0
        for start, end in _sentences(text, halt):
            held: set[str] = set()
            for part in in_parts(text, start, end):
                halt.check()
                held.update(self.analysis.words(part))
            count = len(set[str]().union(*(self.meant.get(word, ()) for word in held)))
            if count > most:
                best, most = start, count
        return best


def excerpts(
    version: Version,
    rows: NDArray[np.integer],
    field: FieldPlan,
    most: int,
    gate: Gate,
    *,
    size: Size,
) -> list[Excerpt | None]:
    """Of the content of each of *rows*, where it has more than *most* characters: the sentence with most of the words of
    *field*, and what follows it, up to *most* characters.

    None where no sentence has any, and where the call's time is spent before. Counts in *size*. Raises LimitExceeded,
    DeadlineExceeded, Cancelled.
    """
    found: list[Excerpt | None] = [None] * len(rows)
    contents = version.nodes.content[rows]
    longer = lengths_of(version.texts, contents) > most  # in bytes
    if not most or not longer.any():
        return found
    wanted = Wanted.of(version, field, gate.halt)
    for place in np.flatnonzero(longer).tolist():
        text = version.texts[int(contents[place])]
        try:
            start = wanted.thickest(text, gate.halt) if len(text) > most else None
        except OutOfTime:
            break
        if start is not None:
            end = ended(text, start, most)
            digest = hashlib.sha256(text.encode()).hexdigest()
            id = version.nodes.ids[int(rows[place])]
            piece = Excerpt(id, "content", text[start:end], start, end, len(text), digest)
            size.add(len(piece.text.encode()))
            found[place] = piece
    return found


def _sentences(text: str, halt: Halt) -> Iterator[tuple[int, int]]:
    """Where each begins and ends. Raises OutOfTime, DeadlineExceeded, Cancelled."""
    start = at = 0
    while at < len(text):
        halt.check()
        further = _NO_SPACE.search(text, at + AT_ONCE)  # no gap goes on there
        end = len(text) if further is None else further.start()
        for gap in _ENDS.finditer(text, at, end):
            yield start, gap.start()
            start = gap.end()
        at = end
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
