"""Other declarations of a field that has readers: its values are opened to nobody who was not named."""

from dataclasses import replace
from pathlib import Path

import pytest

from passageway_server.errors import InvalidRequest
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from tests.unit.version.making import collection, records

SECRET = FieldDeclaration("secret", Kind.INT, readers=("group:hr",))
OPEN = FieldDeclaration("open", Kind.INT)
SETTINGS = CollectionSettings("c", fields=(SECRET, OPEN), default_readers=("public",))
HELD = Batch(
    put_nodes=(
        NodeRecord("a", properties={"secret": 7, "open": 1}),
        NodeRecord("b", properties={"open": 2}),
    ),
    put_passages=(PassageRecord("a#0", "a", 0, properties={"secret": 8}),),
    put_edges=(EdgeRecord("e", "a", "b", "R", properties={"secret": 9}),),
)


def filled(batch: Batch = HELD) -> Collection:
    kept = collection(SETTINGS)
    kept.apply(batch)
    return kept


def declare(kept: Collection, *fields: FieldDeclaration) -> None:
    kept.update(lambda now: replace(now, fields=fields))


def refusal(kept: Collection, *fields: FieldDeclaration) -> str:
    """Why the declarations are refused; nothing has changed then."""
    before = kept.current
    with pytest.raises(InvalidRequest) as refused:
        declare(kept, *fields)
    assert kept.current is before
    assert [fault.field for fault in refused.value.faults] == ["collection.fields"]
    return refused.value.faults[0].message


@pytest.mark.parametrize(
    "fields",
    [(), (OPEN,), (OPEN, replace(SECRET, name="renamed")), (OPEN, replace(SECRET, name="secreT"))],
)
def test_a_field_with_readers_is_not_dropped_or_renamed_while_rows_hold_it(
    fields: tuple[FieldDeclaration, ...],
) -> None:
    message = refusal(filled(), *fields)

    assert "'secret'" in message
    assert "2 nodes and 1 edges hold it" in message
    assert "keep the declaration" in message


def test_values_of_edges_alone_keep_a_declaration_too() -> None:
    kept = filled(replace(HELD, put_nodes=(), put_passages=()))

    assert "1 edges hold it" in refusal(kept, OPEN)


def test_a_field_with_readers_is_dropped_once_no_row_holds_it() -> None:
    kept = filled()
    nodes = (NodeRecord("a"), NodeRecord("b"))
    kept.apply(Batch(put_nodes=nodes, recut_parents=("a",), delete_edges=("e",)))

    declare(kept, OPEN)

    assert kept.current.settings.fields == (OPEN,)


def test_every_field_that_would_be_opened_is_named() -> None:
    kept = collection(replace(SETTINGS, fields=(SECRET, replace(OPEN, readers=("group:hr",)))))
    kept.apply(HELD)

    with pytest.raises(InvalidRequest) as refused:
        declare(kept)

    assert len(refused.value.faults) == 2


@pytest.mark.parametrize("readers", [(), ("public",), ("group:board", "group:hr"), ("user:eve",)])
def test_readers_of_a_declaration_that_stays_are_changed_freely(readers: tuple[str, ...]) -> None:
    kept, changed = filled(), replace(SECRET, readers=readers)

    declare(kept, changed, OPEN)

    assert kept.current.settings.fields == (changed, OPEN)
    assert records(kept.current) == HELD


def test_a_changed_kind_does_not_lose_readers_on_the_way() -> None:
    kept = collection(SETTINGS)
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"open": 1}),)))
    declare(kept, replace(SECRET, kind=Kind.FLOAT, readers=()), OPEN)  # no row holds it

    held = filled()
    lost = refusal(held, replace(SECRET, kind=Kind.FLOAT, readers=()), OPEN)
    other = refusal(held, replace(SECRET, kind=Kind.TEXT, readers=()), OPEN)

    assert "made another kind" in lost
    assert "made another kind" in other


def test_a_field_without_readers_is_dropped_as_before() -> None:
    kept = filled()

    declare(kept, SECRET)

    assert kept.current.settings.fields == (SECRET,)


def test_a_restored_collection_has_the_readers_of_its_fields(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.create(SETTINGS).apply(HELD)
    store.create_snapshot("c", "s")

    restored = store.restore("c", "s", into="again")

    assert restored.current.settings.fields == SETTINGS.fields
    assert "2 nodes and 1 edges hold it" in refusal(restored, OPEN)
    store.close()
