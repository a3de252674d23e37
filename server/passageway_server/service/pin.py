"""What every read begins with: one version, held for the call, and what the caller may see."""

from contextlib import suppress
from dataclasses import dataclass, replace

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import CallGates, gates
from passageway_server.authz.membership import with_membership
from passageway_server.errors import LimitExceeded, NotBuilt, NotFound, Precondition
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.queries import ReadOptions
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class Pinned:
    """One version for one call; ``now`` is the call's clock in microseconds since 1970.

    ``caller`` is who asked; its gates count what membership adds, too.
    """

    version: Version
    caller: Caller
    gates: CallGates
    now: int

    def at(self, now: int) -> "Pinned":
        """The same with another clock: that of the call which this one goes on with."""
        gates = CallGates(replace(self.gates.read, now=now), replace(self.gates.scope, now=now))
        return replace(self, gates=gates, now=now)


def own(halt: Halt) -> Halt:
    """*halt*, or a new one in the place of `UNHALTED`: that is everybody's, and no call's time may end in it."""
    return Halt() if halt is UNHALTED else halt


def usable(store: Store, caller: Caller, name: str, halt: Halt = UNHALTED) -> Collection:
    """The collection *name*, which for a caller that its ``users`` leave out does not exist.

    Nor does it where they leave out one of the caller's audiences.
    """
    collection = _found(store, caller, name)
    _admit(caller, collection.current, halt)
    return collection


def _found(store: Store, caller: Caller, name: str) -> Collection:
    """A damaged collection is damaged for admins alone: whom it was open to cannot be read."""
    try:
        return store.collection(name)
    except Precondition:
        if caller.admin:
            raise
        raise NotFound("collection", name) from None


def _admit(caller: Caller, version: Version, halt: Halt) -> None:
    """Raise NotFound where the ``users`` of *version* leave out the caller, or one of its audiences.

    Nor is let in who needs membership for that, and has more of it than a call may: that it is too much would tell
    strangers that there is such a collection.
    """
    users = version.settings.users
    if not users or caller.holds_any(users):
        return
    with suppress(LimitExceeded):
        if with_membership(version, caller, halt).holds_any(users):
            return
    raise NotFound("collection", version.settings.name)


def pin(
    store: Store, caller: Caller, collection: str, read: ReadOptions, halt: Halt = UNHALTED
) -> Pinned:
    """Take the current version of *collection*, and the gates of *caller* in it, which close when *halt* says so.

    Raises NotFound, LimitExceeded (MEMBERSHIP), and NotBuilt for a version other than the newest.
    """
    version = _found(store, caller, collection).current
    _admit(caller, version, halt)  # by the version that is read, and no later one
    member = with_membership(version, caller, halt)
    for name in ("at_version", "at_least_version"):
        if getattr(read, name) not in ("", version.token):
            raise NotBuilt([f"read.{name}"])
    now = store.now()
    return Pinned(version, caller, gates(version, member, read, now, halt), now)
