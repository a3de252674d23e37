"""What is not built is refused by name wherever it is set, and the table names things that exist."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from passageway_server.wire.dispatch import Reading, Unary
from passageway_server.wire.not_yet import FIELDS, refused
from passageway_server.wire.server import CALLS

FILES = (graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2)
MESSAGES = {
    name: message
    for file in FILES
    for name, message in file.DESCRIPTOR.message_types_by_name.items()
}
SPOKEN_OF = {
    "vector", "vector_field", "rescore", "max_edits", "also",
}  # fmt: skip
"""The names of fields in the release's list of what comes later."""


def kinds() -> list[tuple[str, str]]:
    """Every field of the table, with its message."""
    return [(message, field) for message, fields in FIELDS.items() for field in sorted(fields)]


def is_map(field: Any) -> bool:
    """Whether a field descriptor is that of a map."""
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def set_somehow(message: Message, field: Any) -> None:
    """Give *field* some value."""
    holder = getattr(message, field.name)
    if is_map(field):
        value = field.message_type.fields_by_name["value"]
        if value.message_type is None:
            holder["x"] = ""
        else:
            holder["x"].SetInParent()
    elif field.message_type is not None:
        (holder.add() if field.is_repeated else holder).SetInParent()
    else:
        one = _scalar(field)
        if field.is_repeated:
            holder.append(one)
        else:
            setattr(message, field.name, one)


def _scalar(field: Any) -> object:
    texts = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
    return "x" if field.type in texts else 1


def places(kind: Any, wanted: str, seen: frozenset[str] = frozenset()) -> Iterator[tuple[str, ...]]:
    """The ways from a message of *kind* down to one named *wanted*, as names of fields."""
    if kind.name == wanted:
        yield ()
    if kind.full_name in seen:
        return
    for field in kind.fields:
        inner = field.message_type
        if inner is None:
            continue
        if is_map(field):
            inner = inner.fields_by_name["value"].message_type
            if inner is None:
                continue
        if field.name in FIELDS.get(kind.name, ()):
            continue
        for rest in places(inner, wanted, seen | {kind.full_name}):
            yield (field.name, *rest)


def reached(message: Message, way: tuple[str, ...]) -> Message:
    """The message at the end of *way*, made on the way."""
    for name in way:
        field = message.DESCRIPTOR.fields_by_name[name]
        holder = getattr(message, name)
        if is_map(field):
            message = holder["x"]
        elif field.is_repeated:
            message = holder.add()
        else:
            message = holder
    return message


def requests() -> Iterator[type[Message]]:
    for call in CALLS.values():
        if isinstance(call, Reading | Unary):
            yield call.request


@pytest.mark.parametrize(("message", "field"), kinds())
def test_the_table_names_fields_of_the_contract(message: str, field: str) -> None:
    assert field in MESSAGES[message].fields_by_name


@pytest.mark.parametrize(("message", "field"), kinds())
def test_every_field_of_the_table_is_refused_wherever_it_stands(message: str, field: str) -> None:
    found = 0
    for request in requests():
        for way in places(request.DESCRIPTOR, message):
            asked = request()
            holder = reached(asked, way)
            set_somehow(holder, holder.DESCRIPTOR.fields_by_name[field])

            (path,) = refused(asked)

            assert path.replace("[0]", "").replace(".x", "").split(".") == [*way, field]
            found += 1
    assert found


def test_nothing_that_was_promised_for_later_is_missing() -> None:
    assert {field for _, field in kinds()} == SPOKEN_OF


def test_a_field_that_is_built_passes() -> None:
    field = store_pb2.Field(name="f", kind=types_pb2.FIELD_KIND_VECTOR, dimensions=3)
    settings = store_pb2.Collection(name="c", fields=[field])
    assert refused(store_pb2.CreateCollectionRequest(collection=settings)) == []


def test_each_place_is_named() -> None:
    request = graph_pb2.ExpandRequest()
    request.seeds.add(ids=["a"])
    request.seeds.add().query.rescore = "score"
    request.search.max_edits = 1

    assert refused(request) == ["seeds[1].query.rescore", "search.max_edits"]


def test_the_calls_are_all_there() -> None:
    named = {
        f"{service.name}/{method.name}"
        for file in FILES
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }

    assert set(CALLS) == named
