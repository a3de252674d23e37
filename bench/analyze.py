"""How long does Expand take while the whole Debian graph is measured, beside without?

A server over a copy of the folder, one client that calls Expand without a pause (eight seeds, three hops, capped), and a
second that asks for PageRank and communities of all rows. Each measure is a process of its own beside the server, and ends
in a commit: both count.

    python -m bench.analyze [--out FILE]
"""

import random
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import passageway
from bench.debian import lines, source_folder
from bench.load import loaded
from bench.measure import RESULTS, run_bench
from bench.programs import serving

ALONE = 10.0  # seconds of Expand, before the measures and after
SEEDS, REQUESTS = 8, 64
HOPS = [passageway.Hop(decay=0.5, max_degree=1000, max_per_node=100, max_frontier=1000)] * 3


@contextmanager
def served() -> Generator[str]:
    """The address of a server of its own, over a copy of the folder that nobody keeps."""
    with tempfile.TemporaryDirectory(dir=RESULTS) as folder:
        copy = Path(shutil.copytree(loaded(), Path(folder) / "data"))
        with serving(copy) as server:
            yield server.address


class Expanding:
    """A client that calls Expand again and again; times are in milliseconds."""

    def __init__(self, address: str, seeds: list[list[str]]) -> None:
        self._client = passageway.connect(address)
        self._collection = self._client.collection("debian")
        self._seeds = seeds

    def times(self, over: threading.Event) -> list[float]:
        """How long each call took, until it is *over*."""
        took: list[float] = []
        while not over.is_set():
            seeds = self._seeds[len(took) % len(self._seeds)]
            begun = time.perf_counter()
            self._collection.expand(seeds, hops=HOPS)
            took.append((time.perf_counter() - begun) * 1e3)
        return took

    def alone(self) -> list[float]:
        """The same with nothing beside it."""
        over = threading.Event()
        timer = threading.Timer(ALONE, over.set)
        timer.start()
        return self.times(over)

    def close(self) -> None:
        self._client.close()


def beside(
    expanding: Expanding, address: str, measure: Any, **parts: Any
) -> tuple[float, list[float]]:
    """Seconds of an analysis, and how long calls of Expand took meanwhile."""
    over, seconds = threading.Event(), 0.0

    def analyze() -> None:
        nonlocal seconds
        begun = time.perf_counter()
        try:
            with passageway.connect(address) as client:
                for _ in client.collection("debian").analyze(measure, "", **parts):
                    pass
        finally:
            seconds = time.perf_counter() - begun
            over.set()

    thread = threading.Thread(target=analyze)
    thread.start()
    took = expanding.times(over)
    thread.join()
    return seconds, took


def measure() -> dict[str, Any]:
    """Medians and the times that one call of a hundred is above, in milliseconds."""
    source = source_folder()
    packages: list[str] = []
    groups: set[str] = set()
    for node in lines(source / "nodes.jsonl.zst"):
        groups.update(node["readers"])
        if node["type"] == "package":
            packages.append(node["id"])
    rng = random.Random(7)
    with served() as address:
        expanding = Expanding(address, [rng.sample(packages, SEEDS) for _ in range(REQUESTS)])
        expanding.alone()  # caches of the version fill
        alone = expanding.alone()
        parts = {"as_principals": sorted(groups)}
        ranked, while_ranking = beside(expanding, address, "pagerank", **parts)
        grouped, while_grouping = beside(expanding, address, "communities", **parts)
        alone += expanding.alone()
        expanding.close()
    figures = {
        "alone": _figures(alone),
        "beside PageRank": {"seconds of the measure": round(ranked, 1), **_figures(while_ranking)},
        "beside Leiden": {"seconds of the measure": round(grouped, 1), **_figures(while_grouping)},
    }
    worst = max(_p99(while_ranking), _p99(while_grouping))
    return {"milliseconds": figures, "as a multiple": round(worst / _p99(alone), 2)}


def _figures(took: list[float]) -> dict[str, float]:
    median = statistics.median(took)
    found = {"median": median, "p99": _p99(took), "worst": max(took)}
    return {"calls": len(took), **{name: round(value, 3) for name, value in found.items()}}


def _p99(took: list[float]) -> float:
    return statistics.quantiles(took, n=100)[98]


if __name__ == "__main__":
    run_bench("analyze", measure)
