"""The measures that a process of its own works out, as questions to it: what is sent, and what its answer means."""

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.strings import Strings
from passageway_server.engine.measures.arcs import Arcs
from passageway_server.engine.measures.graph import MeasuredGraph
from passageway_server.engine.measures.spawned import asked
from passageway_server.values.halt import Halt
from passageway_server.version.communities import Communities
from passageway_server.version.version import Version


def page_rank(
    graph: MeasuredGraph, *, alpha: float, halt: Halt
) -> Generator[float, None, NDArray[np.float64]]:
    """The PageRank of each row of *graph* along its steps: they sum to 1. On the way, the share that is done."""
    vertices = len(graph.rows)
    if not vertices:
        return np.empty(0, dtype=np.float64)
    question = {"measure": "pagerank", "vertices": vertices, "alpha": alpha}
    (scores,) = yield from asked(question, _sent(graph.arcs), halt=halt)
    return np.frombuffer(scores, dtype=np.float64)


def communities(
    version: Version,
    graph: MeasuredGraph,
    *,
    resolution: float,
    seed: int,
    readers: tuple[str, ...],
    halt: Halt,
) -> Generator[float, None, Communities]:
    """The communities of the rows of *graph* by Leiden's algorithm. On the way, the share that is done."""
    vertices = len(graph.rows)
    if not vertices:
        none = np.empty(0, dtype=np.int32)
        return Communities(none, [], Strings.of(), none.astype(np.uint64), readers)
    question: dict[str, Any] = {"measure": "communities", "vertices": vertices}
    question |= {"resolution": resolution, "seed": seed}
    sent = version.nodes.ids.strings.chosen(graph.rows)
    arrays = [*_sent(graph.arcs), sent.heap, sent.bounds]
    of, ids, edge_ids, edge_hashes = yield from asked(question, arrays, halt=halt)
    numbers = np.frombuffer(of, dtype=np.int32)
    count = int(numbers.max()) + 1
    return Communities(
        of=numbers,
        ids=_of_one_width(ids, count).take(range(count)),
        edge_ids=_of_one_width(edge_ids, vertices),
        edge_hashes=np.frombuffer(edge_hashes, dtype=np.uint64),
        readers=readers,
    )


def _sent(arcs: Arcs) -> list[NDArray[Any]]:
    return [arcs.sources, arcs.targets, arcs.weights]


def _of_one_width(content: bytes, count: int) -> Strings:
    """*count* strings that stand side by side and are of the same length."""
    lengths = np.full(count, len(content) // count, dtype=np.int64)
    return Strings.of().extended_by(np.frombuffer(content, dtype=np.uint8), lengths)
