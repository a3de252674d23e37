"""Rows by their words: BM25F over the rows of a call, as it is written down."""

import hashlib
import math
from collections.abc import Iterable, Sequence

from passageway.v1 import query_pb2, search_pb2, types_pb2
from passageway_server.columns.words.analysis import Analysis
from tests.oracle.filters import Binding
from tests.oracle.graph import Graph, Row
from tests.oracle.refusals import Checks, Refused

K1, B = 1.2, 0.75
MOST_BYTES = 65_536


class Words:
    """The words of one query, and the fields in which they are looked for."""

    def __init__(
        self, query: query_pb2.Query, path: str, graph: Graph, binding: Binding, checks: Checks
    ) -> None:
        self._graph = graph
        declared = {field.name: field for field in graph.settings.fields}
        texts = {name for name, one in declared.items() if one.kind == types_pb2.FIELD_KIND_TEXT}
        chosen = set(query.text_fields) or {"name", "content", *texts}
        checks.need(not query.text_fields or query.text != "", f"{path}.text_fields")
        for place, name in enumerate(query.text_fields):
            try:
                binding.known(name, f"{path}.text_fields[{place}]", False)
                checks.need(name in {"name", "content", *texts}, f"{path}.text_fields[{place}]")
            except Refused as refused:
                checks.absorb(refused)
        usual = graph.settings.language or "english"
        self._fields = [
            (name, 2.0 if name == "name" else 1.0, usual)
            for name in ("name", "content")
            if name in chosen
        ] + [
            (
                name,
                declared[name].weight if declared[name].HasField("weight") else 1.0,
                declared[name].language or usual,
            )
            for name in sorted(texts & chosen - {"name", "content"})
        ]
        self._asked = {
            language: list(dict.fromkeys(Analysis(language).words(query.text)))
            for _, _, language in self._fields
        }
        small = len(query.text.encode()) <= MOST_BYTES
        some = any(self._asked.values()) or not self._fields
        checks.need(query.text == "" or (small and some), f"{path}.text")

    def scores(self, rows: Iterable[Row]) -> dict[str, float]:
        """The score of each of *rows* that has one of the words, by id; they are all rows of the call."""
        unindexed = self._unindexed()
        counted = {
            row.id: {
                name: Analysis(language).words(text_of(row, name))
                for name, _, language in self._fields
            }
            for row in rows
            if row.type not in unindexed
        }
        average: dict[str, float] = {}
        for name, _, _ in self._fields:
            lengths = [len(words[name]) for words in counted.values() if words[name]]
            average[name] = sum(lengths) / len(lengths) if lengths else 1.0
        scores: dict[str, float] = {}
        for word in dict.fromkeys(word for asked in self._in_order() for word in asked):
            amounts: dict[str, float] = {}
            for name, weight, language in self._fields:
                for row_id, words in counted.items() if word in self._asked[language] else ():
                    count = words[name].count(word)
                    if count:
                        length = 1 - B + B * len(words[name]) / average[name]
                        amounts[row_id] = amounts.get(row_id, 0.0) + weight * count / length
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
        languages = [language for name, _, language in self._fields if name == field]
        if not languages:
            return None
        asked = set(self._asked[languages[0]])
        analysis = Analysis(languages[0])
        starts = [0]
        for at in range(1, len(text)):
            if _begins_sentence(text, at):
                starts.append(at)
        ends = [*starts[1:], len(text)]
        found = [
            (len(asked & set(analysis.words(text[start:end]))), start)
            for start, end in zip(starts, ends, strict=True)
        ]
        best = max(count for count, _ in found)
        return next(start for count, start in found if count == best) if best else None

    def shared(self, row: Row) -> int:
        """How many of the words a row has, in whichever field."""
        if row.type in self._unindexed():
            return 0
        had: set[str] = set()
        for name, _, language in self._fields:
            had |= {*self._asked[language]} & {*Analysis(language).words(text_of(row, name))}
        return len(had)

    def _unindexed(self) -> set[str]:
        kinds = self._graph.settings.ontology.node_types
        return {kind.name for kind in kinds if kind.HasField("indexed") and not kind.indexed}

    def _in_order(self) -> Sequence[list[str]]:
        return [self._asked[language] for _, _, language in self._fields]


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


def text_of(row: Row, name: str) -> str:
    """The text of a row in one field; several as one."""
    if name in ("name", "content"):
        return row.name if name == "name" else row.content
    held = row.properties.get(name)
    return "\n".join(str(value) for value in held.values) if held else ""
