"""What is held of older versions: bounded while they may be asked for, and nothing once nobody may, or does."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from passageway_server.errors import Cancelled, VersionGone
from passageway_server.values.halt import Halt
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.narrowing import Narrowing
from passageway_server.version.touched import touched_since
from passageway_server.version.version import Version
from passageway_server.version.views import MOST, Shown, Views
from tests.unit.version.making import PUBLIC, collection, node

SIZE = 64


def rows(prefix: str, *readers: str) -> Batch:
    return Batch(
        put_nodes=tuple(NodeRecord(f"{prefix}{number}", readers=readers) for number in range(SIZE)),
        put_edges=tuple(
            EdgeRecord(f"{prefix}e{number}", f"{prefix}{number}", f"{prefix}0", readers=readers)
            for number in range(SIZE)
        ),
    )


def narrowed(versions: int) -> tuple[Collection, list[str]]:
    """A collection that keeps so many versions, of each of which today's readers see less than was to be seen."""
    kept = collection(replace(PUBLIC, retain_versions=versions + 1))
    kept.apply(rows("a", "public"))
    tokens = [kept.apply(Batch(put_nodes=(node(f"n{i}"),))).version for i in range(versions)]
    kept.apply(rows("a", "user:eve"))
    return kept, tokens


def test_views_are_few_however_many_versions_are_kept() -> None:
    kept, tokens = narrowed(2 * MOST)

    views = [weakref.ref(kept.at(token)) for token in tokens]
    gc.collect()

    assert len(kept.retained.views) == MOST
    assert [view() is not None for view in views] == [False] * MOST + [True] * MOST
    assert kept.at(tokens[-1]) is kept.at(tokens[-1]) is views[-1]()


def test_views_are_small_however_large_each_is() -> None:
    kept, tokens = narrowed(4)
    one, other = (shown(kept, token) for token in tokens[:2])
    views = Views(most_bytes=2 * one.nbytes)
    assert one.nbytes > 8 * SIZE  # what it has of its own of rows and edges

    for number in range(5):
        views.put(f"v{number}", one)

    assert (len(views), views.nbytes) == (2, 2 * one.nbytes)
    assert views.get("v3") is one  # which is the last used by now
    views.put("v5", one)
    assert (views.get("v4"), views.get("v3")) == (None, one)
    views.put("v3", other)
    assert views.nbytes <= 2 * one.nbytes


def test_a_view_that_is_larger_than_all_room_is_held_until_the_next() -> None:
    kept, tokens = narrowed(2)
    one, other = (shown(kept, token) for token in tokens)
    views = Views(most_bytes=1)

    views.put("one", one)
    assert views.get("one") is one
    views.put("other", other)

    assert (views.get("one"), views.get("other"), len(views)) == (None, other, 1)


def test_what_nothing_was_taken_from_has_no_bytes_of_its_own() -> None:
    kept = collection()
    token = kept.apply(Batch(put_nodes=(node("a"),))).version
    kept.apply(Batch(put_nodes=(node("b"),)))

    assert shown(kept, token).nbytes == 0


def test_what_readers_make_views_remember_counts_and_goes_with_them() -> None:
    kept, tokens = narrowed(4)
    first, second, third = (shown(kept, token) for token in tokens[:3])
    views = Views(most_bytes=3 * first.nbytes + Noted.nbytes)
    for number, each in enumerate((first, second, third)):
        views.put(f"v{number}", each)
    before = views.nbytes

    for each in (first, second):
        each.view.remember(Noted, Noted)
    assert views.nbytes == before + 2 * Noted.nbytes
    assert views.get("v2") is third

    assert (views.get("v0"), views.get("v1"), len(views)) == (None, second, 2)
    assert [Noted in each.view.known for each in (first, second)] == [False, True]


class Noted:
    """What a reader makes a version remember."""

    nbytes = 1 << 20


@pytest.mark.parametrize("how", ["clear", "put"])
def test_a_version_that_is_its_own_view_forgets_what_its_readers_asked_once_it_is_let_go(
    how: str,
) -> None:
    kept = collection()
    tokens = [kept.apply(Batch(put_nodes=(node(id),))).version for id in "abc"]
    one, other = (shown(kept, token) for token in tokens[:2])
    assert one.view is one.of
    one.view.remember(Noted, Noted)
    views = Views(most=1)
    views.put("one", one)

    if how == "clear":
        views.clear()
    else:
        views.put("other", other)

    assert Noted not in one.of.known
    assert one.of.is_derived


