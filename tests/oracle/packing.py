"""In which order a Context takes what it can, and whether it fits: the answer is written, and its bytes are counted."""

import copy
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from passageway import ContextResponse
from passageway.v1 import search_pb2
from tests.oracle.context_text import SHORT, text_of_answer
from tests.oracle.graph import Arc, Graph, Numbers, Row
from tests.oracle.refusals import Refused
from tests.oracle.revisions import revision
from tests.oracle.shown import cited_fields
from tests.oracle.surroundings import Surroundings
from tests.oracle.words import Words, end_of

MOST_BUDGET, LEAST_EXCERPT = 32_768, 40
TEN_DIGITS = 4_000_000_000
TOKEN = "0" * 32
"""As wide as the token of any version."""

TEXTS = ("content", "summary", "description")
BOOK_KEEPING = re.compile(
    r"(created|updated|modified|accessed|last_[a-z]+)(_at)?|(.+_)?(count|counter)"
)


class Seed(NamedTuple):
    id: str
    score: float
    matched: list[str]


class Budget(NamedTuple):
    tokens: int
    text_alone: bool
    reserve: int


class Value(NamedTuple):
    """What a row has beside its id and its type; ``property`` says that the name is that of a property."""

    name: str
    property: bool


class Choice:
    """What is taken so far."""

    def __init__(self) -> None:
        self.seeds: list[Seed] = []
        self.values: dict[str, set[Value]] = {}
        self.arcs: dict[Arc, set[str]] = {}
        self.excerpts: dict[str, search_pb2.Excerpt] = {}
        self.unknown = self.hits = 0

    def copy(self) -> "Choice":
        other = copy.copy(self)
        other.seeds = list(self.seeds)
        other.values = {row_id: set(values) for row_id, values in self.values.items()}
        other.arcs = {arc: set(names) for arc, names in self.arcs.items()}
        other.excerpts = dict(self.excerpts)
        return other


def _add_seed(seed: Seed, identity: Iterable[Value], choice: Choice) -> None:
    choice.seeds.append(seed)
    choice.values[seed.id] = set(identity)


def _add_neighbor(row_id: str, identity: Iterable[Value], arc: Arc, choice: Choice) -> None:
    choice.values[row_id] = set(identity)
    choice.arcs[arc] = set()


def _add_arc(arc: Arc, choice: Choice) -> None:
    choice.arcs[arc] = set()


def _add_value(row_id: str, value: Value, choice: Choice) -> None:
    choice.values[row_id].add(value)


def _add_property(arc: Arc, name: str, choice: Choice) -> None:
    choice.arcs[arc].add(name)


def _add_excerpt(piece: search_pb2.Excerpt, choice: Choice) -> None:
    choice.excerpts[piece.id] = piece


def _add_unknown(choice: Choice) -> None:
    choice.unknown += 1


def _add_hits(choice: Choice) -> None:
    choice.hits += 1


