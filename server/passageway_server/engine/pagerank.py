"""Ranks what a walk reached by a random walk with restart, over the edges that it traversed."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels import pagerank as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.engine.ranking import first_of
from passageway_server.engine.walked import Walked
from passageway_server.values.answers import PageRankRun
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

_gather, _spread = direct(kernel.gather), direct(kernel.spread)


@dataclass(frozen=True, slots=True)
class PageRankPlan:
    """``alpha`` is the chance to walk on; ``reset_field`` scales the restart weights, "" does not."""

    alpha: float = 0.5
    iterations: int = 50
    tolerance: float = 1e-6
    undirected: bool = True
    reset_field: str = ""


def page_rank(
    version: Version, plan: PageRankPlan, walked: Walked, *, halt: Halt
) -> tuple[Walked, PageRankRun]:
    """*walked* with the scores that *plan* gives it, which sum to 1, and how that went.

    Once its time is spent, the scores are those of the last whole pass. Raises DeadlineExceeded and
    Cancelled where *halt* says so.
    """
    count = len(walked)
    if not count:
        return walked, PageRankRun(0, True)
    places = np.arange(count, dtype=np.int32)
    order = first_of(
        walked.scores, walked.hops, walked.rows, version.rank, places, count, halt=halt
    )
    edges, stop = walked.traversed, sealed(halt.flag)
    entries = len(edges) * (2 if plan.undirected else 1)
    flows = kernel.Flows.room(count, entries)
    restart = _restart(version, plan, walked, order)
    scores, passes, converged = restart.copy(), 0, False
    if _gather(
        sealed(order),
        sealed(edges.sources),
        sealed(edges.targets),
        sealed(edges.weights),
        plan.undirected,
        stop,
        kernel.Ends.room(count, entries),
        flows,
    ):
        passes, converged = _spread(
            flows,
            sealed(restart),
            plan.alpha,
            plan.iterations,
            plan.tolerance,
            stop,
            np.empty(count, dtype=np.float64),
            np.empty(count, dtype=np.float64),
            scores,
        )
    halt.spent()
    by_place = np.empty(count, dtype=np.float64)
    by_place[order] = scores
    return replace(walked, scores=by_place), PageRankRun(passes, converged)


def _restart(
    version: Version, plan: PageRankPlan, walked: Walked, order: NDArray[np.int32]
) -> NDArray[np.float64]:
    """The chance to restart at each node, in the total order: by score, times the reset field."""
    nodes = np.flatnonzero(walked.hops[order] == 0)
    seeds = order[nodes]
    with np.errstate(over="ignore", invalid="ignore"):
        values = walked.scores[seeds] * _resets(version, plan.reset_field, walked.rows[seeds])
    values[np.isnan(values)] = 0.0  # an endless score times 0
    if np.isinf(values).any():
        values = np.isinf(values).astype(np.float64)
    most = values.max()
    values = values / most if most else np.ones(len(values), dtype=np.float64)
    restart = np.zeros(len(order), dtype=np.float64)
    restart[nodes] = values / np.cumsum(values)[-1]  # one by one, in their order
    return restart


def _resets(version: Version, name: str, rows: NDArray[np.int32]) -> NDArray[np.float64]:
    """What the number field *name* of each row counts: 1 where it has no single value, and no less
    than 0.
    """
    resets = np.ones(len(rows), dtype=np.float64)
    column = version.nodes.properties.get(name) if name else None
    if column is None or column.kind not in (Kind.INT, Kind.FLOAT):
        return resets
    entries = column.at[rows]
    held = np.flatnonzero(entries >= 0)
    held = held[column.many[entries[held]] == 0]
    first = column.bounds[entries[held]]
    bits = column.values[first].astype(np.int64, copy=False)
    numbers = bits.astype(np.float64)
    if len(column.floats):
        numbers = np.where(column.floats[first] == 1, bits.view(np.float64), numbers)
    resets[held] = np.where(numbers > 0.0, numbers, 0.0)
    return resets
