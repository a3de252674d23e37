"""Values turn into messages and JSON, and back, and lose nothing."""

import dataclasses
import json
import pickle
from array import array
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import passageway
from passageway import BadRecord, Batch, Edge, EdgeSpec, Field, FieldInfo, Hop, Node, Passage
from passageway._errors import Details, Fault
from passageway._generated import values
from passageway._properties import from_properties, to_properties

INT64 = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TIMES = st.datetimes(timezones=st.just(UTC), min_value=datetime(1900, 1, 1))
PLAIN = st.one_of(TEXTS, INT64, FLOATS, st.booleans())
LISTS = st.one_of(
    *(st.lists(kind, min_size=1, max_size=3) for kind in (TEXTS, INT64, FLOATS, st.booleans()))
)


@given(st.dictionaries(TEXTS, st.one_of(PLAIN, LISTS, TIMES, st.lists(TIMES, min_size=1))))
def test_properties_come_back_as_they_were_with_their_types(properties: dict[str, Any]) -> None:
    back = from_properties(to_properties(properties))

    assert back == properties
    assert {name: type(value) for name, value in back.items()} == {
        name: type(value) for name, value in properties.items()
    }


@given(st.dictionaries(TEXTS, st.one_of(PLAIN, LISTS)), st.dictionaries(TEXTS, st.lists(TEXTS)))
def test_a_node_as_json_comes_back(properties: dict[str, Any], links: dict[str, Any]) -> None:
    node = Node("a", properties=properties, links=links)

    text = json.dumps(node.to_dict())

    back = Node.from_dict(json.loads(text))
    assert back.to_message() == node.to_message()


def test_a_time_keeps_its_microseconds_and_its_place_on_the_clock() -> None:
    local = datetime(2026, 1, 31, 9, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))

    back = from_properties(to_properties({"at": local}))["at"]

    assert back == local
    assert Node("a", properties={"at": local}).to_dict()["properties"] == {
        "at": "2026-01-31T00:00:00.123456Z"
    }


@pytest.mark.parametrize("typecode", ["f", "d"])
def test_an_array_of_floats_is_a_vector_and_comes_back_as_a_list(typecode: str) -> None:
    numbers = [0.5, -2.0, 3.0]
    node = Node("a", properties={"v": array(typecode, numbers)})

    message = node.to_message()

    assert list(message.properties["v"].vector.values) == numbers
    assert Node.from_message(message).properties == {"v": numbers}
    assert node.to_dict()["properties"] == {"v": numbers}


@pytest.mark.parametrize(
    "wrong",
    [
        array("i", [1]),
        None,
        {"a": 1},
        [1, "a"],
        [True, 1],
        2**63,
        datetime(2026, 1, 1),
        [2**53 + 1, 0.5],
        object(),
    ],
)
def test_a_property_that_cannot_be_sent_is_named(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"properties\['color'\]"):
        Node("a", properties={"fine": 1, "color": wrong}).to_message()


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ({"id": 7}, "id"),
        ({"id": "a", "nmae": "x"}, "nmae"),
        ({"id": "a", "readers": "public"}, "readers"),
        ({"id": "a", "readers": ["public", 3]}, "readers[1]"),
        ({"id": "a", "properties": {"p": {"q": 1}}}, "properties.p"),
        ({"id": "a", "properties": {"p": [1, None]}}, "properties.p[1]"),
        ({"id": "a", "links": {"near": ["b", 2]}}, "links.near[1]"),
        ({"id": "a", "span": {"index": "1"}}, "span.index"),
        ({"id": "a", "covered": 1}, "covered"),
        (["a"], ""),
        (None, ""),
    ],
)
def test_a_wrong_member_is_named_by_its_path(source: object, field: str) -> None:
    with pytest.raises(BadRecord) as raised:
        Node.from_dict(source)

    assert raised.value.field == field


