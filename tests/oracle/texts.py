"""Texts and the words in them: in which language, how many may be asked for, and which does a word meet?"""

import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from passageway.v1 import store_pb2
from passageway_server.columns.words.analysis import Analysis
from tests.oracle.refusals import Refused

MOST_BYTES, MOST_WORDS = 65_536, 512


def language_of(settings: store_pb2.Collection, declared: str) -> str:
    """The language of a declared field; that of a built-in one where the name is empty."""
    own = [field.language for field in settings.fields if declared and field.name == declared]
    return "".join(own) or settings.language or "english"


def folded(text: str) -> str:
    """A text as it is compared, whatever its case and the form of its characters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def asked_words(text: str, language: str) -> list[str] | None:
    """The distinct words of a text that is looked for; None where it must be refused."""
    if len(text.encode()) > MOST_BYTES:
        return None
    words = list(dict.fromkeys(Analysis(language).words(text)))
    return words if 0 < len(words) <= MOST_WORDS else None


def word_test(texts: Iterable[str], language: str, path: str) -> Callable[[str], bool]:
    """Whether a value has all the words of one of *texts*; a fault at *path* where one has none."""
    choices: list[set[str]] = []
    for text in texts:
        words = asked_words(text, language)
        if words is None:
            raise Refused("INVALID_ARGUMENT", [path])
        choices.append(set(words))
    analysis = Analysis(language)

    def has(value: str) -> bool:
        held = set(analysis.words(value))
        return any(choice <= held for choice in choices)

    return has


@lru_cache(maxsize=100_000)
def meets(asked: str, held: str, edits: int) -> bool:
    """Whether *held* is *asked*, or begins with the same character and is within so many edits of it.

    An edit inserts, drops or changes a character, or swaps two neighbors, none of which is edited again.
    """
    if asked == held:
        return True
    return edits > 0 and asked[:1] == held[:1] and _edits_between(asked, held) <= edits


def _edits_between(one: str, other: str) -> int:
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
