"""Hypothesis profiles: ``ci`` repeats the same examples on every run, ``nightly`` looks for new ones.

A test that asks for more examples scales them from ``settings.default``, so that a night is longer for it too. Files of tests
may run beside each other in several processes: none has a port, folder or variable that another one could meet.
"""

import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from passageway_server.values.alarms import Alarm, Alarms

settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly", settings.get_profile("ci"), derandomize=False, max_examples=1000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

TESTS = Path(__file__).parent
LONG = ("properties", "crash", "scenarios", "workers", "real")
"""Folders whose files take long, the longest first: begun last, one would be waited for while the other processes have nothing to do."""

SIZES = ("PASSAGEWAY_GRAPHS", "PASSAGEWAY_SEED", "HYPOTHESIS_PROFILE", "NUMBA_CACHE_DIR")
"""Variables that decide what a test tries."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long ones; otherwise in their order."""
    places = {folder: place for place, folder in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.relative_to(TESTS).parts[0], len(LONG)))


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:
    """Say how to run again what failed, alone."""
    failed = {
        report.nodeid
        for outcome in ("failed", "error")
        for report in terminalreporter.getreports(outcome)
    }
    if failed:
        terminalreporter.section("to repeat")
        named = [f"{name}={os.environ[name]}" for name in SIZES if name in os.environ]
        python = os.path.relpath(sys.executable, terminalreporter.config.rootpath)
        for nodeid in sorted(failed):
            terminalreporter.line(
                shlex.join([*(["env", *named] if named else []), python, "-m", "pytest", nodeid])
            )


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that a request gives for its answer is spent as soon as it begins."""

    def ring(alarms: Alarms, seconds: float, ring: Callable[[], None]) -> Alarm:
        ring()
        return Alarm(alarms, seconds, ring)

    monkeypatch.setattr(Alarms, "set", ring)


@pytest.fixture(autouse=True)
def quiet_log() -> Iterator[None]:
    """Give the server's log back as it was: a test that sends it to its own stderr takes that away again."""
    log = logging.getLogger("passageway.server")
    before = list(log.handlers), log.level, log.propagate
    yield
    log.handlers[:], log.level, log.propagate = before
