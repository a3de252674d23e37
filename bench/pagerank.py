"""How long does it take to rank what a walk reached, beside igraph, scipy and networkx in the same run?

The subgraphs are those of walks over the Debian graph; the caller is that of ``expected.json``. Ours is the whole step
in the engine, from the walk to the ten best: its order, its edges by node, the passes, the new order. The others go
from the same edges to scores, directed and with a chance of 0.85 to walk on; the ranks are checked first against
those of networkx. Of each case the best of several rounds, and over the cases the median.

    python -m bench.pagerank [--out FILE]
"""

from dataclasses import replace
from typing import Any

import igraph
import networkx
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from bench.debian import Debian, expected, source_folder
from bench.measure import milliseconds, run_bench
from passageway_server.columns.gates import Gate
from passageway_server.engine.pagerank import PageRankPlan, page_rank
from passageway_server.engine.plans import HopPlan, Seeds, WalkPlan
from passageway_server.engine.ranking import first_of
from passageway_server.engine.walk import run_walk
from passageway_server.engine.walked import Walked
from passageway_server.values.halt import UNHALTED
from passageway_server.version.version import Version

ROUNDS, SEEDS = 5, 8
CAPPED = HopPlan(inward=True, decay=0.5, max_degree=1000, max_per_node=100, max_frontier=215)
WIDE = HopPlan(inward=True, decay=0.5, max_frontier=8000)
SIZES = {"small": (CAPPED, 20), "large": (WIDE, 4)}
USUAL = PageRankPlan()
DIRECTED = PageRankPlan(alpha=0.85, undirected=False)
Scores = NDArray[np.float64]


def ours(version: Version, plan: PageRankPlan, walked: Walked) -> Scores:
    """The ranks; the ten best are found on the way."""
    ranked, _ = page_rank(version, plan, walked, halt=UNHALTED)
    places = np.arange(len(ranked), dtype=np.int32)
    first_of(ranked.scores, ranked.hops, ranked.rows, version.rank, places, 10)
    return ranked.scores


def by_igraph(walked: Walked) -> object:
    """Where mass without an edge goes, igraph decides otherwise."""
    edges = walked.traversed
    ends = np.column_stack((edges.sources, edges.targets)).tolist()
    graph = igraph.Graph(len(walked), ends, directed=True)
    reset = np.where(walked.hops == 0, walked.scores, 0.0).tolist()
    return graph.personalized_pagerank(reset=reset, weights=edges.weights.tolist())


def by_scipy(walked: Walked) -> Scores:
    """The passes of `page_rank` as products of a sparse matrix."""
    edges, count = walked.traversed, len(walked)
    sums = np.bincount(edges.sources, weights=edges.weights, minlength=count)
    dangling = sums == 0.0
    shares = edges.weights / np.where(dangling, 1.0, sums)[edges.sources]
    matrix = scipy.sparse.csr_array((shares, (edges.targets, edges.sources)), shape=(count, count))
    restart = np.where(walked.hops == 0, walked.scores, 0.0)
    restart /= restart.sum()
    scores = restart
    for _ in range(DIRECTED.iterations):
        back = DIRECTED.alpha * scores[dangling].sum()
        new = DIRECTED.alpha * (matrix @ scores) + (1 - DIRECTED.alpha + back) * restart
        change = np.abs(new - scores).sum()
        scores = new
        if change < DIRECTED.tolerance:
            break
    return scores


def by_networkx(walked: Walked, tolerance: float = 1e-6) -> dict[Any, float]:
    """The same by networkx; its tolerance is for each node."""
    edges, graph = walked.traversed, networkx.MultiDiGraph()
    graph.add_nodes_from(range(len(walked)))
    graph.add_weighted_edges_from(
        zip(edges.sources.tolist(), edges.targets.tolist(), edges.weights.tolist(), strict=True)
    )
    seeds = np.flatnonzero(walked.hops == 0).tolist()
    restart = {place: float(walked.scores[place]) for place in seeds}
    return networkx.pagerank(graph, personalization=restart, max_iter=1000, tol=tolerance)


def check(version: Version, walked: Walked) -> None:
    """An AssertionError where networkx ranks otherwise."""
    exact = replace(DIRECTED, iterations=1000, tolerance=1e-10)
    theirs = by_networkx(walked, 1e-10 / len(walked))
    for place, score in enumerate(ours(version, exact, walked).tolist()):
        assert abs(score - theirs[place]) < 1e-6, place


def figures(version: Version, gate: Gate, packages: NDArray[np.int64]) -> dict[str, Any]:
    """All that is measured."""
    rng = np.random.default_rng(0)
    found: dict[str, Any] = {}
    for size, (hop, count) in SIZES.items():
        plan = WalkPlan(hops=(hop,) * 3, with_traversed=True, max_edges=1 << 40)
        cases: list[Walked] = []
        for _ in range(count):
            rows = rng.choice(packages, SEEDS, replace=False).astype(np.int32)
            cases.append(
                run_walk(version, plan, Seeds(rows, np.ones(SEEDS)), scope=gate, read=gate)
            )
        check(version, cases[0])
        times = {
            "undirected, 0.5": milliseconds(
                lambda it: ours(version, USUAL, it), cases, rounds=ROUNDS
            ),
            "directed, 0.85": milliseconds(
                lambda it: ours(version, DIRECTED, it), cases, rounds=ROUNDS
            ),
            "igraph": milliseconds(by_igraph, cases, rounds=ROUNDS),
            "scipy": milliseconds(by_scipy, cases, rounds=ROUNDS),
            "networkx": milliseconds(by_networkx, cases[:2], rounds=1),
        }
        found[size] = {
            "nodes": int(np.median([len(case) for case in cases])),
            "edges": int(np.median([len(case.traversed) for case in cases])),
            "milliseconds": {name: round(time, 3) for name, time in times.items()},
        }
    return found


def measure() -> dict[str, Any]:
    """The figures, once the ranks are those of another program."""
    folder = source_folder()
    known, debian = expected(folder), Debian(folder)
    version, _ = debian.version()
    gate = debian.gate(version, known["groups"])
    readable = np.flatnonzero(version.gates.open_rows(gate))
    packages = readable[[":" not in debian.ids[row] for row in readable.tolist()]]
    return figures(version, gate, packages)


if __name__ == "__main__":
    run_bench("pagerank", measure)
