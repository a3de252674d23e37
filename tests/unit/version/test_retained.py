"""Older versions: which are kept, and what of them stays as it was."""

from dataclasses import replace

import pytest

from passageway_server.errors import VersionGone
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import Batch, NodeRecord
from tests.unit.version.making import collection, node, records
from tests.unit.version.opening import EVE, PUBLIC, open_rows, put


def test_the_last_eight_versions_are_kept_and_are_as_they_were() -> None:
    kept = collection()
    tokens = [kept.current.token] + [kept.apply(put(id=f"n{i}")).version for i in range(9)]

    for token in tokens[:2]:
        with pytest.raises(VersionGone) as gone:
            kept.at(token)
        assert gone.value.oldest == tokens[2]
    for number, token in enumerate(tokens[2:], start=2):
        assert kept.at(token).token == token
        assert open_rows(kept.at(token), "public") == [f"n{i}" for i in range(number)]


def test_as_many_versions_are_kept_as_the_newest_one_says() -> None:
    kept = collection()
    first = kept.current.token
    kept.update(lambda settings: replace(settings, retain_versions=2))
    second = kept.current.token
    assert kept.at(first)

    kept.apply(put(id="b"))
    with pytest.raises(VersionGone):
        kept.at(first)
    kept.update(lambda settings: replace(settings, retain_versions=1))

    with pytest.raises(VersionGone):
        kept.at(second)
    assert kept.at(kept.current.token) is kept.current


def test_a_version_that_nothing_was_taken_from_is_the_very_one() -> None:
    kept = collection()
    kept.apply(put(id="a"))
    before = kept.current

    kept.apply(put(id="b"))

    assert kept.at(before.token) is before


def test_what_a_version_holds_and_weighs_is_of_its_time() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(NodeRecord("a", content="old", readers=PUBLIC), node("b"))))
    first = kept.current
    kept.apply(Batch(put_nodes=(NodeRecord("a", content="new", readers=EVE),)))

    view = kept.at(first.token)

    assert records(view) == records(first)
    assert view is not first
    assert view.out is first.out


def test_the_readers_of_fields_are_those_of_today() -> None:
    def declared(**readers: tuple[str, ...]) -> CollectionSettings:
        fields = (FieldDeclaration(n, Kind.INT, readers=r) for n, r in readers.items())
        return CollectionSettings("c", default_readers=PUBLIC, fields=tuple(fields))

    kept = collection(declared(pay=PUBLIC, age=EVE, gone=EVE))
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"pay": 1, "age": 2, "bonus": 3}),)))
    first = kept.current.token
    kept.apply(Batch(put_nodes=(node("a"),)))

    kept.update(lambda _: declared(pay=EVE, age=(), bonus=EVE))

    view = kept.at(first)
    assert dict(view.field_readers) == {"pay": EVE, "bonus": EVE, "gone": EVE}
    assert [field.name for field in view.settings.fields] == ["pay", "age", "gone"]
    assert dict(kept.current.field_readers) == {"pay": EVE, "bonus": EVE}


def test_what_was_worked_out_is_kept_until_readers_change() -> None:
    kept = collection()
    first = kept.apply(Batch(put_nodes=(NodeRecord("a", readers=PUBLIC), node("b")))).version
    kept.apply(put("user:eve"))
    view = kept.at(first)
    assert kept.at(first) is view

    kept.apply(put(id="b"))
    kept.apply(Batch(delete_nodes=("b",)))
    assert kept.at(first) is view
    kept.apply(put("user:eve", id="b"))

    assert kept.at(first) is not view


def test_a_superseded_version_forgets_what_its_readers_made_it_remember() -> None:
    kept = collection()
    kept.apply(put("public"))
    before = kept.current
    before.remember(test_a_superseded_version_forgets_what_its_readers_made_it_remember, dict)

    kept.apply(put(id="b"))

    assert all(isinstance(key, str) for key in before.known)
    assert "gating" in before.known
