"""The words that are asked for: of which fields, and how many at most?"""

from passageway_server.columns.words.analysis import Analysis
from passageway_server.engine.predicate import KnownField, Source
from passageway_server.planner.limits import TEXT_BYTES, WORDS
from passageway_server.values.collections import Kind
from passageway_server.version.wording import BUILT_IN


class Unsearchable(Exception):
    """A text cannot be looked for; says why."""


def is_text(field: KnownField) -> bool:
    """Whether what *field* holds has words."""
    if field.source == Source.BUILT_IN:
        return field.name in BUILT_IN
    return field.kind == Kind.TEXT


def check_size(text: str) -> None:
    """Raise `Unsearchable` where *text* is too long to be looked for."""
    if len(text.encode("utf-8", "surrogatepass")) > TEXT_BYTES:
        raise Unsearchable(f"has more than {TEXT_BYTES} bytes")


def words_in(text: str, analysis: Analysis) -> tuple[str, ...]:
    """The distinct words of *text*, in their order. Raises `Unsearchable` where there are none, or too many."""
    check_size(text)
    words = tuple(dict.fromkeys(analysis.words(text)))
    if not words:
        raise Unsearchable("has no word to look for: no letter and no digit")
    if len(words) > WORDS:
        raise Unsearchable(f"has {len(words)} different words; at most {WORDS}")
    return words
