"""How much is tried: what CI does with the 2,000 graphs of other properties, scaled as those are (PASSAGEWAY_GRAPHS)."""

from typing import Final

from tests.properties.strategies import GRAPHS

_OF_CI: Final = 2000


def scaled(in_ci: int, *, least: int = 1) -> int:
    """So many in CI; fewer or more as there are fewer or more random graphs."""
    return max(least, in_ci * GRAPHS // _OF_CI)


STATES: Final = scaled(20_000, least=100)
"""Crash states that are recovered."""

KILLS: Final = scaled(150, least=3)
HISTORIES: Final = GRAPHS if GRAPHS > _OF_CI else scaled(1000, least=20)
"""Revocations, each with reads around it."""

SECONDS: Final = min(30.0, 5.0 * GRAPHS / _OF_CI)
"""For which readers look for an answer that is torn."""
