"""The words of texts."""

import unicodedata
from time import process_time

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from passageway_server.columns.words import analysis
from passageway_server.columns.words.analysis import LANGUAGES, LONGEST, Analysis, folded

ascii_texts = st.text(st.characters(max_codepoint=127), max_size=60)
texts = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from(
            "abcXYZ019_.,:;'\N{RIGHT SINGLE QUOTATION MARK} éàßﬁ日本語かなカナ한글ภาษาשל\u00ad\u0301\u200d"
        ),
    ),
    max_size=40,
)


def words(text: str, language: str = "english") -> list[str]:
    return Analysis(language).words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running dogs, ran.", ["run", "dog", "ran"]),
        ("e.g. README.md 3.14 1,000 don't", ["e.g", "readme.md", "3.14", "1,000", "don't"]),
        ("max_nodes __init__ _ ___", ["max_nodes", "max", "node", "__init__", "init"]),
        ("STRASSE Straße \N{LATIN SMALL LIGATURE FI}ne", ["strass", "strass", "fine"]),
        ("日本語 か ソース", ["日本", "本語", "か", "ソー", "ース"]),
        ("한국어 문장", ["한국", "국어", "문장"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("co\u00adop don\N{RIGHT SINGLE QUOTATION MARK}t", ["coop", "don't"]),
        ("\N{THUMBS UP SIGN} ... --- !", []),
        ("", []),
    ],
)
def test_words_are_what_readers_would_look_for(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_stems_are_those_of_the_language() -> None:
    assert words("casas", "spanish") == words("casa", "spanish")
    assert words("Häuser", "german") == words("Haus", "german") == ["haus"]
    assert {"english", "german"} <= LANGUAGES


@given(texts)
def test_spellings_of_a_word_meet(text: str) -> None:
    assert words(unicodedata.normalize("NFC", text)) == words(unicodedata.normalize("NFD", text))


@given(ascii_texts)
def test_the_quick_way_of_ascii_leads_to_the_same_tokens(text: str) -> None:
    folded_text = folded(text)

    assert analysis._ASCII_TOKEN.findall(folded_text) == analysis._TOKEN.findall(folded_text)


@given(texts)
def test_tokens_are_words_as_unicode_segments_them(text: str) -> None:
    """But for scripts that are taken by pairs."""
    assume(not analysis._PAIRED_CHARACTER.search(folded(text)))

    segments = regex.split(r"(?w)(?V1)\b", folded(text))

    assert _with_letters(analysis._TOKEN.findall(folded(text))) == _with_letters(segments)


def _with_letters(pieces: list[str]) -> list[str]:
    return [piece for piece in pieces if regex.search(r"[\p{L}\p{N}]", piece)]


@given(texts)
def test_no_word_is_empty_or_has_space_or_is_without_end(text: str) -> None:
    for word in words(text + " " + "z" * 1000):
        assert word
        assert len(word) <= LONGEST
        assert not any(character.isspace() for character in word)


@given(st.text(st.sampled_from("a \u0301\u0323\u0345\u0f73\uff9e\u1fafé"), max_size=200))
def test_marks_in_whatever_order_are_folded_as_unicode_says(text: str) -> None:
    text = "a" + "\u0301\u0323\uff9e" * 20 + text

    once = unicodedata.normalize("NFKC", text).casefold()

    assert folded(text) == unicodedata.normalize("NFKC", once)


def test_a_text_of_marks_alone_is_folded_at_once() -> None:
    began = process_time()

    assert len(folded("a" + "\u0301\u0323" * 100_000)) == 200_000  # composed with two

    assert process_time() - began < 5


@pytest.mark.parametrize(
    ("language", "token"),
    [("porter", "s"), ("porter", "'s"), ("greek", "ακι"), ("greek", "ους"), ("nepali", "का")],
)
def test_a_word_that_is_an_ending_alone_is_itself(language: str, token: str) -> None:
    (word,) = words(token, language)

    assert word
    assert words(f"a_{token.strip(chr(39))}", language)[-1]


def test_what_is_remembered_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_MOST", 2)
    once = Analysis("english")
    text = "ants bees cows ants bees cows_and_ants"

    assert once.words(text) == once.words(text) == [*(words(text))]
