"""Keys of edges: what is this edge, and where does it stand in the stored order?

A key is an int32, and ascending keys are the stored order over all edges: links of nodes, edge documents, links of spans
(PART_OF, MENTIONS), edges that a walk makes. An edge keeps its key as long as rows and places of links stay.

    link of a node at position p of the links    p - 2**31
    edge document at row d                       d
    link of a span at position p of the links    p + 2**29
    edge made by a walk                          2**30 and up
"""

import numpy as np
from numpy.typing import NDArray

MADE = 1 << 30
"""The key of the first edge that a walk makes."""

_OF_SPANS = 1 << 29
_OF_NODES = -(1 << 31)
_PLACE = _OF_SPANS - 1  # the bits of a row of documents, or of a position

Keys = NDArray[np.integer]


def are_docs(keys: Keys) -> NDArray[np.bool_]:
    """Which of *keys* are edge documents: such a key is its row."""
    docs: NDArray[np.bool_] = (keys >= 0) & (keys < _OF_SPANS)
    return docs


def link_positions(keys: Keys) -> NDArray[np.int32]:
    """Where the links with these *keys* stand among the links."""
    positions: NDArray[np.int32] = keys.astype(np.int32, copy=False) & np.int32(_PLACE)
    return positions


def link_keys(positions: NDArray[np.integer], of_spans: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The keys of the links at *positions*: those of spans, and those of nodes."""
    first = np.where(of_spans, _OF_SPANS, _OF_NODES)
    return (positions + first).astype(np.int32)


def are_known(keys: Keys, *, docs: int, links: int) -> NDArray[np.bool_]:
    """Which of *keys* are edges of a version of so many rows of documents and so many links."""
    wide = keys.astype(np.int64, copy=False)
    of_node, of_span = wide - _OF_NODES, wide - _OF_SPANS
    return (
        ((wide >= 0) & (wide < min(docs, _OF_SPANS)))
        | (of_node < min(links, _OF_SPANS))
        | ((of_span >= 0) & (of_span < min(links, _OF_SPANS)))
    )
