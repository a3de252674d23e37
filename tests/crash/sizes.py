"""How much is tried: what CI does beside the graphs of other properties, scaled as those are (PASSAGEWAY_GRAPHS).

CI repeats the same draws on every run. With PASSAGEWAY_SEED, as at night, they are others; a failure tells it.
"""

import os
from typing import Final

from tests.properties.strategies import GRAPHS, OF_CI

AT_NIGHT: Final = GRAPHS > OF_CI
"""Whether there is time for what adds little: each array of a snapshot, where one stands for all by day."""

SEED: Final = int(os.environ.get("PASSAGEWAY_SEED", "0"))


def scaled(in_ci: int, *, least: int = 1) -> int:
    """So many in CI; fewer or more as there are fewer or more random graphs."""
    return max(least, in_ci * GRAPHS // OF_CI)


def seed_of(number: int) -> int:
    """What draws the part *number* of a test: the same on every run, unless another seed is asked for."""
    return SEED << 64 | number


STATES: Final = scaled(20_000, least=100)
"""Crash states that are recovered."""

KILLS: Final = scaled(112, least=3)
"""Of a server of one process that several write to; with those of the next two, 150 in CI."""

PROCESS_KILLS: Final = scaled(3, least=3)
"""Of processes of a server that has several, by turns of three."""

ACT_KILLS: Final = scaled(5)
"""Of a server in the middle of each of seven acts, or after them."""

HISTORIES: Final = scaled(10_000, least=20)
"""Revocations, each with reads around it."""

SECONDS: Final = min(30.0, 30.0 * GRAPHS / OF_CI)
"""For which readers look for an answer that is torn."""