def test_a_version_forgets_when_a_view_takes_its_place() -> None:
    kept = collection()
    token = kept.apply(rows("a", "public")).version
    kept.apply(Batch(put_nodes=(node("b"),)))
    version = kept.at(token)
    version.remember(Noted, Noted)
    kept.apply(rows("a", "user:eve"))

    assert kept.at(token) is not version
    assert Noted not in version.known


def test_a_view_whose_edges_are_held_elsewhere_shows_the_readers_that_were_put() -> None:
    kept, tokens = narrowed(1)
    view = kept.at(tokens[0])
    put, held = view.doc_readers.whole.tolist(), view.docs.readers.whole.tolist()
    assert put != held

    del view.known["ways"]
    assert view.ways.out is not None

    assert view.docs.readers.whole.tolist() == held
    assert view.doc_readers.whole.tolist() == put


def shown(kept: Collection, token: str) -> Shown:
    kept.at(token)
    found = kept.retained.views.get(token)
    assert found is not None
    return found


def test_a_view_goes_with_its_version() -> None:
    kept, tokens = narrowed(2)
    view = weakref.ref(kept.at(tokens[0]))

    kept.update(lambda settings: replace(settings, retain_versions=1))
    gc.collect()

    assert view() is None
    assert len(kept.retained.views) == 0
    with pytest.raises(VersionGone):
        kept.at(tokens[0])


def test_a_call_that_waits_for_another_one_may_go(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, (token,) = narrowed(1)
    begun, go_on, halt = Event(), Event(), Halt()

    def slow(self: Narrowing, version: Version) -> Version:
        begun.set()
        assert go_on.wait(60)
        return view(self, version)

    view = Narrowing.view
    monkeypatch.setattr(Narrowing, "view", slow)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(kept.at, token)
        assert begun.wait(60)
        gone = pool.submit(kept.at, token, halt)
        halt.cancel()
        with pytest.raises(Cancelled):
            gone.result(60)
        assert not first.done()
        go_on.set()

        assert first.result(60) is kept.at(token)


def test_a_version_lives_as_long_as_a_call_has_it_and_is_not_to_be_named_by_others() -> None:
    kept = collection(replace(PUBLIC, retain_versions=1))
    kept.apply(Batch(put_nodes=(node("a"),)))
    pinned = kept.readable()
    token, alive = pinned.token, weakref.ref(pinned)

    for number in range(3):
        kept.apply(Batch(put_nodes=(node(f"n{number}"),)))
    gc.collect()

    assert alive() is pinned
    assert pinned.nodes.ids.take(range(len(pinned.nodes))) == ["a"]
    with pytest.raises(VersionGone) as gone:
        kept.at(token)
    assert gone.value.oldest == kept.current.token
    del pinned
    gc.collect()
    assert alive() is None


def test_what_a_load_left_behind_is_given_back_once_it_is_read() -> None:
    kept = collection(replace(PUBLIC, retain_versions=1))
    began = weakref.ref(kept.readable())
    kept._read_at = None
    for number in range(3):
        kept.apply(Batch(put_nodes=(node(f"n{number}"),)), prepare=False)

    kept.readable()
    gc.collect()

    assert began() is None


def test_as_many_versions_as_a_collection_may_keep_are_kept() -> None:
    kept = collection(replace(PUBLIC, retain_versions=1024))
    first = kept.current.token

    for number in range(1023):
        kept.apply(Batch(put_nodes=(node(f"n{number % 7}"),)))

    assert kept.at(first).token == first
    kept.apply(Batch(put_nodes=(node("last"),)))
    with pytest.raises(VersionGone):
        kept.at(first)


def test_a_merge_that_ends_meanwhile_changes_nothing_of_what_a_view_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def seen(meanwhile: bool) -> tuple[list[int], list[int]]:
        kept = collection()
        token = kept.apply(rows("a", "public")).version
        deleted = tuple(f"a{number}" for number in range(SIZE // 2))
        kept.apply(Batch(delete_nodes=deleted))

        def merging(chain: Any) -> Any:
            if meanwhile:
                kept.merge()
            return touched_since(chain)

        monkeypatch.setattr("passageway_server.version.narrowing.touched_since", merging)
        view = kept.at(token)
        held = view.gates.readers[view.gates.of]
        return held.tolist(), view.docs.readers.whole.tolist()

    assert seen(meanwhile=True) == seen(meanwhile=False)
