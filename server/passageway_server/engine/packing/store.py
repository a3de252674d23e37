"""The cards of what may be packed, made when they are first asked for, and how many values there are in all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import lengths_of
from passageway_server.columns.gates import Gate
from passageway_server.columns.nodes import SPAN
from passageway_server.columns.properties import Column
from passageway_server.columns.stored import are_docs
from passageway_server.engine.neighborhood import Neighborhood
from passageway_server.engine.packing.cards import (
    MOST_BYTES,
    SHORT,
    Card,
    EdgeCard,
    card_of,
    edge_card_of,
)
from passageway_server.engine.packing.written import Size
from passageway_server.engine.rows import edge_rows, node_rows
from passageway_server.engine.selection import REVISION, Selection
from passageway_server.errors import LimitExceeded
from passageway_server.values.answers import NodeRow
from passageway_server.values.collections import Kind
from passageway_server.values.context import Omitted
from passageway_server.version.revisions import LENGTH as REVISION_LENGTH
from passageway_server.version.version import Version

_BUILT_INS = frozenset({"name", "content", "status", "project", "covered", REVISION})


class Cards:
    """Those of *around*; *read* decides on the fields shown."""

    def __init__(self, version: Version, around: Neighborhood, read: Gate) -> None:
        self._version, self._around, self._read = version, around, read
        self._nodes: dict[int, Card] = {}
        self._edges: dict[int, EdgeCard] = {}
        names = [name for name, _ in _shown(version.nodes.properties, read)]
        self._of_nodes = Selection(False, _BUILT_INS, tuple(names))
        # A content that never fits is not made into a text for each row that has one: many may be large.
        self._without_content = replace(self._of_nodes, builtins=_BUILT_INS - {"content"})
        of_edges = [name for name, _ in _shown(version.docs.properties, read)]
        self._of_edges = Selection(False, frozenset(), tuple(of_edges))

    def node(self, place: int) -> Card:
        """The card of the row at *place*, which was fetched."""
        return self._nodes[place]

    def edge(self, index: int) -> EdgeCard:
        """The card of an edge, which was fetched."""
        return self._edges[index]

    def fetch(self, places: Iterable[int]) -> None:
        """Make the cards of the rows at *places*. Raises DeadlineExceeded, Cancelled."""
        version, cited = self._version, self._version.settings.cited
        missing = [place for place in places if place not in self._nodes]
        if not missing:
            return
        contents = version.nodes.content[self._around.rows[missing]]
        long = lengths_of(version.texts, contents) > MOST_BYTES
        for has_long in (False, True):
            some = [missing[i] for i in np.flatnonzero(long == has_long).tolist()]
            selection = self._without_content if has_long else self._of_nodes
            for place, row in zip(some, self._rows(some, selection), strict=True):
                self._nodes[place] = card_of(row, cited, has_long=has_long)

    def content(self, place: int) -> str:
        """The whole content of the row at *place*."""
        return self._version.texts[int(self._version.nodes.content[int(self._around.rows[place])])]

    def _rows(self, places: Sequence[int], selection: Selection) -> list[NodeRow]:
        try:
            return self._rows_at_once(places, selection)
        except LimitExceeded:  # each was put by itself, so it is not too large by itself
            return [row for place in places for row in self._rows_at_once([place], selection)]

    def _rows_at_once(self, places: Sequence[int], selection: Selection) -> list[NodeRow]:
        if not places:
            return []
        return node_rows(
            self._version,
            self._read,
            self._around.rows[places],
            selection=selection,
            max_chars=None,
            admin=False,
        )

    def fetch_edges(self, indices: Iterable[int]) -> None:
        """Make the cards of these edges, the cards of whose ends are made. Raises DeadlineExceeded, Cancelled."""
        missing = [index for index in indices if index not in self._edges]
        around = self._around
        rows = edge_rows(
            self._version,
            self._read,
            around.keys[missing],
            selection=self._of_edges,
            admin=False,
        )
        for index, row, target in zip(missing, rows, around.targets[missing].tolist(), strict=True):
            self._edges[index] = edge_card_of(row, self._nodes[target].name)

    def least(self) -> Size:
        """No more than all of it takes."""
        nodes, rows, around = self._version.nodes, self._around.rows, self._around
        texts = lengths_of(self._version.texts, nodes.content[rows]).sum()
        texts += lengths_of(self._version.texts, nodes.name[rows]).sum()
        texts += lengths_of(nodes.ids.strings, rows).sum() + REVISION_LENGTH * len(rows)
        ends = np.concatenate((rows[around.sources], rows[around.targets]))
        in_edges = lengths_of(nodes.ids.strings, ends).sum()
        in_lines = lengths_of(nodes.ids.strings, rows[around.targets]).sum()
        text = int(texts + in_lines)
        return Size(text + int(texts + in_edges), text)

    def least_of(self, place: int) -> Size:
        """No more bytes than the id and the name of a row take in its identity and in an edge to it."""
        nodes, rows = self._version.nodes, self._around.rows[[place]]
        id = int(lengths_of(nodes.ids.strings, rows)[0])
        name = int(lengths_of(self._version.texts, nodes.name[rows])[0])
        name = name if name <= SHORT else 0
        return Size(3 * id + 2 * name, id + name)

    def whole(self) -> Omitted:
        """How much there is in all."""
        version, rows, keys = self._version, self._around.rows, self._around.keys
        nodes = version.nodes
        spans = nodes.kind[rows] == SPAN
        origins = np.where(spans, nodes.parent[rows], rows)
        values = len(rows) + int(spans.sum())  # a revision each, and where a span stands
        for held in (
            lengths_of(version.texts, nodes.name[rows]),
            lengths_of(version.texts, nodes.content[rows]),
            nodes.status[rows],
            nodes.project[origins],
            nodes.covered[rows],
        ):
            values += int(np.count_nonzero(held))
        values += _held(rows, _shown(nodes.properties, self._read))
        values += _held(keys[are_docs(keys)], _shown(version.docs.properties, self._read))
        return Omitted(len(rows), len(keys), values)


def _shown(columns: Mapping[str, Column], read: Gate) -> list[tuple[str, Column]]:
    return [
        (name, column)
        for name, column in sorted(columns.items())
        if column.kind != Kind.VECTOR and name not in read.hidden
    ]


def _held(rows: NDArray[np.int32], columns: Iterable[tuple[str, Column]]) -> int:
    return sum(len(column.holding(rows).places) for _, column in columns)
