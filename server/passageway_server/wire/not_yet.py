"""What the contract has and this release has not, by name: it is refused with UNIMPLEMENTED, never ignored.

A field in the table is refused wherever its message stands in a request, once it is set. Words in filters are refused
elsewhere (planner), since a message alone does not show them.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

FIELDS: Mapping[str, frozenset[str]] = {
    "Query": frozenset({"vector", "vector_field", "rescore", "max_edits", "also"}),
}
"""Message -> its fields that are not built."""


def refused(message: Message) -> list[str]:
    """The paths of what *message* asks for that is not built, such as ``seeds[0].query.text``."""
    found: list[str] = []
    _look(message, "", found)
    return found


def _look(message: Message, prefix: str, found: list[str]) -> None:
    watched = _watched(message.DESCRIPTOR)
    if not watched:
        return
    for field, value in message.ListFields():
        if field.name not in watched:
            continue
        path, (refused, holds) = f"{prefix}{field.name}", watched[field.name]
        if refused:
            found.append(path)
        elif holds is not None:
            for place, inner in holds(value, path):
                _look(inner, f"{place}.", found)


_Held = Callable[[Any, str], Iterable[tuple[str, Message]]]
"""The messages in the value of a field at a path, each with its place."""


@cache
def _watched(kind: Descriptor) -> Mapping[str, tuple[bool, _Held | None]]:
    """The fields of *kind* that stand in the table or lead to it: whether they are refused themselves, and what they hold."""
    table: frozenset[str] = FIELDS.get(kind.name, frozenset())
    return {
        field.name: (field.name in table, _held(field))
        for field in kind.fields
        if field.name in table or (field.message_type is not None and _leads(field.message_type))
    }


def _held(field: FieldDescriptor) -> _Held | None:
    """How the messages in a field are gone through; None where it holds none."""
    if field.message_type is None:
        return None
    if field.message_type.GetOptions().map_entry:
        return lambda value, path: [(f"{path}.{key}", value[key]) for key in sorted(value)]
    return _one_or_many


def _one_or_many(value: Any, path: str) -> Iterable[tuple[str, Message]]:
    if isinstance(value, Message):
        return [(path, value)]
    return [(f"{path}[{i}]", one) for i, one in enumerate(value)]


@cache
def _leads(kind: Descriptor) -> bool:
    """Whether a message of *kind* may hold a field of the table, at any depth."""
    seen, ahead = {kind.full_name}, [kind]
    while ahead:
        here = ahead.pop()
        if here.name in FIELDS:
            return True
        for field in here.fields:
            inner = field.message_type
            if inner is not None and inner.full_name not in seen:
                seen.add(inner.full_name)
                ahead.append(inner)
    return False
