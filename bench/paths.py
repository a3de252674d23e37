"""How long do three best paths take on the Debian graph, beside networkx in the same run?

The caller is that of ``expected.json``; the lengths that it names are checked first. Times are of the engine alone: of
each case the best of several rounds.

    python -m bench.paths [--out FILE]
"""

import dataclasses
import functools
import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np
from numpy.typing import NDArray

from bench.debian import Debian, expected, source_folder
from bench.measure import run_bench
from passageway_server.columns.gates import Gate
from passageway_server.engine.paths import FoundPaths, find_paths
from passageway_server.engine.paths_plan import PathEdges, PathPlan
from passageway_server.values.collections import Direction
from passageway_server.values.requests import PathMode
from passageway_server.version.version import Version

ROUNDS = 5
Case = dict[str, Any]


def plans() -> dict[str, PathPlan]:
    """What is asked, by the name of the figure."""

    def plan(direction: Direction, **changes: Any) -> PathPlan:
        edges = (PathEdges(direction=direction),)
        three = PathPlan(edges=edges, most=3, max_frontier=100_000)
        return dataclasses.replace(three, **changes)

    return {
        "OUT": plan(Direction.OUT),
        "BOTH": plan(Direction.BOTH),
        "OUT, default max_frontier": plan(Direction.OUT, max_frontier=1000),
        "BOTH, default max_frontier": plan(Direction.BOTH, max_frontier=1000),
        "OUT, weighted": plan(Direction.OUT, weighted=True),
        "BOTH, weighted": plan(Direction.BOTH, weighted=True),
        "BOTH, weighted, max_degree 1000": plan(Direction.BOTH, weighted=True, max_degree=1000),
        "OUT, all simple": plan(Direction.OUT, mode=PathMode.ALL_SIMPLE, most=100),
        "BOTH, max_depth 6, default max_frontier": plan(
            Direction.BOTH, max_depth=6, max_frontier=1000
        ),
    }


def visible(version: Version, gate: Gate) -> networkx.DiGraph:
    """The graph that the caller sees, for networkx."""
    seen, out = version.gates.open_rows(gate), version.out
    sources = np.repeat(np.arange(len(out.offsets) - 1, dtype=np.int32), np.diff(out.offsets))
    kept = seen[sources] & seen[out.others]
    graph = networkx.DiGraph()
    graph.add_edges_from(zip(sources[kept].tolist(), out.others[kept].tolist(), strict=True))
    return graph


def times(run: Callable[[Case], object], cases: list[Case]) -> dict[str, float]:
    """Median and worst over *cases* of each one's best time, in milliseconds."""
    best: list[float] = []
    for case in cases:
        taken: list[float] = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            run(case)
            taken.append(time.perf_counter() - begun)
        best.append(min(taken) * 1e3)
    return {"median": round(statistics.median(best), 3), "worst": round(max(best), 3)}


def measure() -> dict[str, Any]:
    """The figures, once the lengths are those of other programs."""
    folder = source_folder()
    known, debian = expected(folder), Debian(folder)
    version, _ = debian.version()
    gate = debian.gate(version, known["groups"])
    cases: list[Case] = known["paths"]

    def rows(id: str) -> NDArray[np.int32]:
        return np.array([debian.row[id]], dtype=np.int32)

    def ask(plan: PathPlan, case: Case) -> FoundPaths:
        ends = {"sources": rows(case["source"]), "targets": rows(case["target"])}
        return find_paths(version, plan, **ends, scope=gate, read=gate)

    asked = plans()
    for case in cases:
        found = ask(asked["OUT"], case)
        lengths = [len(path.edges) for path in found.paths]
        assert lengths == case["lengths"], (case, lengths)
        assert not found.truncated
    graph = visible(version, gate)

    def peer(case: Case) -> object:
        source, target = debian.row[case["source"]], debian.row[case["target"]]
        if source not in graph or target not in graph:
            return []
        try:
            return list(itertools.islice(networkx.shortest_simple_paths(graph, source, target), 3))
        except networkx.NetworkXNoPath:
            return []

    return {
        "cases": len(cases),
        "rounds": ROUNDS,
        "milliseconds": {
            **{name: times(functools.partial(ask, plan), cases) for name, plan in asked.items()},
            "OUT, networkx shortest_simple_paths": times(peer, cases),
        },
    }


if __name__ == "__main__":
    run_bench("paths", measure)
