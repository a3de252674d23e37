"""How long does it take to load 1,000,000 nodes and 10,000,000 edges, and what do they take in memory?

The command line loads the files of bench.synthetic, from Parquet and from JSONL, each in a process of its own into a new
folder; its clean end leaves a snapshot. Bytes an edge are those of all arrays of the version over its edges, nodes and
their ids included.

    python -m bench.bulk [--out FILE]
"""

import shutil
from pathlib import Path
from typing import Any

import passageway
from bench.measure import RESULTS, run_bench
from bench.programs import run
from bench.synthetic import EDGES, files, lines
from passageway_server.version.memory import memory_shares
from passageway_server.version.store import Store

FOLDER = RESULTS / "bulk"
_SHOWN = 2000  # shares as small are left out
NAME = "graph"


def loaded() -> Path:
    """A data folder with the graph, loaded now unless it is there from before."""
    if not (FOLDER / NAME / "CURRENT").is_file():
        _load(files())
    return FOLDER


def measure() -> dict[str, Any]:
    """Seconds and megabytes of both loads, and bytes an edge."""
    return {
        "edges": EDGES,
        "JSONL": _load(lines()),
        "Parquet": _load(files()),
        **_bytes_an_edge(),
    }


def _load(paths: dict[str, Path]) -> dict[str, float]:
    shutil.rmtree(FOLDER, ignore_errors=True)
    named = [part for kind, path in paths.items() for part in (f"--{kind}", str(path))]
    used = run("load", NAME, "--data", str(FOLDER), *named)
    return {**used.figures(), "peak as a multiple": round(used.peak / _memory(), 2)}


def _memory() -> int:
    """Bytes of the arrays of the version."""
    with passageway.open(FOLDER) as client:
        return client.get_collection(NAME).memory_bytes


def _bytes_an_edge() -> dict[str, dict[str, float]]:
    """Of all arrays, of all but those of ids, and of each that has any to speak of."""
    store = Store.open(FOLDER)
    try:
        shares = memory_shares(store.collection(NAME).current)
    finally:
        store.close()
    ids = sum(size for name, size in shares.items() if name.startswith(("docs.ids", "nodes.ids")))
    whole = sum(shares.values())
    largest = sorted(shares.items(), key=lambda share: -share[1])
    return {
        "bytes an edge": {
            "in all": round(whole / EDGES, 1),
            "without ids": round((whole - ids) / EDGES, 1),
        },
        "by array": {
            name: round(size / EDGES, 2) for name, size in largest if size * _SHOWN > whole
        },
    }


if __name__ == "__main__":
    run_bench("bulk", measure)
