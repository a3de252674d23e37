"""Named snapshots of a collection. All of it needs the role admin, and no audience."""

from passageway_server.authz.callers import ADMIN, Caller
from passageway_server.values.collections import CollectionState, SnapshotState
from passageway_server.version.store import Store


def create(store: Store, caller: Caller, collection: str, name: str) -> SnapshotState:
    """Persist the newest version, and keep it under *name* where there is one."""
    caller.require(ADMIN)
    return store.create_snapshot(collection, name)


def list_all(store: Store, caller: Caller, collection: str) -> list[SnapshotState]:
    """The named snapshots of a collection, by name."""
    caller.require(ADMIN)
    return store.snapshots(collection)


def delete(store: Store, caller: Caller, collection: str, name: str) -> None:
    """Let a named snapshot go."""
    caller.require(ADMIN)
    store.delete_snapshot(collection, name)


def restore(
    store: Store, caller: Caller, collection: str, *, name: str, into: str
) -> CollectionState:
    """Make the new collection *into* from a named snapshot; where that is empty, take the same one back to it.

    Then it is a commit, by which the settings come back too.
    """
    caller.require(ADMIN)
    return store.restore(collection, name, into=into).state
