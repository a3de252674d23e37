"""How the benches measure: medians of repeated runs, and the machine they ran on."""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

_Case = TypeVar("_Case")
RESULTS = Path(".bench")


def yardstick(module: str) -> Any:
    """A library of the extra [bench]; ends the program where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        sys.exit(f"no {module} here; `make bench` installs it, with the extra [bench]")


def timed(run: Callable[[], object]) -> float:
    """How long one *run* took, in milliseconds."""
    begun = time.perf_counter()
    run()
    return (time.perf_counter() - begun) * 1e3


def milliseconds(run: Callable[[_Case], object], cases: Iterable[_Case], *, rounds: int) -> float:
    """The median over *cases* of each case's best time of *rounds*, in milliseconds."""
    best: list[float] = []
    for case in cases:
        times: list[float] = []
        for _ in range(rounds):
            begun = time.perf_counter()
            run(case)
            times.append(time.perf_counter() - begun)
        best.append(min(times))
    return statistics.median(best) * 1e3


def spread(times: Sequence[float]) -> dict[str, float]:
    """The median of *times*, what one in a hundred and one in a thousand exceed, and the worst."""
    ascending = sorted(times)
    last = len(ascending) - 1
    return {
        "median": round(ascending[last // 2], 2),
        "p99": round(ascending[int(last * 0.99)], 2),
        "p99.9": round(ascending[int(last * 0.999)], 2),
        "worst": round(ascending[-1], 1),
    }


def machine() -> dict[str, Any]:
    """Where the figures were taken."""
    return {
        "machine": platform.machine(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "load average": round(os.getloadavg()[0], 1),
    }


def report(path: Path, figures: dict[str, Any]) -> None:
    """Write *figures* with the machine as JSON to *path*, and print them."""
    text = json.dumps({"machine": machine(), **figures}, indent=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    print(text)


def run_bench(name: str, measure: Callable[[], dict[str, Any]]) -> None:
    """The command line of a bench: its figures go to .bench/NAME.json, or to --out."""
    parser = argparse.ArgumentParser(prog=f"python -m bench.{name}")
    parser.add_argument("--out", default=RESULTS / f"{name}.json", type=Path)
    report(parser.parse_args().out, measure())


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
