"""How long does it take from opening Debian's folder to the first answer?

Each time is of a fresh process, as the median of several: once the process has its imports, and from exec on. The
files are in the system's cache, for the load or the process before has touched them.

    python -m bench.opening [--out FILE]
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.load import loaded
from bench.measure import run_bench

ROUNDS = 9
FIRST_ANSWER = """
import sys, time
import passageway, passageway_server.wire.local
begun = time.perf_counter()
client = passageway.open(sys.argv[1])
hops = [passageway.Hop(["Depends"], decay=0.5)] * 2
answer = client.collection("debian").expand(["0ad"], hops=hops)
print(time.perf_counter() - begun, answer.total, flush=True)
client.close()
"""


def first_answer(folder: Path) -> tuple[float, float]:
    """Milliseconds after the imports, and since exec, of one fresh process."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", FIRST_ANSWER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as child:
        line = child.stdout.readline() if child.stdout else ""
        whole = time.perf_counter() - begun
    opened, total = line.split()
    assert int(total) > 1, "the walk reached nothing"
    return float(opened) * 1e3, whole * 1e3


def measure() -> dict[str, Any]:
    """Medians in milliseconds."""
    folder = loaded()
    opened, whole = zip(*(first_answer(folder) for _ in range(ROUNDS)), strict=True)
    return {
        "rounds": ROUNDS,
        "milliseconds": {
            "after imports": round(statistics.median(opened)),
            "from exec": round(statistics.median(whole)),
        },
    }


if __name__ == "__main__":
    run_bench("opening", measure)
