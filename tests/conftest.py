"""Hypothesis profiles: ``ci`` repeats the same examples on every run, ``nightly`` looks for new ones.

A test that asks for more examples scales them from ``settings.default``, so that a night is longer for it too.
"""

import logging
import os
from collections.abc import Callable, Iterator

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
    "nightly", settings.get_profile("ci"), derandomize=False, max_examples=5000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


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
