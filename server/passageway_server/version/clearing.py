"""What a deletion takes along: the spans of a row, and the edge documents at it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import among, united
from passageway_server.columns.nodes import SPAN
from passageway_server.version.around import Around
from passageway_server.version.table import Table

Rows = NDArray[np.int32]


class Clearing:
    """Deletes rows and edge documents of two tables, which began as the version *around* is of."""

    def __init__(self, nodes: Table, docs: Table, around: Around) -> None:
        self._nodes = nodes
        self._docs = docs
        self._around = around

    def delete_docs(self, docs: Rows) -> None:
        """Delete the edge documents *docs*."""
        if len(docs):
            self._docs.clear(docs)

    def delete_rows(self, rows: Rows) -> None:
        """Delete what stands at *rows*: with their links, the edge documents at them, and their spans."""
        if len(rows):
            doomed = self._with_their_spans(rows)
            self._clear(doomed, struck=doomed)

    def recut(self, parents: Sequence[str], again: set[str]) -> None:
        """Delete the spans of *parents*; edge documents stay at those whose id is in *again*."""
        rows = self._nodes.found(parents)
        spans = self._spans_of(united(rows[rows >= 0]))
        if len(spans):
            ids = self._nodes.ids.take(spans)
            stay = np.array([identifier in again for identifier in ids], dtype=np.bool_)
            doomed = self._with_their_spans(spans)
            self._clear(doomed, struck=doomed[~among(doomed, spans[stay])])

    def docs_at(self, rows: Rows) -> Rows:
        """The edge documents that have one of *rows* as an end."""
        rows = united(rows)
        docs = united(self._around.docs_at(rows), self._docs.touched)
        docs = docs[self._docs.stand(docs)]
        ends = (self._docs.read(end, docs) for end in ("source", "target"))
        at: Rows = docs[np.logical_or(*(among(end, rows) for end in ends))]
        return at

    def _spans_of(self, rows: Rows) -> Rows:
        """The spans of *rows*, which ascend."""
        spans = united(self._around.spans_of(rows), self._nodes.touched)
        spans = spans[self._nodes.read("kind", spans) == SPAN]
        of_rows: Rows = spans[among(self._nodes.read("parent", spans), rows)]
        return of_rows

    def _with_their_spans(self, rows: Rows) -> Rows:
        """*rows*, the spans of each, the (dangling) spans of such a span, …: each once, ascending."""
        doomed = latest = united(rows)
        while len(latest):
            spans = self._spans_of(latest)
            latest = spans[~among(spans, doomed)]
            doomed = united(doomed, latest)
        return doomed

    def _clear(self, doomed: Rows, *, struck: Rows) -> None:
        """Clear the rows *doomed*, and delete the edge documents at those *struck*."""
        self._nodes.clear(doomed)
        self.delete_docs(self.docs_at(struck))
