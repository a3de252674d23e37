"""What does a commit of 100 rows cost on 1,000,000 nodes and 10,000,000 edges, and what do readers notice of it?

A server serves the graph of bench.bulk. A commit is timed from the call to its acknowledgement, beside a bare write and
sync of as many bytes in the same folder; then one reader walks, alone and while another client commits 50 times a second.

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
from bench.measure import RESULTS, run_bench, timed
from bench.programs import serving
from bench.synthetic import NODES, SEED
from passageway import Batch, Edge, Hop, Node

FOLDER = RESULTS / "commits"
_ROWS = 100
_COMMITS = 100
_WALKS = 3000
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
        seeds = [f"n{numbers.randrange(NODES):08d}" for _ in range(_WALKS)]
        for seed in seeds[:300]:
            _walk(graph, seed)
        alone = [timed(partial(_walk, graph, seed)) for seed in seeds]
        with _committing(server.address) as committed:
            beside = [timed(partial(_walk, graph, seed)) for seed in seeds * 3]
    commit, sync = statistics.median(commits), statistics.median(syncs)
    return {
        "milliseconds": {
            "commit": round(commit, 2),
            "bare sync": round(sync, 2),
            "above it": round(commit - sync, 2),
            "commit, p99": round(_percentile(commits), 2),
            "walk alone": {
                "median": round(statistics.median(alone), 2),
                "p99": round(_percentile(alone), 2),
            },
            "walk beside": {
                "median": round(statistics.median(beside), 2),
                "p99": round(_percentile(beside), 2),
            },
            "worst walk beside": round(max(beside), 1),
        },
        "commits beside": len(committed),
        "commits a second": round(len(committed) / (sum(beside) / 1e3), 1),
        "p99 as a multiple": round(_percentile(beside) / _percentile(alone), 2),
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


@contextmanager
def _committing(address: str) -> Generator[list[float]]:
    """Commit so many times a second, from a process of its own, until the block ends; then what each took."""
    spawned = get_context("spawn")
    (here, there), took = spawned.Pipe(), list[float]()
    process = spawned.Process(target=_commit, args=(address, there))
    process.start()
    here.recv()  # it has begun
    try:
        yield took
    finally:
        here.send(None)
        took += here.recv()
        process.join()


def _commit(address: str, asked: Connection) -> None:
    """Commit until something is *asked*, and answer with the milliseconds of each."""
    numbers, took = random.Random(SEED + 1), list[float]()
    with passageway.connect(address) as client:
        graph = client.collection(NAME)
        graph.apply(_batch(numbers))
        asked.send(None)
        due = time.perf_counter()
        while not asked.poll(max(0.0, due - time.perf_counter())):
            batch = _batch(numbers)
            took.append(timed(partial(graph.apply, batch)))
            due += 1 / _A_SECOND
    asked.recv()
    asked.send(took)


def _percentile(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


if __name__ == "__main__":
    run_bench("commits", measure)
