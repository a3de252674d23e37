"""What every read begins with: one version, held for the call, and what the caller may see."""

from dataclasses import dataclass

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import CallGates, gates
from passageway_server.columns.readers import parts
from passageway_server.errors import NotBuilt, NotFound, Precondition
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import ReadOptions
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class Pinned:
    """One version for one call; ``now`` is the call's clock in microseconds since 1970."""

    version: Version
    caller: Caller
    gates: CallGates
    now: int


def usable(store: Store, caller: Caller, name: str) -> Collection:
    """The collection *name*, which for a caller that its ``users`` leave out does not exist."""
    collection = _found(store, caller, name)
    _admit(caller, collection.current)
    return collection


def _found(store: Store, caller: Caller, name: str) -> Collection:
    """A damaged collection is damaged for admins alone: whom it was open to cannot be read."""
    try:
        return store.collection(name)
    except Precondition:
        if caller.admin:
            raise
        raise NotFound("collection", name) from None


def _admit(caller: Caller, version: Version) -> None:
    """Raise NotFound where the ``users`` of *version* leave the caller out."""
    users = version.settings.users
    if users and not caller.admin and not holds_any(caller, users):
        raise NotFound("collection", version.settings.name)


def holds_any(caller: Caller, readers: tuple[str, ...]) -> bool:
    """Whether the caller holds one of *readers*."""
    return any(caller.principals.issuperset(parts(reader)) for reader in readers)


def pin(
    store: Store, caller: Caller, collection: str, read: ReadOptions, halt: Halt = UNHALTED
) -> Pinned:
    """Take the current version of *collection*, and the gates of *caller* in it, which close when *halt* says so.

    Raises NotFound, and NotBuilt for a version other than the newest.
    """
    version = _found(store, caller, collection).current
    _admit(caller, version)  # by the version that is read, and no later one
    for name in ("at_version", "at_least_version"):
        if getattr(read, name) not in ("", version.token):
            raise NotBuilt([f"read.{name}"])
    now = store.now()
    return Pinned(version, caller, gates(version, caller, read, now, halt), now)
