"""The two gates of a call: what this caller may read, and what of it the call looks at.

What a version gives away depends on the principals (those of the audiences too), the project and the evidence alone, so it
keeps what was judged for its latest callers. Principals that come from membership are the caller's by now.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import ADMIN, Caller
from passageway_server.columns.edge_gate import EdgeGate, tables
from passageway_server.columns.gates import Gate
from passageway_server.columns.remembered import Remembered
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.principals import bytes_of
from passageway_server.values.queries import ReadOptions
from passageway_server.version.version import Version

_ENTRIES, _BYTES = 256, 64 << 20  # of one version


@dataclass(frozen=True, slots=True)
class CallGates:
    """``read`` asks for readers alone, ``project`` for the call's project too, ``scope`` for its evidence besides."""

    read: Gate
    project: Gate
    scope: Gate

    def at(self, now: int) -> "CallGates":
        """The same with another clock."""
        return CallGates(
            *(replace(gate, now=now) for gate in (self.read, self.project, self.scope))
        )


@dataclass(frozen=True, slots=True)
class _Judged:
    """What a gate is made of, but for the clock; the arrays are read-only."""

    verdict: NDArray[np.uint8]
    edges: EdgeGate
    hidden: frozenset[str]

    def gate(self, now: int, halt: Halt) -> Gate:
        return Gate(self.verdict, self.edges, now, halt, self.hidden)


_Known = Remembered[tuple[frozenset[str], bool, tuple[frozenset[str], ...], str, bool], _Judged]
"""By principals, whether they are an admin's, audiences, project and evidence."""


def gates(
    version: Version, caller: Caller, read: ReadOptions, now: int, halt: Halt = UNHALTED
) -> CallGates:
    """The gates of one call; *now* is its clock in microseconds since 1970, *halt* says when it is to stop.

    What is open is open to the caller and to each of its audiences.
    """
    readable = _judged(version, caller, project="", current=False).gate(now, halt)
    project = scope = readable
    if read.project:
        judged = _judged(version, caller, project=read.project, current=False)
        project = scope = judged.gate(now, halt)
    if read.current:
        scope = _judged(version, caller, project=read.project, current=True).gate(now, halt)
    return CallGates(readable, project, scope)


def _judged(version: Version, caller: Caller, *, project: str, current: bool) -> _Judged:
    known = version.remember(gates, _room)
    key = (caller.principals, ADMIN in caller.roles, caller.audiences, project, current)
    found = known.get(key)
    if found is None:
        found = _judge(version, caller, project=project, current=current)
        asked = sum(map(bytes_of, (caller.principals, *caller.audiences)))
        known.put(key, found, size=asked + found.verdict.nbytes + found.edges.nbytes)
    return found


def _judge(version: Version, caller: Caller, *, project: str, current: bool) -> _Judged:
    classes = version.gates  # first: it interns sets
    holds, hidden = _held(version, caller), hidden_fields(version, caller)
    number = version.projects.find(project) if project else None
    verdict = classes.verdict(holds, project=number, current=current, hidden=hidden)
    verdict.flags.writeable = False
    kept = version.remember(EdgeGate, tables)
    return _Judged(verdict, EdgeGate(version.edge_classes, holds, kept), hidden)


def _held(version: Version, caller: Caller) -> NDArray[np.uint8]:
    """For each reader set, 1 where the caller holds it, and each of its audiences does: read-only."""
    held = version.readers.held(caller.principals, admin=ADMIN in caller.roles)
    for principals in caller.audiences:
        theirs = version.readers.held(principals, admin=False)
        sets = min(len(held), len(theirs))  # a writer may be adding some, which no row here has
        held = held[:sets] & theirs[:sets]
    held.flags.writeable = False
    return held


def hidden_fields(version: Version, caller: Caller) -> frozenset[str]:
    """The declared fields that do not exist for the caller, or for one of its audiences."""
    return frozenset(
        name for name, readers in version.field_readers.items() if not caller.holds_any(readers)
    )


def _room() -> _Known:
    return Remembered(entries=_ENTRIES, bytes=_BYTES)
