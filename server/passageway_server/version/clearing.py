"""What a deletion takes along: the spans of a row, and the edge documents at it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.nodes import SPAN
from passageway_server.version.table import Table

Rows = NDArray[np.int32]


class Clearing:
    """Deletes rows and edge documents of two tables."""

    def __init__(self, nodes: Table, docs: Table) -> None:
        self._nodes = nodes
        self._docs = docs

    def delete_docs(self, docs: Rows) -> None:
        """Delete the edge documents *docs*."""
        if len(docs):
            self._docs.clear(docs)

    def delete_rows(self, rows: Rows) -> None:
        """Delete what stands at *rows*: with their links, the edge documents at them, and their spans."""
        if len(rows):
            self._clear(self._with_their_spans(rows))

    def recut(self, parents: Sequence[str], again: set[str]) -> None:
        """Delete the spans of *parents*; edge documents stay at those whose id is in *again*."""
        rows = self._nodes.found(parents)
        kind, parent = self._nodes.array("kind"), self._nodes.array("parent")
        spans = np.flatnonzero((kind == SPAN) & np.isin(parent, rows[rows >= 0]))
        ids = self._nodes.ids.take(spans)
        stay = np.array([identifier in again for identifier in ids], dtype=np.bool_)
        self._clear(self._with_their_spans(spans), keep_docs_at=spans[stay])

    def _with_their_spans(self, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """By row: whether it is one of *rows*, a span of one, a (dangling) span of such a span, …"""
        kind, parent = self._nodes.array("kind"), self._nodes.array("parent")
        doomed = np.zeros(len(self._nodes), dtype=np.bool_)
        doomed[rows] = True
        spans = np.flatnonzero((kind == SPAN) & (parent >= 0))
        while True:
            more = spans[doomed[parent[spans]] & ~doomed[spans]]
            if not len(more):
                return doomed
            doomed[more] = True

    def _clear(
        self, doomed: NDArray[np.bool_], *, keep_docs_at: NDArray[np.integer] | None = None
    ) -> None:
        self._nodes.clear(np.flatnonzero(doomed).astype(np.int32))
        struck = doomed
        if keep_docs_at is not None:
            struck = doomed.copy()
            struck[keep_docs_at] = False
        at = struck[self._docs.array("source")] | struck[self._docs.array("target")]
        self.delete_docs(np.flatnonzero(self._docs.array("alive") & at).astype(np.int32))
