"""Analyze: a measure of the whole graph, worked out in a process of its own and written back in one commit."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import WRITER, Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.measures.asking import communities, page_rank
from passageway_server.engine.measures.graph import MeasuredGraph, measured_graph
from passageway_server.errors import LimitExceeded
from passageway_server.planner.analyze import AnalyzePlan, plan_analyze
from passageway_server.service.pin import usable
from passageway_server.values.answers import AnalyzeProgress
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.queries import ReadOptions
from passageway_server.values.requests import AnalyzeRequest, Measure
from passageway_server.version.collection import Collection
from passageway_server.version.communities import Communities
from passageway_server.version.measures import Measured
from passageway_server.version.store import Store
from passageway_server.version.version import Version

_GATHERED, _FOUND = 0.1, 0.9  # what is done once rows are gathered, and once the measure is found
_MOMENT = 0.2  # seconds

_Values: TypeAlias = NDArray[np.int64] | NDArray[np.float64] | Communities


def analyze(
    store: Store, caller: Caller, request: AnalyzeRequest, halt: Halt = UNHALTED
) -> Generator[AnalyzeProgress]:
    """Measure what the principals of *request* read, and write it back; how far it is, then the version.

    Nothing is written where *halt* stops it, or nobody takes what comes. Raises Forbidden, NotFound (collection),
    InvalidRequest, and LimitExceeded while another analysis of the collection runs.
    """
    caller.require(WRITER)
    collection = usable(store, caller.alone, request.collection, halt)
    version = collection.readable(halt)
    # As named, without what membership would add: whoever leaves a group would keep what was written for them.
    held = Caller.holding(request.as_principals)
    gate = gates(version, held, ReadOptions(), store.now(), halt).read
    plan = plan_analyze(request, version, gate)
    with _only_one(collection):
        yield AnalyzeProgress(0.0)
        graph = measured_graph(version, gate, plan.edges)
        yield AnalyzeProgress(_GATHERED)
        values = yield from _progress(_found(version, graph, plan, halt))
        yield AnalyzeProgress(_FOUND)
        written = collection.measure(Measured(plan.property, graph.rows, values), halt)
    yield AnalyzeProgress(1.0, *written)


@contextmanager
def _only_one(collection: Collection) -> Generator[None]:
    """Hold the place of the one analysis of *collection*; one that was given up leaves it within a moment."""
    if not collection.analyzing.acquire(timeout=_MOMENT):
        raise LimitExceeded(
            "MAX_ANALYSES",
            limit=1,
            parameter="analyses",
            advice="one of this collection is running; call again when it has ended",
        )
    try:
        yield
    finally:
        collection.analyzing.release()


def _found(
    version: Version, graph: MeasuredGraph, plan: AnalyzePlan, halt: Halt
) -> Generator[float, None, _Values]:
    """What is written of each row of *graph*. Degrees are counted here: to ask for them would take longer."""
    match plan.measure:
        case Measure.PAGERANK:
            return (yield from page_rank(graph, alpha=plan.alpha, halt=halt))
        case Measure.COMMUNITIES:
            return (
                yield from communities(
                    version,
                    graph,
                    resolution=plan.resolution,
                    seed=plan.seed,
                    readers=plan.readers,
                    halt=halt,
                )
            )
        case _:
            return graph.arcs.degrees(len(graph.rows))


def _progress(
    shares: Generator[float, None, _Values],
) -> Generator[AnalyzeProgress, None, _Values]:
    """Shares of the longest part as shares of the whole."""
    try:
        while True:
            yield AnalyzeProgress(_GATHERED + (_FOUND - _GATHERED) * next(shares))
    except StopIteration as end:
        return cast(_Values, end.value)
    finally:
        shares.close()
