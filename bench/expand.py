"""How long does a walk take on the Debian graph, beside a bare loop in the same run?

The caller is that of ``expected.json``, the seeds are packages that it reads; the expansions that the file names are
checked first. Times are of the engine alone, with the best ten hits and their evidence: the median over the cases of
the best of several rounds.

    python -m bench.expand [--out FILE]
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bench.debian import Debian, expected, source_folder
from bench.measure import milliseconds, run_bench
from passageway_server.columns.gates import Gate
from passageway_server.engine.plans import HopPlan, Seeds, WalkPlan
from passageway_server.engine.ranking import first_of
from passageway_server.engine.walk import run_walk
from passageway_server.engine.walked import Walked
from passageway_server.version.version import Version

ROUNDS = 7
CASES = 40
CAPPED = HopPlan(decay=0.5, max_degree=1000, max_per_node=100, max_frontier=1000)
PLAIN = HopPlan(decay=0.5)
Rows = NDArray[np.int32]


def walk(version: Version, gate: Gate, hops: Sequence[HopPlan], rows: Rows) -> Walked:
    """The walk alone; no number of nodes is too many."""
    plan = WalkPlan(hops=tuple(hops), max_nodes=1 << 40)
    return run_walk(version, plan, Seeds(rows, np.ones(len(rows))), scope=gate, read=gate)


def best(version: Version, walked: Walked, places: Rows, limit: int = 10) -> Rows:
    """The places of the first hits."""
    return first_of(walked.scores, walked.hops, walked.rows, version.rank, places, limit)


def check(debian: Debian, version: Version, gate: Gate, known: dict[str, Any]) -> None:
    """Every expansion of the file, or an AssertionError."""
    for case in known["expand"]:
        rows = np.array([debian.row[id] for id in case["seeds"]], dtype=np.int32)
        walked = walk(version, gate, [PLAIN] * case["hops"], rows)
        shown = np.flatnonzero(walked.hops > 0).astype(np.int32)
        assert len(shown) == case["total"], case["seeds"]
        found = best(version, walked, shown, len(case["top"]))
        for place, (id, score) in zip(found.tolist(), case["top"], strict=True):
            assert debian.ids[walked.rows[place]] == id, case["seeds"]
            assert abs(float(walked.scores[place]) - score) <= 1e-6 * score, id


@njit(nogil=True)
def bare(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64],
    allowed: NDArray[np.bool_],
    place: NDArray[np.int32],
    rows: NDArray[np.int32],
    scores: NDArray[np.float64],
    via: NDArray[np.int32],
    best_share: NDArray[np.float64],
    seeds: int,
    hops: int,
    decay: float,
    max_degree: int,
    max_per_node: int,
    max_frontier: int,
) -> int:
    """The yardstick: the same walk OUT, with the gate worked out beforehand for each row and ties left to chance."""
    begin, count = 0, seeds
    for _ in range(hops):
        start = count
        order = begin + np.argsort(-scores[begin:count])
        for near in order:
            row = rows[near]
            if offsets[row + 1] - offsets[row] > max_degree:
                degree = 0
                for slot in range(offsets[row], offsets[row + 1]):
                    degree += allowed[targets[slot]]
                if degree > max_degree:
                    continue
            passed = scores[near] * decay
            left = max_per_node
            for slot in range(offsets[row], offsets[row + 1]):
                other = targets[slot]
                if not allowed[other]:
                    continue
                left -= 1
                if left < 0:
                    break
                there = place[other] - 1
                if there < 0:
                    there = count
                    count += 1
                    place[other] = count
                    rows[there] = other
                    scores[there] = 0.0
                    best_share[there] = -1.0
                elif there < start:
                    continue
                share = passed * weights[slot]
                scores[there] += share
                if share > best_share[there]:
                    best_share[there] = share
                    via[there] = near
        if count - start > max_frontier:
            kept = np.argsort(-scores[start:count])
            for lost in kept[max_frontier:]:
                place[rows[start + lost]] = 0
            chosen = np.sort(kept[:max_frontier])
            for i in range(max_frontier):
                one = start + chosen[i]
                rows[start + i], scores[start + i], via[start + i] = (
                    rows[one],
                    scores[one],
                    via[one],
                )
                place[rows[one]] = start + i + 1
            count = start + max_frontier
        begin = start
    for i in range(count):
        place[rows[i]] = 0
    return count


def yardstick(version: Version, gate: Gate) -> Callable[[Rows, int, int, int, int], int]:
    """`bare` over *version* for one caller, with memory of its own."""
    count = len(version.nodes)
    allowed = version.gates.open_rows(gate)
    place, rows = np.zeros(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    scores, shares = np.empty(count), np.empty(count)
    via = np.empty(count, dtype=np.int32)
    out = version.out

    def run(seeds: Rows, hops: int, degree: int, per_node: int, frontier: int) -> int:
        rows[: len(seeds)], scores[: len(seeds)] = seeds, 1.0
        place[seeds] = np.arange(1, len(seeds) + 1)
        return bare(
            out.offsets, out.others, out.weights, allowed, place, rows, scores, via, shares,
            len(seeds), hops, 0.5, degree, per_node, frontier,
        )  # fmt: skip

    return run


def figures(debian: Debian, groups: list[str]) -> dict[str, Any]:
    """All that is measured, in milliseconds."""
    version, _ = debian.version()
    gate = debian.gate(version, groups)
    readable = np.flatnonzero(version.gates.open_rows(gate))
    packages = readable[[":" not in debian.ids[row] for row in readable.tolist()]]
    rng = np.random.default_rng(0)
    cases = [rng.choice(packages, 8, replace=False).astype(np.int32) for _ in range(CASES)]
    least = yardstick(version, gate)
    none = 1 << 40

    def taken(over: Version, hops: Sequence[HopPlan], seeds: Sequence[Rows]) -> float:
        def run(rows: Rows) -> None:
            walked = walk(over, gate, hops, rows)
            best(over, walked, np.arange(len(walked), dtype=np.int32))

        return round(milliseconds(run, seeds, rounds=ROUNDS), 3)

    def reached(hops: Sequence[HopPlan]) -> int:
        return int(np.median([len(walk(version, gate, hops, rows)) for rows in cases]))

    def bare_loop(hops: int, degree: int, per_node: int, frontier: int) -> float:
        def run(rows: Rows) -> None:
            least(rows, hops, degree, per_node, frontier)

        return round(milliseconds(run, cases, rounds=ROUNDS), 3)

    ten, where = debian.version(copies=10, shuffled=True)
    capped = taken(version, [CAPPED] * 3, cases)
    copied = taken(ten, [CAPPED] * 3, [where[rows] for rows in cases])
    return {
        "3 hops, capped": {
            "walk": capped,
            "bare loop": bare_loop(3, 1000, 100, 1000),
            "nodes": reached([CAPPED] * 3),
            "on ten shuffled copies": copied,
            "as a multiple": round(copied / capped, 2),
        },
        **{
            f"{hops} hops": {
                "walk": taken(version, [PLAIN] * hops, cases),
                "bare loop": bare_loop(hops, none, none, none),
                "nodes": reached([PLAIN] * hops),
            }
            for hops in (2, 3)
        },
    }


def measure() -> dict[str, Any]:
    """The figures, once the answers are those of other programs."""
    folder = source_folder()
    known, debian = expected(folder), Debian(folder)
    version, _ = debian.version()
    check(debian, version, debian.gate(version, known["groups"]), known)
    return {"milliseconds": figures(debian, known["groups"])}


if __name__ == "__main__":
    run_bench("expand", measure)
