"""Texts as the words that an index holds: which words does this text have?

A text is folded and taken apart at white space; its pieces are split as Unicode segments words (UAX 29). Each token stands for
one or more words: a run of a script that is written without spaces for its pairs of characters, an identifier with ``_`` for
its parts and itself, any other for its stem. Most pieces come again and again, so what they stand for is remembered.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Final

import regex
import Stemmer

LANGUAGES: Final = frozenset(Stemmer.algorithms())
"""Those whose stems are known."""

MADE_BY: Final = f"2 {unicodedata.unidata_version} {regex.__version__} {Stemmer.version()}".encode()
"""What words depend on, beside texts: the rules here, Unicode, and the two libraries. Words of another one are made anew."""

LONGEST: Final = 256
"""Characters of a word; a longer one is cut there."""

AT_ONCE: Final = 1 << 16
"""Characters of a long text between two looks at whether a call is to stop."""

_JOINED = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*"  # what belongs to the character before
_PAIRED = r"(?:[[\p{L}\p{N}]&&\p{WB=Other}]|\p{sc=Hangul}|\p{WB=Katakana})" + _JOINED
_LETTER = r"[[\p{WB=ALetter}\p{WB=Hebrew_Letter}]--\p{sc=Hangul}]"
_DIGIT = r"\p{WB=Numeric}"
_TOKEN: Final = regex.compile(
    rf"""(?V1x)
    (?: {_PAIRED} )+
    | (?:
        (?: {_LETTER} | {_DIGIT} | \p{{WB=ExtendNumLet}} ) {_JOINED}
        | (?<= {_LETTER} {_JOINED} ) [\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}] {_JOINED} (?= {_LETTER} )
        | (?<= {_DIGIT} {_JOINED} ) [\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}] {_JOINED} (?= {_DIGIT} )
    )+"""
)
_PAIRED_CHARACTER: Final = regex.compile(rf"(?V1){_PAIRED}")
_ASCII_TOKEN: Final = re.compile(
    r"[a-z0-9_]+(?:(?:(?<=[a-z])[.':](?=[a-z])|(?<=[0-9])[.',;](?=[0-9]))[a-z0-9_]+)*", re.ASCII
)
_SPACE: Final = re.compile(r"\s")
_HIDDEN: Final = regex.compile(r"\p{Cf}+")
# Characters that are, or begin with, a combining mark.
_MANY_MARKS: Final = regex.compile(r"(?V1)[\P{ccc=0}\u0F73\u0F75\u0F81\uFF9E\uFF9F]{32,}")
_APOSTROPHE, _RIGHT_QUOTE = "'", "\N{RIGHT SINGLE QUOTATION MARK}"
_SHORT, _MOST = 64, 1 << 17  # characters of pieces that are remembered, and how many
_KEPT = 2  # analyses of a language that wait for the next text


def folded(text: str) -> str:
    """*text* as it is compared: compatibility characters and cases are one."""
    if text.isascii():
        return text.lower()
    text = _MANY_MARKS.sub(_in_order, text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _in_order(marks: "regex.Match[str]") -> str:
    """*marks* in canonical order (UAX 15), so that to normalize them is no work for each two of them."""
    apart = "".join(unicodedata.normalize("NFKD", mark) for mark in marks.group())
    return "".join(sorted(apart, key=unicodedata.combining))


def in_parts(text: str, start: int, end: int) -> Iterator[str]:
    """``text[start:end]``, a long one in parts that white space ends: they have the words that it has."""
    while end - start > AT_ONCE:
        gap = _SPACE.search(text, start + AT_ONCE, end)
        if gap is None:
            break
        yield text[start : gap.start()]
        start = gap.end()
    yield text[start:end]


class Analysis:
    """The words of texts in one of `LANGUAGES`; for one thread at a time."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._stemmer = Stemmer.Stemmer(language)
        self._known: dict[str, tuple[str, ...]] = {}  # by piece

    @classmethod
    @contextmanager
    def lent(cls, language: str) -> "Generator[Analysis]":
        """One for the thread alone while the block lasts, which may remember pieces of texts before."""
        waiting = _WAITING[language]
        try:
            analysis = waiting.pop()
        except IndexError:
            analysis = cls(language)
        yield analysis
        if len(waiting) < _KEPT:
            waiting.append(analysis)

    def words(self, text: str) -> list[str]:
        """The words of *text*, in their order, each as often as it comes."""
        return [word for piece in folded(text).split() for word in self.of_piece(piece)]

    def of_piece(self, piece: str) -> tuple[str, ...]:
        """The words of a *piece* of a folded text that has no white space."""
        found = self._known.get(piece)
        if found is None:
            found = tuple(self._split(piece))
            if len(piece) <= _SHORT:
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[piece] = found
        return found

    def _split(self, piece: str) -> Iterator[str]:
        if piece.isascii():
            tokens = [piece] if piece.isalnum() else _ASCII_TOKEN.findall(piece)
            for token in tokens:
                yield from self._of_token(token)
            return
        for token in _TOKEN.findall(piece):
            if _PAIRED_CHARACTER.match(token):
                yield from _pairs(token)
            else:
                plain = _HIDDEN.sub("", token).replace(_RIGHT_QUOTE, _APOSTROPHE)
                yield from self._of_token(plain)

    def _of_token(self, token: str) -> Iterable[str]:
        if "_" not in token:
            return (self._stem(token),)
        parts = [part for part in token.split("_") if part]
        return (token[:LONGEST], *map(self._stem, parts)) if parts else ()

    def _stem(self, token: str) -> str:
        """That of *token*; itself where nothing would be left of it."""
        token = token[:LONGEST]
        return self._stemmer.stemWord(token) or token


_WAITING: Final = defaultdict[str, list[Analysis]](list)


def _pairs(run: str) -> Iterable[str]:
    """Each character of *run* with the next; alone where there is no other."""
    characters = _PAIRED_CHARACTER.findall(run)
    if len(characters) == 1:
        return characters
    return map("".join, pairwise(characters))
