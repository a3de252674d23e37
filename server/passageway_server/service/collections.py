"""The care of collections: create, get, list, update, delete. All of it needs the role admin, and no audience."""

from collections.abc import Sequence
from dataclasses import replace

from passageway_server.authz.callers import ADMIN, Caller
from passageway_server.errors import InvalidRequest
from passageway_server.values.collections import CollectionSettings, CollectionState
from passageway_server.version.catalog import Catalog
from passageway_server.version.store import Store

_CHANGEABLE = (
    "description",
    "fields",
    "ontology",
    "default_readers",
    "users",
    "membership",
    "retain_versions",
    "citation_fields",
    "language",
)


def create(store: Store, caller: Caller, settings: CollectionSettings) -> CollectionState:
    """Make an empty collection."""
    caller.require(ADMIN)
    return store.create(settings).state


def get(store: Catalog, caller: Caller, name: str) -> CollectionState:
    """One collection, with what it holds; of a damaged one, what is wrong with it."""
    caller.require(ADMIN)
    damage = store.damaged.get(name)
    if damage is not None:
        return CollectionState.damaged(name, str(damage))
    return store.collection(name).state


def list_all(store: Catalog, caller: Caller) -> list[CollectionState]:
    """Every collection by name, those that cannot be served too."""
    caller.require(ADMIN)
    states = {
        collection.current.settings.name: collection.state for collection in store.collections()
    }
    for name, damage in store.damaged.copy().items():
        states[name] = CollectionState.damaged(name, str(damage))
    return [state for _, state in sorted(states.items())]


def update(
    store: Store, caller: Caller, settings: CollectionSettings, mask: Sequence[str]
) -> CollectionState:
    """Change what *mask* names: every setting but the name.

    An empty mask changes what *settings* sets; ``*`` replaces everything. It is a commit.
    """
    caller.require(ADMIN)
    collection = store.collection(settings.name)
    blank = CollectionSettings(settings.name)
    changed = tuple(mask) or tuple(
        name for name in _CHANGEABLE if getattr(settings, name) != getattr(blank, name)
    )
    if changed == ("*",):
        changed = _CHANGEABLE
    for name in changed:
        if name not in _CHANGEABLE:
            message = f"{name!r} cannot be changed; there are {', '.join(_CHANGEABLE)}"
            raise InvalidRequest.one("update_mask", message)
    collection.update(lambda now: replace(now, **{n: getattr(settings, n) for n in changed}))
    return collection.state


def delete(store: Store, caller: Caller, name: str) -> None:
    """Remove a collection with its rows and snapshots."""
    caller.require(ADMIN)
    store.delete(name)
