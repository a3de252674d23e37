"""What an operator may set, and how it is stored."""

from dataclasses import replace
from typing import Any

import pytest

from passageway_server.errors import InvalidRequest
from passageway_server.storage import records
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
    Membership,
)
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.settings import check_settings, from_record, to_record
from tests.unit.version.making import collection

MEMBERSHIP = Membership("user:{sub}", ("MEMBER_OF", "PART_OF"))
SETTINGS = CollectionSettings(
    "c",
    fields=(
        FieldDeclaration("salary", Kind.INT, readers=("group:hr", "team:a & level:b")),
        FieldDeclaration("lifecycle", Kind.KEYWORD),
    ),
    default_readers=("public",),
    membership=MEMBERSHIP,
)


def faults(settings: CollectionSettings) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        check_settings(settings)
    return [fault.field for fault in refused.value.faults]


def faults_of(**changes: Any) -> list[str]:
    return faults(CollectionSettings("c", membership=replace(MEMBERSHIP, **changes)))


def test_settings_come_back_from_a_record_as_they_were() -> None:
    for settings in (SETTINGS, CollectionSettings("c")):
        assert from_record(records.decode(records.encode(to_record(settings)), "x")) == settings


@pytest.mark.parametrize("depth", [None, 1, 10])
@pytest.mark.parametrize("template", ["{sub}", "user:{sub}", "x" * 1019 + "{sub}"])
def test_membership_is_fit_at_its_limits(depth: int | None, template: str) -> None:
    check_settings(CollectionSettings("c", membership=Membership(template, ("M",), depth)))


@pytest.mark.parametrize("depth", [0, 11])
def test_a_depth_past_its_limits_is_a_fault(depth: int) -> None:
    assert faults_of(max_depth=depth) == ["collection.membership.max_depth"]


@pytest.mark.parametrize(
    "template", ["", "user:", "{sub}{sub}", "{sub", "a\0{sub}", "x" * 1020 + "{sub}"]
)
def test_a_template_holds_the_place_of_the_name_once(template: str) -> None:
    assert faults_of(node_id_template=template) == ["collection.membership.node_id_template"]


def test_types_are_named_and_distinct() -> None:
    assert faults_of(edge_types=()) == ["collection.membership.edge_types"]
    assert faults_of(edge_types=("A", "", "A")) == [
        "collection.membership.edge_types[1]",
        "collection.membership.edge_types[2]",
    ]


def test_a_reader_of_a_field_is_one_as_of_a_row() -> None:
    field = FieldDeclaration("salary", Kind.INT, readers=("group:hr", "a &", " b"))

    assert faults(CollectionSettings("c", fields=(field,))) == [
        "collection.fields[0].readers[1]",
        "collection.fields[0].readers[2]",
    ]


def test_readers_of_a_field_are_changed_by_an_update_and_its_values_stay() -> None:
    kept = collection(SETTINGS)
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"salary": 7, "free": 1}),)))

    kept.update(lambda now: replace(now, fields=(FieldDeclaration("salary", Kind.INT),)))

    version = kept.current
    assert version.settings.fields == (FieldDeclaration("salary", Kind.INT),)
    assert version.fields.declared["salary"].readers == ()
    column = version.nodes.properties["salary"]
    assert column.value(0, keywords=version.keywords, texts=version.texts) == 7
