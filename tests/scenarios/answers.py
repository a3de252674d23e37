"""Calls and answers in one form, whichever door they went through.

A request becomes the parameters of the client's method, and an answer the JSON object that the client's `to_dict()`
gives, without what may differ between two servers: version tokens and the time taken.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

import passageway
from passageway import PassagewayError
from passageway._properties import from_properties
from passageway.v1 import graph_pb2, read_pb2

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The name of a status, and the answer, or the paths of the parameters at fault.

    Each server has page tokens of its own: an answer that is followed by another page has one in ``next_page``.
    """

    code: str
    document: JsonObject = field(default_factory=dict[str, Any])
    faults: frozenset[str] = frozenset()
    has_next_page: bool = False
    next_page: str = field(default="", compare=False)

    @classmethod
    def of_document(cls, document: JsonObject) -> "Answer":
        """A call that was answered, by its JSON object."""
        kept = {name: part for name, part in document.items() if name not in _DIFFERING}
        token: str = document.get("next_page_token", "")
        return cls("OK", kept, has_next_page=bool(token), next_page=token)

    @classmethod
    def of_bytes(cls, call: str, response: bytes) -> "Answer":
        """A call that was answered, by the bytes of its message."""
        message, value = _ANSWERS[call]
        return cls.of_document(value.from_message(message.FromString(response)).to_dict())

    @classmethod
    def of_error(cls, error: PassagewayError) -> "Answer":
        """A call that was refused."""
        return cls(error.code, faults=frozenset(fault.field for fault in error.faults))


def parameters(request: Message) -> dict[str, Any]:
    """What the client's method is called with to send *request*; its collection is named elsewhere."""
    found: dict[str, Any] = {}
    for member, value in request.ListFields():
        if member.name == "read":
            found |= parameters(value)
        elif member.name != "collection":
            found[member.name] = _parameter(member, value)
    return found


def as_json(given: Mapping[str, Any]) -> JsonObject:
    """Parameters as the members of a request file."""
    return {name: _plain(value) for name, value in given.items()}


def _parameter(member: FieldDescriptor, value: Any) -> Any:
    if member.name == "vars":
        return from_properties(value)
    if member.enum_type is not None:
        return _word(member, value)
    if member.message_type is not None and member.message_type.GetOptions().map_entry:
        kind = member.message_type.fields_by_name["value"].message_type
        assert kind is not None
        make = getattr(passageway, kind.name).from_message
        return {name: make(part) for name, part in value.items()}
    if member.message_type is not None:
        make = getattr(passageway, member.message_type.name).from_message
        return [make(part) for part in value] if member.is_repeated else make(value)
    return list(value) if member.is_repeated else value


def _word(member: FieldDescriptor, number: int) -> str:
    """The word of a choice: ``current`` of EVIDENCE_CURRENT."""
    kind = member.enum_type
    assert kind is not None
    name, unset = kind.values_by_number[number].name, kind.values_by_number[0].name
    return name.removeprefix(unset.removesuffix("UNSPECIFIED")).lower()


def _plain(value: Any) -> Any:
    match value:
        case [*parts]:
            return [_plain(part) for part in parts]
        case dict():
            named = cast(dict[str, Any], value)
            return {name: _plain(part) for name, part in named.items()}
        case _:
            return value.to_dict() if hasattr(value, "to_dict") else value


_DIFFERING = ("version", "took_us", "next_page_token")

_ANSWERS: dict[str, tuple[type[Message], Any]] = {
    "expand": (graph_pb2.ExpandResponse, passageway.ExpandResponse),
    "paths": (graph_pb2.PathsResponse, passageway.PathsResponse),
    "slice": (read_pb2.SliceResponse, passageway.SliceResponse),
    "lookup": (read_pb2.LookupResponse, passageway.LookupResponse),
    "get": (read_pb2.GetResponse, passageway.GetResponse),
    "describe": (read_pb2.DescribeResponse, passageway.DescribeResponse),
}
