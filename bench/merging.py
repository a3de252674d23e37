"""What do readers and writers notice of a merge of 1,000,000 nodes and 10,000,000 edges?

In one process over the graph of bench.bulk, made ready as a server makes itself: one thread walks without a pause, another
commits 50 times a second, and by turns nothing happens, the graph is merged, and it is written as a snapshot. Figures are
medians over the rounds, as other work on the machine stalls walks too. ``held`` bounds how long Python's lock was held: the
longest that a third thread waited for it, or the processor time that others used meanwhile where that is less.

    python -m bench.merging [--out FILE]
"""

import itertools
import os
import random
import shutil
import statistics
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.bulk import NAME, loaded
from bench.expand import CAPPED, walk
from bench.measure import RESULTS, run_bench, spread, timed
from bench.synthetic import NODES, SEED
from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from passageway_server.wire.warm import warm

FOLDER = RESULTS / "merging"
_ROWS, _BEFORE = 100, 200
_A_SECOND, _ROUNDS = 50, 5
_LONG = 0.001  # seconds: a wait as long is looked at
_CALLER = Caller.known("bench", principals=(f"group:{n:03d}" for n in range(250)), roles=())


def measure() -> dict[str, Any]:
    """Milliseconds of walks and commits beside each, medians over the rounds."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(loaded(), FOLDER, copy_function=os.link)
    store = Store.open(FOLDER)
    kept, numbers = store.collection(NAME), random.Random(SEED)
    for _ in range(_BEFORE):
        kept.apply(_batch(numbers))
    warm()
    acts: dict[str, Callable[[], object]] = {
        "nothing": lambda: time.sleep(3),
        "merge": kept.merge,
        "snapshot": lambda: store.checkpoints.write(NAME, kept),
    }
    _beside(kept, numbers, acts["nothing"])
    found: dict[str, list[dict[str, float]]] = {name: [] for name in acts}
    for _ in range(_ROUNDS):
        for name, act in acts.items():
            found[name].append(_beside(kept, numbers, act))
    store.close()
    return {
        "milliseconds beside": {
            name: {what: statistics.median(each[what] for each in several) for what in several[0]}
            for name, several in found.items()
        },
        "worst walks of the rounds": {
            name: sorted(each["walk, worst"] for each in several) for name, several in found.items()
        },
    }


def _beside(
    kept: Collection, numbers: random.Random, act: Callable[[], object]
) -> dict[str, float]:
    over = threading.Event()
    walks, commits, waits = list[float](), list[float](), [0.0]
    batches = [
        _batch(numbers) for _ in range(_A_SECOND)
    ]  # the reader is not to wait for their making

    def read() -> None:
        rows = np.random.default_rng(SEED)
        while not over.is_set():
            seeds = rows.integers(0, NODES, 1).astype(np.int32)
            walks.append(timed(partial(_walk, kept, seeds)))

    def commit() -> None:
        due = time.perf_counter()
        for batch in itertools.cycle(batches):
            if over.wait(max(0.0, due - time.perf_counter())):
                return
            commits.append(timed(partial(kept.apply, batch)))
            due = max(due + 1 / _A_SECOND, time.perf_counter() - 1)

    def wait() -> None:
        while not over.is_set():
            used, own, begun = time.process_time(), time.thread_time(), time.perf_counter()
            time.sleep(0)  # lets the lock go, and takes it again
            took = time.perf_counter() - begun
            if took > _LONG:
                others = time.process_time() - used - (time.thread_time() - own)
                waits.append(min(took, others) * 1e3)
            time.sleep(_LONG)

    threads = [threading.Thread(target=each) for each in (read, commit, wait)]
    for thread in threads:
        thread.start()
    try:
        took = timed(act)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    walked, committed = spread(walks), spread(commits)
    return {
        "in all": round(took),
        **{f"walk, {name}": each for name, each in walked.items()},
        **{f"commit, {name}": each for name, each in committed.items()},
        "held, worst": round(max(waits), 1),
        "commits": len(commits),
    }


def _walk(kept: Collection, seeds: np.typing.NDArray[np.int32]) -> None:
    version = kept.current
    walk(version, gates(version, _CALLER, ReadOptions(), 0).read, [CAPPED] * 2, seeds)


def _batch(numbers: random.Random) -> Batch:
    ids = [f"n{numbers.randrange(NODES):08d}" for _ in range(_ROWS // 2)]
    return Batch(
        put_nodes=tuple(
            NodeRecord(id, "note", name=f"Edited {id}", readers=("group:007",)) for id in ids
        ),
        put_edges=tuple(
            EdgeRecord(
                f"e{numbers.randrange(10**12):012d}",
                id,
                f"n{numbers.randrange(NODES):08d}",
                "links",
                numbers.random(),
            )
            for id in ids
        ),
    )


if __name__ == "__main__":
    run_bench("merging", measure)
