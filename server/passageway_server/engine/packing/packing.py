"""In which order a context is packed, where not everything fits.

A seed or a neighbor that does not fit ends its kind, so that a larger budget drops none that a smaller one had; a value that does not
fit is passed over.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.excerpts import Wanted
from passageway_server.engine.lexical import shared_words
from passageway_server.engine.neighborhood import Neighborhood
from passageway_server.engine.packing.cards import Group
from passageway_server.engine.packing.excerpting import take_excerpts
from passageway_server.engine.packing.ledger import Budget, Change, Ledger
from passageway_server.engine.packing.packed import Packed
from passageway_server.engine.packing.refusing import check_budget
from passageway_server.engine.packing.store import Cards
from passageway_server.engine.packing.written import Size, in_json
from passageway_server.engine.searched import FieldPlan
from passageway_server.values.context import Measured, Seed, Told
from passageway_server.version.version import Version

_FIRST: Final = 2  # rows whose cards are made together, and more from part to part
_AT_ONCE: Final = 64
_NEIGHBOR: Final = Size(70, 16)  # what a row and the edge to it take at the least
_EDGE: Final = 10  # bytes that an edge takes at the least, in whatever is measured
_UNBOUNDED: Final = 1 << 50


def pack(
    version: Version,
    around: Neighborhood,
    seeds: Sequence[Seed],
    told: Told,
    budget: Budget,
    *,
    words: Sequence[FieldPlan],
    read: Gate,
) -> Packed:
    """The best of *around*, whose first rows are *seeds*, that fits into *budget*.

    Raises InvalidRequest where not even the first seed does, DeadlineExceeded, Cancelled.
    """
    packing = _Packing(version, around, seeds, told, budget, words, read)
    packed = packing.everything()
    if packed is None:
        packed = packing.best()
    _tell_types(packed.ledger, told)
    return packed


class _Packing:
    def __init__(
        self,
        version: Version,
        around: Neighborhood,
        seeds: Sequence[Seed],
        told: Told,
        budget: Budget,
        words: Sequence[FieldPlan],
        read: Gate,
    ) -> None:
        self._around, self._seeds, self._told, self._budget = around, seeds, told, budget
        self._words = words
        self._cards = Cards(version, around, read)
        self._whole = self._cards.whole()
        self._version, self._read = version, read

    @cached_property
    def _neighbors(self) -> list[int]:
        return in_order(self._version, self._around, len(self._seeds), self._words, self._read)

    def everything(self) -> Packed | None:
        """All that there is, where it fits."""
        around, limit = self._around, self._budget.bytes
        least = self._cards.least()
        if (least.text if self._budget.measure == Measured.TEXT else least.json) > limit:
            return None
        packed = self._packed(replace(self._budget, tokens=_UNBOUNDED))
        for places in _parts([*range(len(self._seeds)), *self._neighbors]):
            self._cards.fetch(places)
            for place in places:
                if place < len(self._seeds):
                    packed.seed(place, self._seeds[place])
                else:
                    packed.node(place)
                self._pieces(packed, [place])
            if packed.ledger.least > limit:
                return None
        self._cards.fetch_edges(range(len(around.keys)))
        for edge in range(len(around.keys)):
            packed.edge(edge)
        self._edge_pieces(packed, packed.edges)
        return packed if packed.ledger.bound(self._budget) else None

    def best(self) -> Packed:
        """What fits, best first."""
        packed = self._packed(self._budget)
        self._cards.fetch(range(len(self._seeds)))
        for place, seed in enumerate(self._seeds):
            if not packed.seed(place, seed):
                break
        if not packed.nodes:
            first = packed.change_of_seed(0, self._seeds[0]) if self._seeds else Change()
            needed = packed.ledger.tokens_with(first)
            needs = "the first row" if self._seeds else "the ids that were not found"
            check_budget(needed, self._budget.tokens, path="token_budget", needs=needs)
        seeds = list(packed.nodes)
        between = (self._around.sources < len(seeds)) & (self._around.targets < len(seeds))
        self._edges(packed, np.flatnonzero(between))
        self._values(packed, seeds, list(packed.edges))
        others = len(self._around.rows) > len(seeds)
        wanted = {
            field.name: Wanted.of(self._version, field, self._read.halt)
            for field in self._words
            if field.language
        }
        take_excerpts(packed, seeds, wanted, self._read.halt, sharing=others)
        self._take_neighbors(packed)
        for place in packed.nodes:
            self._pieces(packed, [place], Group.BOOK_KEEPING)
        return packed

    def _packed(self, budget: Budget) -> Packed:
        return Packed(self._cards, Ledger(self._told, self._whole, budget))

    def _edges(self, packed: Packed, edges: NDArray[np.integer]) -> None:
        """Those of *edges*, whose ends are packed, that fit, up to the first that does not."""
        some = edges[: self._budget.bytes // _EDGE + 1].tolist()
        for part in _parts(some):
            self._cards.fetch_edges(part)
            for edge in part:
                if not packed.edge(edge):
                    return

    def _values(self, packed: Packed, places: Sequence[int], edges: Sequence[int]) -> None:
        """What fits of the values of these rows and edges, by priority, but book-keeping."""
        for place in places:
            text = self._cards.node(place).first_text
            if text is not None and not packed.piece(place, text) and place == 0:
                packed.ledger.kept = packed.ledger.room // 2  # the best seed has an excerpt then
        for group in range(Group.REVISION, Group.BOOK_KEEPING):
            self._pieces(packed, places, Group(group))
        self._edge_pieces(packed, edges)

    def _pieces(self, packed: Packed, places: Iterable[int], group: Group | None = None) -> None:
        for place in places:
            for piece in self._cards.node(place).pieces:
                if group is None or piece.group == group:
                    packed.piece(place, piece)

    def _edge_pieces(self, packed: Packed, edges: Iterable[int]) -> None:
        for edge in edges:
            for piece in self._cards.edge(edge).pieces:
                packed.edge_piece(edge, piece)

    def _take_neighbors(self, packed: Packed) -> None:
        """Rows that an edge connects with what is packed, each with its values, up to the first that does not fit."""
        around = self._around
        least = _NEIGHBOR.text if self._budget.measure == Measured.TEXT else _NEIGHBOR.json
        if len(around.rows) == len(self._seeds) or packed.ledger.room < least:
            return
        incident = _Incident(around)
        is_packed = np.zeros(len(around.rows), dtype=np.bool_)
        is_packed[list(packed.nodes)] = True
        for places in _parts(self._neighbors):
            if packed.ledger.room < least:
                return
            self._cards.fetch(places)
            near = is_packed.copy()
            near[places] = True
            edges = np.unique(np.concatenate([incident.edges(place, near) for place in places]))
            self._cards.fetch_edges(edges[: self._budget.bytes // _EDGE + 1].tolist())
            for place in places:
                edges = incident.edges(place, is_packed)
                if not len(edges):
                    continue
                self._cards.fetch_edges(edges[:1].tolist())
                before = len(packed.edges)
                if not packed.neighbor(place, int(edges[0])):
                    return
                is_packed[place] = True
                self._edges(packed, edges[1:])
                self._values(packed, [place], list(packed.edges)[before:])


class _Incident:
    """The edges at each node, in stored order."""

    def __init__(self, around: Neighborhood) -> None:
        ends = np.concatenate((around.sources, around.targets))
        others = np.concatenate((around.targets, around.sources))
        edges = np.tile(np.arange(len(around.keys)), 2)
        order = np.lexsort((edges, ends))
        self._edges, self._others = edges[order], others[order]
        self._bounds = ends[order].searchsorted(np.arange(len(around.rows) + 1))

    def edges(self, place: int, among: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The edges between the node at *place* and those marked in *among*."""
        at = slice(self._bounds[place], self._bounds[place + 1])
        found: NDArray[np.int64] = self._edges[at][among[self._others[at]]]
        return found


