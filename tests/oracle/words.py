"""Rows by their words: BM25F over the rows of a call, as it is written down."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from passageway.v1 import query_pb2, search_pb2
from passageway_server.columns.words.analysis import Analysis
from tests.oracle.fields import KEYWORD, NODE_BUILT_INS, TEXT, property_named
from tests.oracle.filters import Binding
from tests.oracle.graph import Graph, Row
from tests.oracle.refusals import Checks, Refused
from tests.oracle.texts import MOST_BYTES, asked_words, folded, language_of, meets

K1, B = 1.2, 0.75
_BUILT_IN = ("name", "content")


class Field(NamedTuple):
    """A field that is searched; ``language`` is empty where it is of keywords."""

    name: str
    built_in: bool
    weight: float
    language: str

    def words(self, row: Row) -> list[str]:
        """What *row* has in it, each word as often as it comes."""
        if self.built_in:
            return Analysis(self.language).words(row.name if self.name == "name" else row.content)
        held = row.properties.get(self.name)
        values = [str(value) for value in held.values] if held else []
        if self.language:
            return Analysis(self.language).words("\n".join(values))
        return [folded(value) for value in values]


class Words:
    """The words of one query, and the fields in which they are looked for."""

    def __init__(
        self, query: query_pb2.Query, path: str, graph: Graph, binding: Binding, checks: Checks
    ) -> None:
        self._graph = graph
        checks.need(not query.text_fields or query.text != "", f"{path}.text_fields")
        checks.need(not query.max_edits or query.text != "", f"{path}.max_edits")
        self._edits = checks.number(f"{path}.max_edits", query.max_edits, low=0, high=2)
        texts = [one.name for one in graph.settings.fields if one.kind == TEXT]
        chosen: set[tuple[bool, str, int]] = set()
        if not query.text_fields:
            chosen = {(False, name, int(TEXT)) for name in texts if name not in _BUILT_IN}
            chosen |= {(True, name, int(TEXT)) for name in _BUILT_IN}
        for place, name in enumerate(query.text_fields):
            try:
                known = binding.known(name, f"{path}.text_fields[{place}]", False)
            except Refused as refused:
                checks.absorb(refused)
                continue
            built_in, property = name in NODE_BUILT_INS, property_named(name)
            if built_in:
                fine = name in _BUILT_IN
            else:
                fine = known.kind == KEYWORD or (known.kind == TEXT and property not in _BUILT_IN)
            checks.need(fine, f"{path}.text_fields[{place}]")
            if fine:
                chosen.add((built_in, property, int(TEXT) if built_in else known.kind))
        in_order = sorted(chosen, key=lambda one: (not one[0], one[0] and one[1] != "name", one[1]))
        self._fields = [self._field(*one) for one in in_order]
        self._asked: dict[str, list[str]] = {}
        for field in self._fields if query.text else ():
            words = [folded(query.text)]
            if field.language:
                words = asked_words(query.text, field.language) or []
            self._asked[field.language] = words
            checks.need(words != [], f"{path}.text")
        checks.need(len(query.text.encode()) <= MOST_BYTES, f"{path}.text")

    def _field(self, built_in: bool, name: str, kind: int) -> Field:
        settings = self._graph.settings
        own = next((one for one in settings.fields if not built_in and one.name == name), None)
        usual = 2.0 if built_in and name == "name" else 1.0
        weight = own.weight if own is not None and own.HasField("weight") else usual
        language = language_of(settings, "" if built_in else name) if kind == TEXT else ""
        return Field(name, built_in, weight, language)

    def scores(self, rows: Iterable[Row]) -> dict[str, float]:
        """The score of each of *rows* that has one of the words, by id; they are all rows of the call."""
        unindexed = unindexed_types(self._graph)
        counted = {
            row.id: {field: field.words(row) for field in self._fields}
            for row in rows
            if row.type not in unindexed
        }
        average: dict[Field, float] = {}
        for field in self._fields:
            lengths = [len(words[field]) for words in counted.values() if words[field]]
            average[field] = sum(lengths) / len(lengths) if lengths else 1.0
        scores: dict[str, float] = {}
        for word in dict.fromkeys(word for asked in self._in_order() for word in asked):
            amounts: dict[str, float] = {}
            for field in self._fields:
                if word not in self._asked[field.language]:
                    continue
                for row_id, words in counted.items():
                    count = sum(meets(word, held, self._edits) for held in words[field])
                    if count:
                        length = 1 - B + B * len(words[field]) / average[field]
                        share = field.weight * count / length
                        amounts[row_id] = amounts.get(row_id, 0.0) + share
            for row_id, amount in amounts.items():
                rare = (len(counted) - len(amounts) + 0.5) / (len(amounts) + 0.5)
                share = math.log(1 + rare) * amount / (K1 + amount)
                scores[row_id] = scores.get(row_id, 0.0) + share
        return scores

    def excerpt(self, content: str, most: int) -> search_pb2.Excerpt | None:
        """The piece of a content that is longer than *most* characters, from the sentence with most of the words on."""
        start = self.thickest("content", content) if 0 < most < len(content) else None
        if start is None:
            return None
        end = end_of(content, start, most)
        return search_pb2.Excerpt(
            property="content",
            text=content[start:end],
            offset=start,
            end=end,
            total_chars=len(content),
            sha256=hashlib.sha256(content.encode()).hexdigest(),
        )

    def thickest(self, field: str, text: str) -> int | None:
        """Where the sentence of *text*, which is of *field*, begins that has most of the words; None where none has any."""
        languages = [
            one.language
            for one in self._fields
            if one.language and one.name == field and one.built_in == (field in _BUILT_IN)
        ]
        if not languages:
            return None
        asked = self._asked[languages[0]]
        analysis = Analysis(languages[0])
        starts = [0]
        for at in range(1, len(text)):
            if _begins_sentence(text, at):
                starts.append(at)
        ends = [*starts[1:], len(text)]
        found: list[tuple[int, int]] = []
        for start, end in zip(starts, ends, strict=True):
            held = analysis.words(text[start:end])
            met = [word for word in asked if any(meets(word, one, self._edits) for one in held)]
            found.append((len(met), start))
        best = max(count for count, _ in found)
        return next(start for count, start in found if count == best) if best else None

    def shared(self, row: Row) -> int:
        """How many of the words a row has, in whichever field."""
        if row.type in unindexed_types(self._graph):
            return 0
        had: set[str] = set()
        for field in self._fields:
            held = field.words(row)
            asked = self._asked[field.language]
            had |= {word for word in asked if any(meets(word, one, self._edits) for one in held)}
        return len(had)

    def _in_order(self) -> Sequence[list[str]]:
        return [self._asked[field.language] for field in self._fields]


def end_of(text: str, start: int, most: int) -> int:
    """Where a piece of at most *most* characters ends: at white space, if there is some near the end."""
    end = min(start + most, len(text))
    if end == len(text) or text[end].isspace():
        return end
    spaces = [at for at in range(start + most // 2 + 1, end) if text[at].isspace()]
    return spaces[-1] if spaces else end


def _begins_sentence(text: str, at: int) -> bool:
    """Whether a sentence begins at *at*: after an end and white space, after an end in Chinese or Japanese, in a new line."""
    if text[at - 1] in "。！？":
        return True
    before = text[:at]
    gap = before[len(before.rstrip()) :]
    if not gap or text[at].isspace():
        return False
    return "\n" in gap or before.rstrip()[-1:] in tuple(".!?")


def unindexed_types(graph: Graph) -> set[str]:
    """The types whose rows no search finds."""
    return {
        kind.name
        for kind in graph.settings.ontology.node_types
        if kind.HasField("indexed") and not kind.indexed
    }
