"""What does a commit of 100 rows cost on 1,000,000 nodes and 10,000,000 edges, and what do readers notice of it?

A server serves the graph of bench.bulk. A commit is timed from the call to its acknowledgement, beside a bare write and
sync of as many bytes in the same folder. Then one reader walks, in short rounds alone and while another client commits 50
times a second, by turns for whatever else the machine does; the multiple is the median over the rounds.

    python -m bench.commits [--out FILE]
"""

import os
import random
import shutil
import statistics
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import passageway
from bench.bulk import NAME, loaded
from bench.measure import RESULTS, run_bench, spread, timed
from bench.programs import serving
from bench.synthetic import NODES, SEED
from passageway import Batch, Edge, Hop, Node

FOLDER = RESULTS / "commits"
_ROWS = 100
_COMMITS = 100
_WALKS, _ROUNDS = 400, 15  # walks of each half of a round
_A_SECOND = 50


def measure() -> dict[str, Any]:
    """Milliseconds: medians of commits and syncs, and the 99th percentile of walks."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(loaded(), FOLDER, copy_function=os.link)
    with serving(FOLDER) as server, passageway.connect(server.address) as client:
        graph = client.collection(NAME)
        numbers = random.Random(SEED)
        for _ in range(10):
            graph.apply(_batch(numbers))
        commits = [timed(lambda: graph.apply(_batch(numbers))) for _ in range(_COMMITS)]
        syncs = [timed(_bare_sync) for _ in range(_COMMITS)]
        alone, beside = list[list[float]](), list[list[float]]()
        for _ in range(300):
            _walk(graph, _seed(numbers))
        with _committing(server.address) as committer:
            for _ in range(_ROUNDS):
                for found, commits_too in ((alone, False), (beside, True)):
                    committer.go_on(commits_too)
                    seeds = [_seed(numbers) for _ in range(_WALKS)]
                    found.append([timed(partial(_walk, graph, seed)) for seed in seeds])
    multiples = [
        _percentile(with_them) / _percentile(without)
        for with_them, without in zip(beside, alone, strict=True)
    ]
    commit, sync = statistics.median(commits), statistics.median(syncs)
    return {
        "milliseconds": {
            "commit": round(commit, 2),
            "bare sync": round(sync, 2),
            "above it": round(commit - sync, 2),
            "commit, p99": round(_percentile(commits), 2),
            "walk alone": spread([one for each in alone for one in each]),
            "walk beside": spread([one for each in beside for one in each]),
        },
        "commits a second": round(
            len(committer.took) / (sum(one for each in beside for one in each) / 1e3), 1
        ),
        "p99 as a multiple": round(statistics.median(multiples), 2),
        "multiples of the rounds": sorted(round(each, 2) for each in multiples),
    }


def _batch(numbers: random.Random) -> Batch:
    """Edits as memories are edited: notes put anew, and edges from them."""
    chosen = [f"n{numbers.randrange(NODES):08d}" for _ in range(_ROWS // 2)]
    return Batch(
        put_nodes=[
            Node(id, type="note", name=f"Edited {id}", readers=["group:007"]) for id in chosen
        ],
        put_edges=[
            Edge(
                id=f"e{numbers.randrange(10**12):012d}",
                source=id,
                target=f"n{numbers.randrange(NODES):08d}",
                type="links",
                weight=numbers.random(),
            )
            for id in chosen
        ],
    )


def _seed(numbers: random.Random) -> str:
    return f"n{numbers.randrange(NODES):08d}"


def _walk(graph: passageway.CollectionClient, seed: str) -> None:
    graph.expand(
        [seed], hops=[Hop(decay=0.5, max_per_node=50), Hop(decay=0.5, max_per_node=20)], limit=50
    )


def _bare_sync() -> None:
    path = FOLDER / "synced"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(file, os.urandom(8192))
        os.fdatasync(file)
    finally:
        os.close(file)


class _Committer:
    """Another process that commits when it is told to; ``took`` are the milliseconds of each commit, once it has ended."""

    def __init__(self, there: Connection) -> None:
        self._there = there
        self.took: list[float] = []

    def go_on(self, commits: bool) -> None:
        """Commit so many times a second from now on, or not; returns once it does so."""
        self._there.send(commits)
        self._there.recv()

    def end(self) -> None:
        """Commit no more."""
        self._there.send(None)
        self.took = self._there.recv()


@contextmanager
def _committing(address: str) -> Generator[_Committer]:
    """A process that commits when it is told to, until the block ends."""
    spawned = get_context("spawn")
    here, there = spawned.Pipe()
    process = spawned.Process(target=_commit, args=(address, there))
    process.start()
    committer = _Committer(here)
    try:
        yield committer
    finally:
        committer.end()
        process.join()


def _commit(address: str, asked: Connection) -> None:
    """Commit, or not, as is *asked*; in the end answer with the milliseconds of each."""
    numbers, took = random.Random(SEED + 1), list[float]()
    commits: bool | None = False
    with passageway.connect(address) as client:
        graph = client.collection(NAME)
        due = time.perf_counter()
        while commits is not None:
            if asked.poll(max(0.0, due - time.perf_counter()) if commits else None):
                commits = asked.recv()
                due = time.perf_counter()
                if commits is not None:
                    asked.send(None)
            elif commits:
                batch = _batch(numbers)
                took.append(timed(partial(graph.apply, batch)))
                due = max(due + 1 / _A_SECOND, time.perf_counter() - 1)
    asked.send(took)


def _percentile(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


if __name__ == "__main__":
    run_bench("commits", measure)
