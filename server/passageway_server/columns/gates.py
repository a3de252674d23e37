"""The gate class of every row: may this caller, in this call, step on row r?

A class stands for all rows of one effective reader set, project and state of retirement, so the verdict of a call is a
byte for each class, and the test inside a walk is one look-up. What retires a row is kept apart by field: a field that
does not exist for a caller retires nothing for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.edge_gate import EdgeGate
from passageway_server.columns.kinds import EXPIRES_AT
from passageway_server.values.halt import UNHALTED, Halt

NEVER = np.iinfo(np.int64).max
"""The expiry of a row that does not expire."""

BY_STATUS = 1
"""The bit of rows that their status retires."""

RETIRING: Mapping[str, int] = {"lifecycle": 2, "review": 4}
"""The keyword fields that retire a row, each with the bit of the rows that it retires."""

_EVERY_BIT = BY_STATUS | sum(RETIRING.values())


@dataclass(frozen=True, slots=True)
class Gate:
    """What one call may see, as the kernels test it.

    ``verdict[class]`` is 0 no, 1 yes, 2 yes while the row's expiry is after ``now``, the call's clock in
    microseconds since 1970; ``edges`` says as much of edges, whatever their ends. ``halt`` says when the call is to stop: whoever
    works behind the gate looks at it. ``hidden`` names the declared fields that do not exist for the caller.
    """

    verdict: NDArray[np.uint8]
    edges: EdgeGate
    now: int
    halt: Halt = UNHALTED
    hidden: frozenset[str] = frozenset()

    @property
    def holds(self) -> NDArray[np.uint8]:
        """By reader set: 1 where the caller holds it."""
        return self.edges.holds


@dataclass(frozen=True, slots=True)
class Gates:
    """Gate classes of all rows, and what each class stands for."""

    of: NDArray[np.int32]  # by row: its class
    expiry: NDArray[np.int64]  # by row: microseconds since 1970, NEVER
    readers: NDArray[np.int32]  # by class: effective reader set
    project: NDArray[np.int32]  # by class
    retired_by: NDArray[np.uint8]  # by class: bits of what retires its rows
    expires: NDArray[np.uint8]  # by class: its rows have an expiry

    def verdict(
        self,
        held: NDArray[np.uint8],
        *,
        project: int | None,
        current: bool,
        hidden: frozenset[str] = frozenset(),
    ) -> NDArray[np.uint8]:
        """The verdict on each class for reader sets *held*; *project* None is every project, -1 none of those here.

        *current* leaves out what is retired, but for what only *hidden* fields retire.
        """
        verdict = held[self.readers].copy()
        if project is not None:
            verdict &= self.project == project
        if current:
            seen = _EVERY_BIT - sum(bit for name, bit in RETIRING.items() if name in hidden)
            verdict &= self.retired_by & np.uint8(seen) == 0
            if EXPIRES_AT not in hidden:
                verdict[(verdict == 1) & (self.expires == 1)] = 2
        return verdict

    def open(self, gate: Gate, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of *rows* the call may see."""
        return _opened(gate, gate.verdict[self.of[rows]], self.expiry[rows])

    def open_rows(self, gate: Gate) -> NDArray[np.bool_]:
        """For every row, whether the call may see it."""
        return _opened(gate, gate.verdict[self.of], self.expiry)


def _opened(gate: Gate, verdict: NDArray[np.uint8], expiry: NDArray[np.int64]) -> NDArray[np.bool_]:
    opened: NDArray[np.bool_] = (verdict == 1) | ((verdict == 2) & (expiry > gate.now))
    return opened