class Packing:
    def __init__(
        self,
        graph: Graph,
        seeds: Sequence[Seed],
        near: Surroundings,
        told: search_pb2.SearchResponse,
        budget: Budget,
        words: Words | None,
        blank: search_pb2.ContextResponse,
    ) -> None:
        self._graph, self._seeds, self._near = graph, seeds, near
        self._told, self._budget, self._words, self._blank = told, budget, words, blank
        self._cited = cited_fields(graph)
        self._rows = {row_id: graph.rows[row_id] for row_id in near.distances}
        self._taken = Choice()

    def answer(self) -> search_pb2.ContextResponse:
        """The fullest answer within the budget."""
        if not self._take_everything():
            self._take_best()
        for _ in self._told.unknown_types:
            if not self._take(_add_unknown):
                break
        for _ in self._told.type_hits:
            if not self._take(_add_hits):
                break
        written = self._written(self._taken)
        written.ClearField("version")
        written.ClearField("took_us")
        return written

    def _take_everything(self) -> bool:
        choice = Choice()
        choice.seeds = list(self._seeds)
        for row_id in [*(seed.id for seed in self._seeds), *self._neighbors()]:
            choice.values[row_id] = {*self._identity(row_id), *self._values(row_id)}
        for arc in self._near.arcs:
            choice.arcs[arc] = set(_plain_properties(arc))
        if not self._fits(choice):
            return False
        self._taken = choice
        return True

    def _take_best(self) -> None:
        for seed in self._seeds:
            if not self._take(partial(_add_seed, seed, self._identity(seed.id))):
                break
        if not self._taken.seeds and (self._seeds or not self._fits(Choice())):
            raise Refused("INVALID_ARGUMENT", ["token_budget"])
        seeds = [seed.id for seed in self._taken.seeds]
        self._take_arcs(arc for arc in self._near.arcs if {arc.source, arc.target} <= {*seeds})
        self._take_values(seeds, list(self._taken.arcs))
        self._take_excerpts(seeds)
        self._take_neighbors()
        for row_id in list(self._taken.values):
            for value in self._values(row_id):
                if self._is_book_keeping(value):
                    self._take_value(row_id, value)

    def _take_arcs(self, arcs: Iterable[Arc]) -> None:
        for arc in arcs:
            if not self._take(partial(_add_arc, arc)):
                return

    def _take_values(self, row_ids: Sequence[str], arcs: Sequence[Arc]) -> None:
        """By priority, of each row in turn: revisions, first texts, citations, the others; then what the edges have."""
        for row_id in row_ids:
            self._take_value(row_id, Value("revision", False))
        for row_id in row_ids:
            first = self._first_text(row_id)
            if first is not None:
                self._take_value(row_id, first)
        groups: list[Callable[[str, Value], bool]] = [
            lambda _, value: self._is_citation(value),
            lambda _, value: value == Value("content", False),
            lambda _, value: self._is(value, "summary"),
            lambda _, value: self._is(value, "description"),
            lambda _, value: value == Value("name", False),
            lambda _, value: not self._is_book_keeping(value),
        ]
        for is_next in groups:
            for row_id in row_ids:
                for value in self._values(row_id):
                    if is_next(row_id, value):
                        self._take_value(row_id, value)
        for arc in arcs:
            for name in _plain_properties(arc):
                self._take(partial(_add_property, arc, name))

    def _take_value(self, row_id: str, value: Value) -> None:
        if value not in self._taken.values[row_id]:
            self._take(partial(_add_value, row_id, value))

    def _take_excerpts(self, seeds: Sequence[str]) -> None:
        cut = [
            row_id
            for row_id in seeds
            if (first := self._first_text(row_id)) and first not in self._taken.values[row_id]
        ]
        room = self._room()
        kept = room - room // 2 if len(self._rows) > len(seeds) else 0
        for turn, row_id in enumerate(cut):
            most = (self._room() - kept) // (len(cut) - turn)
            piece = self._excerpt(row_id, most)
            if piece is not None:
                self._take(partial(_add_excerpt, piece))

    def _excerpt(self, row_id: str, most: int) -> search_pb2.Excerpt | None:
        """The longest piece from the best sentence on, at most *most* bytes more of what is measured."""
        first = self._first_text(row_id)
        assert first is not None
        text = self._text(row_id, first)
        start = (self._words.thickest(first.name, text) if self._words else None) or 0

        def piece(end: int) -> search_pb2.Excerpt:
            return search_pb2.Excerpt(
                id=row_id,
                property=first.name,
                text=text[start:end],
                offset=start,
                end=end,
                total_chars=len(text),
                sha256=hashlib.sha256(text.encode()).hexdigest(),
            )

        before = self._bytes(self._taken, estimates=False)
        low, high = start, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            choice = self._taken.copy()
            choice.excerpts[row_id] = piece(middle)
            if self._bytes(choice, estimates=False) - before <= most:
                low = middle
            else:
                high = middle - 1
        end = end_of(text, start, low - start)
        if end == start or (end - start < LEAST_EXCERPT and end < len(text)):
            return None
        return piece(end)

    def _take_neighbors(self) -> None:
        for row_id in self._neighbors():
            arcs = [
                arc
                for arc in self._near.arcs
                if row_id in (arc.source, arc.target) and arc.other(row_id) in self._taken.values
            ]
            if not arcs:
                continue
            before = len(self._taken.arcs)
            if not self._take(partial(_add_neighbor, row_id, self._identity(row_id), arcs[0])):
                return
            self._take_arcs(arcs[1:])
            self._take_values([row_id], list(self._taken.arcs)[before:])

    def _neighbors(self) -> list[str]:
        seeds = {seed.id for seed in self._seeds}
        return sorted(
            self._near.distances.keys() - seeds,
            key=lambda row_id: (
                len(self._near.near(row_id) & seeds) < 2,
                self._near.distances[row_id],
                -(self._words.shared(self._rows[row_id]) if self._words else 0),
                row_id,
            ),
        )

    # What a row has, in the order in which it is taken.

    def _identity(self, row_id: str) -> list[Value]:
        row = self._rows[row_id]
        short = [Value(name, False) for name in ("name", "status") if _is_short(getattr(row, name))]
        source = row.properties.get(self._cited[0])
        if source and not source.many and _is_short(source.values[0]):
            short.append(Value(self._cited[0], True))
        return short

    def _values(self, row_id: str) -> list[Value]:
        """All but the identity, without those of one kind in another order than theirs."""
        row = self._rows[row_id]
        names = [name for name in sorted(row.properties) if not _is_vector(row, name)]
        cited = [name for name in self._cited if name in names]
        own = [
            Value(name, False)
            for name in ("content", "covered", "name", "project", "status")
            if getattr(row, name)
        ]
        own += [Value("revision", False)]
        if row.span is not None:
            own.append(Value("span", False))
        first = [
            *(Value(name, True) for name in cited),
            Value("status", False),
            Value("expires_at", True),
            Value("span", False),
        ]
        every = [*own, *(Value(name, True) for name in names)]
        rest = sorted(value for value in every if value not in first)
        ordered = [value for value in dict.fromkeys(first) if value in every] + rest
        return [value for value in ordered if value not in self._identity(row_id)]

    def _is_citation(self, value: Value) -> bool:
        if value.property:
            return value.name in (*self._cited, "expires_at")
        return value.name in ("status", "span")

    def _is(self, value: Value, name: str) -> bool:
        return value == Value(name, True) and not self._is_citation(value)

    def _is_book_keeping(self, value: Value) -> bool:
        if not value.property:
            return value.name in ("project", "covered")
        return bool(BOOK_KEEPING.fullmatch(value.name)) and not self._is_citation(value)

    def _first_text(self, row_id: str) -> Value | None:
        for value in (Value("content", False), Value("summary", True), Value("description", True)):
            if self._text(row_id, value):
                return value
        return None

    def _text(self, row_id: str, value: Value) -> str:
        row = self._rows[row_id]
        if not value.property:
            return row.content
        held = row.properties.get(value.name)
        single = held is not None and not held.many and isinstance(held.values[0], str)
        return str(held.values[0]) if held is not None and single else ""

    # What an answer is, and how much of it.

    def _take(self, add: Callable[[Choice], None]) -> bool:
        choice = self._taken.copy()
        add(choice)
        if not self._fits(choice):
            return False
        self._taken = choice
        return True

    def _fits(self, choice: Choice) -> bool:
        return self._bytes(choice) + self._budget.reserve <= 4 * self._budget.tokens

    def _room(self) -> int:
        return 4 * self._budget.tokens - self._budget.reserve - self._bytes(self._taken)

    def _bytes(self, choice: Choice, *, estimates: bool = True) -> int:
        written = self._written(choice)
        if self._budget.text_alone:
            return len(written.context.encode())
        if not estimates:
            written.token_estimate = written.response_token_estimate = 0
        return size_of(written)

    def _written(self, choice: Choice) -> search_pb2.ContextResponse:
        answer = search_pb2.ContextResponse()
        answer.CopyFrom(self._blank)
        answer.version, answer.took_us = TOKEN, TEN_DIGITS
        for seed in choice.seeds:
            hit = answer.seeds.add(score=seed.score, matched=seed.matched)
            hit.node.id = seed.id
        for row_id, values in choice.values.items():
            self._write_node(answer, self._rows[row_id], values)
        for arc in self._near.arcs:
            if arc in choice.arcs:
                edge = answer.edges.add(
                    id=arc.id,
                    source=arc.source,
                    target=arc.target,
                    type=arc.type,
                    weight=arc.weight,
                )
                for name in choice.arcs[arc]:
                    edge.properties[name].CopyFrom(arc.stored_properties[name])
        answer.excerpts.extend(
            choice.excerpts[row_id] for row_id in choice.values if row_id in choice.excerpts
        )
        answer.omitted_nodes = len(self._rows) - len(choice.values)
        answer.omitted_edges = len(self._near.arcs) - len(choice.arcs)
        every = sum(len(self._identity(row) + self._values(row)) for row in self._rows)
        every += sum(len(_plain_properties(arc)) for arc in self._near.arcs)
        taken = sum(map(len, choice.values.values())) + sum(map(len, choice.arcs.values()))
        answer.omitted_properties = every - taken
        omitted = answer.omitted_nodes, answer.omitted_edges, answer.omitted_properties
        answer.truncated = any(omitted)
        told = self._told
        answer.type_hits.extend(told.type_hits[: choice.hits])
        answer.type_hits_omitted = told.type_hits_omitted + len(told.type_hits) - choice.hits
        answer.unknown_types.extend(told.unknown_types[: choice.unknown])
        answer.unknown_types_omitted = (
            told.unknown_types_omitted + len(told.unknown_types) - choice.unknown
        )
        answer.context = text_of_answer(ContextResponse.from_message(answer))
        answer.token_estimate = tokens(len(answer.context.encode()))
        while answer.response_token_estimate != tokens(size_of(answer)):
            answer.response_token_estimate = tokens(size_of(answer))
        return answer

    def _write_node(
        self, answer: search_pb2.ContextResponse, row: Row, values: Iterable[Value]
    ) -> None:
        node = answer.nodes.add(id=row.id, type=row.type)
        for name, is_property in values:
            if is_property:
                node.properties[name].CopyFrom(row.stored_properties[name])
            elif name == "revision":
                node.revision = revision(row)
            elif name == "span" and row.span is not None:
                node.span.CopyFrom(row.span)
            else:
                setattr(node, name, getattr(row, name))


def size_of(answer: search_pb2.ContextResponse) -> int:
    """The bytes of an answer as compact JSON."""
    plain = ContextResponse.from_message(answer).to_dict()
    return len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())


def tokens(size: int) -> int:
    return -(-size // 4)


def _plain_properties(arc: Arc) -> list[str]:
    return [name for name in sorted(arc.properties) if not _is_vector(arc, name)]


def _is_vector(holder: Row | Arc, name: str) -> bool:
    return isinstance(holder.properties[name].values[0], Numbers)


def _is_short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.encode()) <= SHORT