def test_null_is_absent() -> None:
    node = Node.from_dict({"id": "a", "name": None, "span": None, "properties": {"p": None}})

    assert node == Node("a")


def test_numbers_stand_in_json_and_what_is_absent_does_not() -> None:
    assert Passage("p", "a").to_dict() == {"id": "p", "parent_id": "a", "index": 0}
    assert Edge("a", "b", weight=0.0).to_dict() == {"source": "a", "target": "b", "weight": 0.0}


def test_a_collection_file_may_be_written_in_the_contracts_own_spelling() -> None:
    ours = {
        "name": "c",
        "fields": [{"name": "size", "kind": "int"}],
        "default_readers": ["public"],
        "ontology": {"edge_types": [{"name": "E", "default_weight": 0.5, "agents_walk": "out"}]},
    }
    theirs = {
        "name": "c",
        "fields": [{"name": "size", "kind": "FIELD_KIND_INT"}],
        "defaultReaders": ["public"],
        "ontology": {
            "edgeTypes": [{"name": "E", "defaultWeight": 0.5, "agentsWalk": "DIRECTION_OUT"}]
        },
    }

    assert passageway.Collection.from_dict(ours) == passageway.Collection.from_dict(theirs)


def test_a_hop_takes_its_edges_flat_or_whole() -> None:
    flat = Hop(("Depends",), direction="in", edge_filter="weight > 1", decay=0.5)
    whole = Hop(edges=EdgeSpec(("Depends",), direction="in", filter="weight > 1"), decay=0.5)

    assert flat == whole
    assert Hop.from_message(flat.to_message()) == flat


def test_a_kind_of_a_later_release_is_none() -> None:
    message = FieldInfo(name="f").to_message()
    message.kind = 99  # type: ignore[assignment]

    assert FieldInfo.from_message(message).kind is None


def test_values_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Node("a").name = "b"  # type: ignore[misc]


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(values).values() if dataclasses.is_dataclass(kind)]
)
def test_every_value_survives_a_message_and_json(kind: Any) -> None:
    required = [
        field.name
        for field in dataclasses.fields(kind)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    value = kind(*("x" for _ in required))

    assert kind.from_message(value.to_message()) == value
    assert kind.from_dict(json.loads(json.dumps(value.to_dict()))) == value


def test_a_batch_is_read_from_json() -> None:
    batch = Batch.from_dict({"put_nodes": [{"id": "a"}], "delete_edges": ["e"]})

    assert batch == Batch(put_nodes=(Node("a"),), delete_edges=("e",))


def test_a_false_that_differs_from_absent_stands_in_json() -> None:
    types = {"node_types": [{"name": "note", "indexed": False}, {"name": "topic"}]}
    ontology = passageway.Ontology.from_dict(types)

    assert ontology.to_dict() == types
    assert passageway.PageRank(undirected=False).to_dict()["undirected"] is False
    assert passageway.Ontology.from_dict(json.loads(json.dumps(ontology.to_dict()))) == ontology


def test_a_false_that_is_the_default_does_not() -> None:
    assert Node("a", covered=False).to_dict() == {"id": "a"}


@pytest.mark.parametrize(
    "error",
    [
        BadRecord("hops[0].decay", "expected a number"),
        passageway.MissingExtra("to_igraph()", extra="igraph"),
        passageway.InvalidArgument(
            "no", Details("INVALID_REQUEST", (Fault("limit", "too large"),))
        ),
    ],
)
def test_an_error_goes_from_one_process_to_another(error: Exception) -> None:
    back = pickle.loads(pickle.dumps(error))

    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_a_declared_field_names_dimensions_where_it_has_some() -> None:
    field = Field("note", kind="text")

    assert field.to_dict() == {"name": "note", "kind": "text"}
    assert dataclasses.replace(field, dimensions=3).to_dict()["dimensions"] == 3
    assert Field.from_message(field.to_message()) == field == Field.from_dict(field.to_dict())
