"""The two gates of a call: what this caller may read, and what of it the call looks at.

The verdict on a class of rows depends on the principals, the project and the evidence alone, so a version
keeps the verdicts of its latest callers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import Caller
from passageway_server.columns.gates import Gate
from passageway_server.columns.remembered import Remembered
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import ReadOptions
from passageway_server.version.version import Version

_ENTRIES, _BYTES = 256, 64 << 20  # of one version

_Verdicts = Remembered[tuple[frozenset[str], bool, str, bool], NDArray[np.uint8]]
"""By principals, whether they are an admin's, project and evidence."""


@dataclass(frozen=True, slots=True)
class CallGates:
    """``read`` asks for readers alone; ``scope`` for readers, the call's project and its evidence."""

    read: Gate
    scope: Gate


def gates(
    version: Version, caller: Caller, read: ReadOptions, now: int, halt: Halt = UNHALTED
) -> CallGates:
    """The gates of one call; *now* is its clock in microseconds since 1970, *halt* says when it is to stop."""
    _ = version.gates  # first: it interns sets
    holds = version.readers.held(caller.principals, admin=caller.admin)
    readable = Gate(_verdict(version, caller, holds, project="", current=False), holds, now, halt)
    if not read.project and not read.current:
        return CallGates(readable, readable)
    scoped = _verdict(version, caller, holds, project=read.project, current=read.current)
    return CallGates(readable, Gate(scoped, holds, now, halt))


def _verdict(
    version: Version, caller: Caller, holds: NDArray[np.uint8], *, project: str, current: bool
) -> NDArray[np.uint8]:
    """The verdict on each gate class of *version*, read-only."""
    known = version.remember(gates, _room)
    key = (caller.principals, caller.admin, project, current)
    verdict = known.get(key)
    if verdict is None:
        number = version.projects.find(project) if project else None
        verdict = version.gates.verdict(holds, project=number, current=current)
        verdict.flags.writeable = False
        known.put(key, verdict, size=verdict.nbytes)
    return verdict


def _room() -> _Verdicts:
    return Remembered(entries=_ENTRIES, bytes=_BYTES)
