"""How long does it take to load Debian from its packed files into a snapshot, and how much memory at most?

The command line does it, as a user would, in a process of its own; its clean end writes the snapshot. The folder stays in
.bench/data for the benches that open it.

    python -m bench.load [--out FILE]
"""

import shutil
from pathlib import Path
from typing import Any

from bench.debian import KINDS, source_folder
from bench.measure import RESULTS, run_bench
from bench.programs import run

FOLDER = RESULTS / "data"


def loaded() -> Path:
    """A data folder with the collection debian, loaded now unless it is there from before."""
    if not (FOLDER / "debian" / "CURRENT").is_file():
        measure()
    return FOLDER


def measure() -> dict[str, Any]:
    """Seconds from the start of the process to its end, the most bytes it had, and those of the folder."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.parent.mkdir(exist_ok=True)
    source = source_folder()
    files = [part for kind in KINDS for part in (f"--{kind}", str(source / f"{kind}.jsonl.zst"))]
    used = run("load", "debian", "--data", str(FOLDER), *files)
    return {
        **used.figures(),
        "folder megabytes": round(sum(f.stat().st_size for f in FOLDER.rglob("*.npy")) / 1e6),
    }


if __name__ == "__main__":
    run_bench("load", measure)
