"""In which order a Context takes what it can, and whether it fits: the answer is written, and its bytes are counted."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from passageway.v1 import search_pb2
from tests.oracle.choice import (
    Budget,
    Choice,
    Seed,
    add_arc,
    add_excerpt,
    add_hits,
    add_neighbor,
    add_property,
    add_seed,
    add_unknown,
    add_value,
)
from tests.oracle.graph import Arc, Graph
from tests.oracle.refusals import Refused
from tests.oracle.surroundings import Surroundings
from tests.oracle.values_of_rows import RowValues, Value, plain_properties
from tests.oracle.words import Words, end_of
from tests.oracle.writing import Writing, size_of

LEAST_EXCERPT = 40


class Packing:
    """One answer in the making."""

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
        self._seeds, self._near = seeds, near
        self._told, self._budget, self._words = told, budget, words
        self._rows = {row_id: graph.rows[row_id] for row_id in near.distances}
        self._of_rows = RowValues(graph, self._rows)
        self._writing = Writing(self._rows, near, self._of_rows, told, blank)
        self._taken = Choice()
        self._kept = 0  # bytes that only the excerpt of the best seed may take

    def answer(self) -> search_pb2.ContextResponse:
        """The fullest answer within the budget."""
        if not self._take_everything():
            self._take_best()
        for _ in self._told.unknown_types:
            if not self._take(add_unknown):
                break
        for _ in self._told.type_hits:
            if not self._take(add_hits):
                break
        written = self._writing.written(self._taken)
        written.ClearField("version")
        written.ClearField("took_us")
        return written

    def _take_everything(self) -> bool:
        choice = Choice()
        choice.seeds = list(self._seeds)
        for row_id in [*(seed.id for seed in self._seeds), *self._neighbors()]:
            choice.values[row_id] = {*self._of_rows.identity(row_id), *self._of_rows.values(row_id)}
        for arc in self._near.arcs:
            choice.arcs[arc] = set(plain_properties(arc))
        if not self._fits(choice):
            return False
        self._taken = choice
        return True

    def _take_best(self) -> None:
        for seed in self._seeds:
            if not self._take(partial(add_seed, seed, self._of_rows.identity(seed.id))):
                break
        if not self._taken.seeds and (self._seeds or not self._fits(Choice())):
            raise Refused("INVALID_ARGUMENT", ["token_budget"])
        seeds = [seed.id for seed in self._taken.seeds]
        self._take_arcs(arc for arc in self._near.arcs if {arc.source, arc.target} <= {*seeds})
        self._take_values(seeds, list(self._taken.arcs))
        self._take_excerpts(seeds)
        self._take_neighbors()
        for row_id in list(self._taken.values):
            for value in self._of_rows.values(row_id):
                if self._of_rows.is_book_keeping(value):
                    self._take_value(row_id, value)

    def _take_arcs(self, arcs: Iterable[Arc]) -> None:
        for arc in arcs:
            if not self._take(partial(add_arc, arc)):
                return

    def _take_values(self, row_ids: Sequence[str], arcs: Sequence[Arc]) -> None:
        """By priority, of each row in turn: first texts, revisions, citations, the others; then what the edges have."""
        for row_id in row_ids:
            first = self._of_rows.first_text(row_id)
            if first is not None:
                self._take_value(row_id, first)
                if row_id == self._seeds[0].id and first not in self._taken.values[row_id]:
                    self._kept = self._room() // 2
        groups: list[Callable[[str, Value], bool]] = [
            lambda _, value: value == Value("revision", False),
            lambda _, value: self._of_rows.is_citation(value),
            lambda _, value: value == Value("content", False),
            lambda _, value: self._of_rows.is_text(value, "summary"),
            lambda _, value: self._of_rows.is_text(value, "description"),
            lambda _, value: value == Value("name", False),
            lambda _, value: not self._of_rows.is_book_keeping(value),
        ]
        for is_next in groups:
            for row_id in row_ids:
                for value in self._of_rows.values(row_id):
                    if is_next(row_id, value):
                        self._take_value(row_id, value)
        for arc in arcs:
            for name in plain_properties(arc):
                self._take(partial(add_property, arc, name))

    def _take_value(self, row_id: str, value: Value) -> None:
        if value not in self._taken.values[row_id]:
            self._take(partial(add_value, row_id, value))

    def _take_excerpts(self, seeds: Sequence[str]) -> None:
        cut = [
            row_id
            for row_id in seeds
            if (first := self._of_rows.first_text(row_id))
            and first not in self._taken.values[row_id]
        ]
        room = self._room()
        of_neighbors = room - room // 2 if len(self._rows) > len(seeds) else 0
        kept, self._kept = self._kept, 0
        for turn, row_id in enumerate(cut):
            left = self._room() - of_neighbors
            most = left // 2 if turn else max(left // 2, kept)
            piece = self._excerpt(row_id, left if turn == len(cut) - 1 else most)
            if piece is not None:
                self._take(partial(add_excerpt, piece))

    def _excerpt(self, row_id: str, most: int) -> search_pb2.Excerpt | None:
        """The longest piece from the best sentence on, at most *most* bytes more of what is measured."""
        first = self._of_rows.first_text(row_id)
        assert first is not None
        text = self._of_rows.text(row_id, first)
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

        before = self._bytes(self._taken)
        low, high = start, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            choice = self._taken.copy()
            choice.excerpts[row_id] = piece(middle)
            if self._bytes(choice) - before <= most:
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
            if not self._take(
                partial(add_neighbor, row_id, self._of_rows.identity(row_id), arcs[0])
            ):
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

    def _take(self, add: Callable[[Choice], None]) -> bool:
        choice = self._taken.copy()
        add(choice)
        if not self._fits(choice):
            return False
        self._taken = choice
        return True

    def _fits(self, choice: Choice) -> bool:
        taken = self._bytes(choice) + self._budget.reserve + self._kept
        return taken <= 4 * self._budget.tokens

    def _room(self) -> int:
        taken = self._bytes(self._taken) + self._budget.reserve + self._kept
        return 4 * self._budget.tokens - taken

    def _bytes(self, choice: Choice) -> int:
        written = self._writing.written(choice)
        if self._budget.text_alone:
            return len(written.context.encode())
        return size_of(written)
