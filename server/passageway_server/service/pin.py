"""What every read begins with: one version, held for the call, and what the caller may see."""

from contextlib import suppress
from dataclasses import dataclass, replace

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import CallGates, gates
from passageway_server.authz.membership import with_membership
from passageway_server.errors import (
    Fault,
    InvalidRequest,
    LimitExceeded,
    NotFound,
    Precondition,
)
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.queries import ReadOptions
from passageway_server.version.catalog import Catalog
from passageway_server.version.collection import Collection
from passageway_server.version.tokens import Token
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
        return replace(self, gates=self.gates.at(now), now=now)


def own(halt: Halt) -> Halt:
    """*halt*, or a new one in the place of `UNHALTED`: that is everybody's, and no call's time may end in it."""
    return Halt() if halt is UNHALTED else halt


def usable(store: Catalog, caller: Caller, name: str, halt: Halt = UNHALTED) -> Collection:
    """The collection *name*, which for a caller that its ``users`` leave out does not exist.

    Nor does it where they leave out one of the caller's audiences.
    """
    collection = _found(store, caller, name)
    users = collection.current.settings.users
    if users and not caller.holds_any(users):
        _admit(caller, collection.readable(halt), halt)
    return collection


def _found(store: Catalog, caller: Caller, name: str) -> Collection:
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
    store: Catalog, caller: Caller, collection: str, read: ReadOptions, halt: Halt = UNHALTED
) -> Pinned:
    """Take the version of *collection* that *read* names, else the newest, and the gates of *caller* in it.

    They close when *halt* says so. A version that is not here yet is waited for, by callers to whom the collection is open
    already: to others the wait would tell that there is one. Of an older version the caller sees what it might see then and
    may see now. Raises NotFound, LimitExceeded (MEMBERSHIP), InvalidRequest, VersionGone,
    VersionLate.
    """
    kept = _found(store, caller, collection)
    newest = kept.readable(halt)
    _admit(caller, newest, halt)  # by the version that is read, and no later one
    awaited = _awaited(read)
    for token in awaited:
        kept.wait_for(token, halt)
    if awaited:
        newest = kept.readable(halt)
        _admit(caller, newest, halt)  # it may be closed to the caller by now
    version = newest
    if read.at_version not in ("", newest.token):
        version = kept.at(read.at_version, halt)
    member = with_membership(version, caller, halt)
    if version is not newest:
        member = member.holding_both(with_membership(newest, caller, halt))
        if newest.settings.users and not member.holds_any(newest.settings.users):
            raise NotFound("collection", newest.settings.name)  # it joined its users since then
    now = store.now()
    return Pinned(version, caller, gates(version, member, read, now, halt), now)


def _awaited(read: ReadOptions) -> list[str]:
    """The tokens of the versions that must be here before *read* goes on: the later one first, with which the other one is here.

    Raises InvalidRequest where one is no token, or the version to read is older than the one that it must not be.
    """
    tokens: dict[str, Token] = {}
    faults: list[Fault] = []
    for name in ("at_version", "at_least_version"):
        asked = getattr(read, name)
        token = Token.of(asked)
        if token is not None:
            tokens[asked] = token
        elif asked:
            faults.append(Fault(f"read.{name}", f"{asked!r:.40} is no version"))
    if faults:
        raise InvalidRequest(faults)
    at, least = tokens.get(read.at_version), tokens.get(read.at_least_version)
    if at is not None and least is not None and not at.follows(least):
        message = f"is older than {read.at_least_version}, which read.at_least_version asks for"
        raise InvalidRequest.one("read.at_version", message)
    return list(tokens)
