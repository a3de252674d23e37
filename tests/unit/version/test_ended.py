"""A collection that ends while it is used: those who have it go on with what they have, and nothing of it stays open."""

import gc
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.errors import NotFound, ReadOnly, VersionGone
from passageway_server.service import apply, export
from passageway_server.service.pin import pin
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch
from passageway_server.version.store import Store
from tests.unit.version.making import PUBLIC, node

ADA = Caller.known("ada", principals=(), roles=())


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store.open(tmp_path / "data" if request.param == "folder" else None)


def put(identifier: str) -> Batch:
    return Batch(put_nodes=(node(identifier),))


def recreated(store: Store) -> str:
    """Delete the collection and make it anew with one row; the version that has it."""
    store.delete("c")
    return store.create(PUBLIC).apply(put("new")).version


def test_a_call_ends_with_what_it_began(store: Store) -> None:
    store.create(PUBLIC).apply(put("old"))
    pinned = pin(store, ADA, "c", ReadOptions())
    exported = export.export(store, OPERATOR, "c")

    new = recreated(store)

    version = pinned.version
    assert version.nodes.ids.take(range(len(version.nodes))) == ["old"]
    assert [one.id for batch in exported.batches for one in batch.put_nodes] == ["old"]
    assert exported.version == version.token
    assert version.token[:8] != new[:8]
    assert pin(store, ADA, "c", ReadOptions()).version.token == new
    store.close()


def at(token: str) -> ReadOptions:
    return ReadOptions(at_version=token)


def at_least(token: str) -> ReadOptions:
    return ReadOptions(at_least_version=token)


@pytest.mark.parametrize("ask", [at, at_least])
def test_versions_of_what_was_deleted_are_gone_and_not_waited_for(
    store: Store, ask: Callable[[str], ReadOptions]
) -> None:
    old = store.create(PUBLIC).apply(put("old")).version
    new = recreated(store)

    with pytest.raises(VersionGone) as gone:
        pin(store, ADA, "c", ask(old))

    assert gone.value.oldest[:8] == new[:8]
    store.close()


def test_a_load_does_not_go_on_in_another_collection_of_the_name(store: Store) -> None:
    store.create(PUBLIC)
    batches = (partial(apply.Keyed, put(f"n{number}")) for number in range(3))
    loading = apply.load(store, OPERATOR, "c", iter(batches))
    next(loading)

    new = recreated(store)
    with pytest.raises(NotFound):
        next(loading)

    version = store.collection("c").current
    assert (version.token, version.nodes.ids.take(range(len(version.nodes)))) == (new, ["new"])
    store.close()


def test_who_holds_what_was_deleted_cannot_commit_to_it(store: Store) -> None:
    held = store.create(PUBLIC)
    new = recreated(store)

    with pytest.raises(NotFound):
        held.apply(put("late"))

    assert store.collection("c").current.token == new
    store.close()


def test_what_was_deleted_is_given_back(store: Store) -> None:
    version = weakref.ref(store.create(PUBLIC).current)

    recreated(store)
    gc.collect()

    assert version() is None
    store.close()


def test_a_log_is_let_go_though_its_collection_could_not_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path / "data")
    kept = store.create(PUBLIC)

    def failing(_: Exception) -> None:
        raise ReadOnly("log", "a sync failed")

    monkeypatch.setattr(kept, "close", failing)

    store.delete("c")

    assert kept._committing.log is None
    store.close()
