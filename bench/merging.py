"""What do readers and writers notice of a merge of 1,000,000 nodes and 10,000,000 edges?

In one process over the graph of bench.bulk: one thread walks without a pause, another commits 50 times a second, and the
graph is merged and then written as a snapshot. Beside each figure stands the one of as long a time without either.

    python -m bench.merging [--out FILE]
"""

import os
import random
import shutil
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.bulk import NAME, loaded
from bench.expand import CAPPED, walk
from bench.measure import RESULTS, run_bench, timed
from bench.synthetic import NODES, SEED
from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store

FOLDER = RESULTS / "merging"
_ROWS, _BEFORE = 100, 200
_A_SECOND = 50
_CALLER = Caller.known("bench", principals=(f"group:{n:03d}" for n in range(250)), roles=())


def measure() -> dict[str, Any]:
    """Milliseconds: the longest walk and the longest commit beside each."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(loaded(), FOLDER, copy_function=os.link)
    store = Store.open(FOLDER)
    kept, numbers = store.collection(NAME), random.Random(SEED)
    for _ in range(_BEFORE):
        kept.apply(_batch(numbers))
    figures: dict[str, Any] = {}
    _beside(kept, numbers, lambda: time.sleep(1))
    figures["nothing"] = _beside(kept, numbers, lambda: time.sleep(3))
    figures["merge"] = _beside(kept, numbers, kept.merge)
    figures["snapshot"] = _beside(kept, numbers, lambda: store.checkpoints.write(NAME, kept))
    store.close()
    return {"milliseconds beside": figures}


def _beside(
    kept: Collection, numbers: random.Random, act: Callable[[], object]
) -> dict[str, float]:
    over = threading.Event()
    walks, commits = list[float](), list[float]()

    def read() -> None:
        rows = np.random.default_rng(SEED)
        while not over.is_set():
            seeds = rows.integers(0, NODES, 1).astype(np.int32)
            walks.append(timed(partial(_walk, kept, seeds)))

    def commit() -> None:
        while not over.wait(1 / _A_SECOND):
            commits.append(timed(partial(kept.apply, _batch(numbers))))

    threads = [threading.Thread(target=each) for each in (read, commit)]
    for thread in threads:
        thread.start()
    try:
        took = timed(act)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    return {
        "in all": round(took),
        "walk, p99": round(float(np.percentile(walks, 99)), 2),
        "walk, worst": round(max(walks), 1),
        "commit, p99": round(float(np.percentile(commits, 99)), 1),
        "commit, worst": round(max(commits), 1),
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
