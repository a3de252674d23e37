"""How long until a folder answers: after a clean stop, and after a kill with 1,000,000 rows in the log alone?

The first opens the graph of bench.bulk, in a fresh process, from its imports on to the first answer. For the second a server
with a far checkpoint takes the nodes of bench.synthetic and is killed; the next one is timed until it listens.

    python -m bench.recovery [--out FILE]
"""

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import passageway
from bench.bulk import NAME, loaded
from bench.measure import RESULTS, run_bench
from bench.programs import run, serving
from bench.synthetic import NODES, lines

FOLDER = RESULTS / "recovery"
_ROUNDS = 7
_FAR = ("--checkpoint-bytes", str(1 << 40), "--checkpoint-seconds", "86400")
_FIRST_ANSWER = """
import sys, time
import passageway, passageway_server.wire.local
begun = time.perf_counter()
client = passageway.open(sys.argv[1])
answer = client.collection("graph").expand(["n00000001"], hops=[passageway.Hop(decay=0.5)])
print(time.perf_counter() - begun, flush=True)
client.close()
"""


def measure() -> dict[str, Any]:
    """Milliseconds of an opening, seconds of a recovery."""
    openings = [_first_answer(loaded()) for _ in range(_ROUNDS)]
    return {
        "milliseconds": {"after a clean stop": round(statistics.median(openings))},
        "rows in the log": NODES,
        "seconds": {"after a kill": round(_recovered(), 1)},
    }


def _first_answer(folder: Path) -> float:
    told = subprocess.run(
        [sys.executable, "-c", _FIRST_ANSWER, str(folder)], stdout=subprocess.PIPE, check=True
    )
    return float(told.stdout) * 1e3


def _recovered() -> float:
    shutil.rmtree(FOLDER, ignore_errors=True)
    with serving(FOLDER, *_FAR) as server:
        with passageway.connect(server.address) as client:
            client.create_collection(NAME)
        run("load", NAME, "--server", server.address, "--nodes", str(lines()["nodes"]))
        server.kill()
    begun = time.perf_counter()
    with serving(FOLDER, *_FAR) as server:
        seconds = time.perf_counter() - begun
        with passageway.connect(server.address) as client:
            assert client.get_collection(NAME).nodes == NODES, "a node is lost"
    return seconds


if __name__ == "__main__":
    run_bench("recovery", measure)
