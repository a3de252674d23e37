"""Older versions that nobody had read: worked out one at a time, and let go with what is held of older versions."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Barrier, BrokenBarrierError

import pytest

from passageway_server.values.records import Batch
from passageway_server.version import persist, retained
from passageway_server.version.collection import Collection
from passageway_server.version.narrowing import readied
from passageway_server.version.version import Version
from passageway_server.version.views import MOST
from tests.unit.version.inside import anew, inside
from tests.unit.version.making import PUBLIC, collection, node
from tests.unit.version.opening import open_rows, put


def unread(versions: int) -> tuple[Collection, list[str]]:
    """A collection that keeps so many versions of a load that nobody read before its end."""
    kept = collection(replace(PUBLIC, retain_versions=versions + 2))
    tokens = [
        kept.apply(Batch(put_nodes=(node(f"n{number}"),)), prepare=False).version
        for number in range(versions + 1)
    ]
    kept.readable()
    return kept, tokens[:-1]


def test_what_is_worked_out_of_unread_versions_is_bounded_and_counted() -> None:
    kept, tokens = unread(2 * MOST)

    found = [weakref.ref(kept.at(token)) for token in tokens]
    gc.collect()

    assert [view() is not None for view in found] == [False] * MOST + [True] * MOST
    held = [view for view in (each() for each in found) if view is not None]
    assert kept.retained.views.nbytes >= sum(view.out.nbytes + view.into.nbytes for view in held)
    assert not any(kept.retained.kept[token].version.is_derived for token in tokens)


def test_an_unread_version_is_read_as_it_was_and_as_it_may_be_read_today() -> None:
    kept, tokens = unread(3)
    view = kept.at(tokens[1])

    assert open_rows(view, "public") == ["n0", "n1"]
    assert inside(view) == anew(view)
    kept.apply(put("user:eve", id="n0"))

    narrowed = kept.at(tokens[1])
    assert open_rows(narrowed, "public") == ["n1"]
    assert narrowed.out is view.out
    kept.apply(put("public", id="other"))
    assert kept.at(tokens[1]) is narrowed


def test_older_versions_are_worked_out_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, tokens = unread(4)
    at_once, met = Barrier(2), list[str]()

    def counted(version: Version) -> Version:
        with suppress(BrokenBarrierError):
            at_once.wait(0.5)
            met.append(version.token)
        return readied(version)

    monkeypatch.setattr(retained, "readied", counted)

    with ThreadPoolExecutor(len(tokens)) as pool:
        found = list(pool.map(kept.at, tokens))

    assert [view.token for view in found] == tokens
    assert met == []


def test_a_version_is_kept_while_a_later_snapshot_takes_the_place_of_what_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, _ = unread(2)
    asked = kept.current.token
    aside = Collection(persist.from_arrays(*persist.to_arrays(kept.current)))
    aside.apply(put(id="d"))
    kept.apply(put(id="d"))
    show = kept.retained._show

    def rebased(*told: object) -> object:
        kept.rebase(aside)
        return show(*told)  # type: ignore[arg-type]

    monkeypatch.setattr(kept.retained, "_show", rebased)

    assert open_rows(kept.at(asked), "public") == ["n0", "n1", "n2"]
