"""Keys of edges say what the edge is, and ascend in the stored order."""

import numpy as np

from passageway_server.columns.stored import (
    MADE,
    are_docs,
    are_known,
    link_keys,
    link_positions,
)

POSITIONS = np.array([0, 5, (1 << 29) - 1])


def test_links_of_nodes_come_before_documents_and_those_before_links_of_spans() -> None:
    of_nodes = link_keys(POSITIONS, np.zeros(3, dtype=np.bool_))
    of_spans = link_keys(POSITIONS, np.ones(3, dtype=np.bool_))
    docs = POSITIONS.astype(np.int32)

    stored = np.concatenate((of_nodes, docs, of_spans))

    assert (np.diff(stored.astype(np.int64)) > 0).all()
    assert stored.max() < MADE
    assert are_docs(stored).tolist() == [False] * 3 + [True] * 3 + [False] * 3
    assert link_positions(of_nodes).tolist() == POSITIONS.tolist()
    assert link_positions(of_spans).tolist() == POSITIONS.tolist()


def test_keys_of_what_a_version_does_not_have_are_not_known() -> None:
    of_nodes = link_keys(np.array([1, 2]), np.zeros(2, dtype=np.bool_))
    of_spans = link_keys(np.array([1, 2]), np.ones(2, dtype=np.bool_))
    docs = np.array([3, 4], dtype=np.int32)

    known = are_known(np.concatenate((of_nodes, of_spans, docs, [MADE])), docs=4, links=2)

    assert known.tolist() == [True, False, True, False, True, False, False]