def in_order(
    version: Version,
    around: Neighborhood,
    seeds: int,
    words: Sequence[FieldPlan],
    read: Gate,
) -> list[int]:
    """The places of the rows that are no seeds: those with edges to two seeds first, then by distance, by how many of
    *words* they have, and by id.
    """
    places = np.arange(seeds, len(around.rows))
    rows = around.rows[seeds:]
    ends = np.concatenate((around.sources, around.targets))
    others = np.concatenate((around.targets, around.sources))
    to_seed = (others < seeds) & (ends >= seeds)
    pairs = np.unique(ends[to_seed] * seeds + others[to_seed])
    connected = np.bincount(pairs // max(seeds, 1), minlength=len(around.rows))[seeds:]
    shared = shared_words(version, words, rows, read)
    order = np.lexsort((version.rank[rows], -shared, around.distances[seeds:], connected < 2))
    ordered: list[int] = places[order].tolist()
    return ordered


def _tell_types(ledger: Ledger, told: Told) -> None:
    """Tell the types asked for that there are none of, and then how many were found by type, as far as there is room."""
    for name in told.unknown_types.told:
        if not ledger.take(Change(in_json(name), unknown_types=1)):
            break
    for one in told.type_hits:
        type_ = {"type": one.type} if one.type else {}
        if not ledger.take(Change(in_json({**type_, "count": one.rows}), type_hits=1)):
            break


def _parts(places: Sequence[int]) -> Iterator[Sequence[int]]:
    """*places*, few at a time at first: mostly not many of them fit."""
    start, size = 0, _FIRST
    while start < len(places):
        yield places[start : start + size]
        start, size = start + size, min(2 * size, _AT_ONCE)
