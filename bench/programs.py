"""The programs that benches measure: ``passageway`` as users run it, each in a process of its own."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_COMMAND = (sys.executable, "-m", "passageway.cli")
_PATIENCE = 300  # seconds until a server listens, at the most


@dataclass(frozen=True, slots=True)
class Used:
    """What a program that ended has used; ``peak`` is the most bytes that it had at a time."""

    seconds: float
    processor_seconds: float
    peak: int

    def figures(self) -> dict[str, float]:
        """The same as benches tell it."""
        return {
            "seconds": round(self.seconds, 1),
            "processor seconds": round(self.processor_seconds, 1),
            "peak megabytes": round(self.peak / 1e6),
        }


def run(*arguments: str) -> Used:
    """Run ``passageway`` with *arguments* to its end; the bench ends where it fails."""
    begun = time.perf_counter()
    child = subprocess.Popen([*_COMMAND, *arguments], stdout=subprocess.DEVNULL)
    # wait4 counts this child alone, where RUSAGE_CHILDREN has the greatest of all.
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"passageway {arguments[0]} ended with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Used(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit)


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that listens at ``address``, and its process, or the first of several."""

    address: str
    process: "subprocess.Popen[str]"

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serving(folder: Path, *options: str) -> Generator[Serving]:
    """``passageway serve`` of *folder* with *options*, from when it listens; ended as it asks for, unless it has ended."""
    command = [*_COMMAND, "serve", "--data", str(folder), "--listen", "127.0.0.1:0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = select.select([process.stdout], [], [], _PATIENCE)[0]
            assert said, "it does not say where it listens"
            line = process.stdout.readline().strip()
            assert line.startswith("listening on "), "the server did not start"
            yield Serving(line.removeprefix("listening on "), process)
        finally:
            process.terminate()
