"""The contract as the templates want it: messages, enums and calls with their comments.

Names are Python's: a nested message drops its parent's name, a nested enum is prefixed with it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from google.api import field_behavior_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodOptions,
)

_PACKAGE = "passageway.v1"
AS_BYTES = "columns.proto"
"""The file of messages that hold packed bytes: whoever fills them does so in the message, so they become no values."""

_BEHAVIOR: Any = field_behavior_pb2.field_behavior
_SCALARS = {
    FieldDescriptorProto.TYPE_STRING: "str",
    FieldDescriptorProto.TYPE_BOOL: "bool",
    FieldDescriptorProto.TYPE_FLOAT: "float",
    FieldDescriptorProto.TYPE_DOUBLE: "float",
    FieldDescriptorProto.TYPE_INT32: "int",
    FieldDescriptorProto.TYPE_INT64: "int",
    FieldDescriptorProto.TYPE_UINT32: "int",
    FieldDescriptorProto.TYPE_UINT64: "int",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field. ``type`` is a Python scalar, or the full name of a message or enum.

    ``presence``: absent differs from the type's default. ``map``: a mapping from str to ``type``.
    """

    name: str
    type: str
    comment: str
    enum: bool
    repeated: bool
    map: bool
    presence: bool
    required: bool
    optional: bool


@dataclass(frozen=True, slots=True)
class Message:
    full_name: str
    name: str
    symbol: str
    comment: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Enum:
    """``values`` are pairs: the word that Python callers write, and the symbol of its number.

    ``unspecified`` is the symbol of number 0, which callers write as None.
    """

    full_name: str
    name: str
    symbol: str
    comment: str
    values: tuple[tuple[str, str], ...]
    unspecified: str


@dataclass(frozen=True, slots=True)
class Rpc:
    name: str
    path: str
    comment: str
    request: str
    response: str
    client_streams: bool
    server_streams: bool
    idempotent: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """Everything by full name, and in the contract's order."""

    messages: dict[str, Message]
    enums: dict[str, Enum]
    rpcs: dict[str, Rpc]


def read(descriptors: FileDescriptorSet) -> Schema:
    """The schema of the contract's files among *descriptors*; what is packed is left out."""
    schema = Schema({}, {}, {})
    for file in descriptors.file:
        if file.package == _PACKAGE and not file.name.endswith(AS_BYTES):
            _FileReader(file, schema).read()
    for name, message in schema.messages.items():
        known = tuple(field for field in message.fields if _is_known(field, schema))
        schema.messages[name] = replace(message, fields=known)
    return schema


def _is_known(field: Field, schema: Schema) -> bool:
    ours = field.type.startswith(f".{_PACKAGE}.")
    return not ours or field.type in schema.messages or field.type in schema.enums


class _FileReader:
    """Reads one file; a comment is found by the path of field numbers to what it describes."""

    def __init__(self, file: FileDescriptorProto, schema: Schema) -> None:
        self._file = file
        self._schema = schema
        self._module = file.name.rpartition("/")[2].removesuffix(".proto") + "_pb2"
        self._comments = {
            tuple(location.path): " ".join(
                f"{location.leading_comments} {location.trailing_comments}".split()
            )
            for location in file.source_code_info.location
        }

    def read(self) -> None:
        for number, enum in enumerate(self._file.enum_type):
            self._enum(enum, (), (5, number))
        for number, message in enumerate(self._file.message_type):
            self._message(message, (), (4, number))
        for number, service in enumerate(self._file.service):
            for place, method in enumerate(service.method):
                self._schema.rpcs[method.name] = Rpc(
                    name=method.name,
                    path=f"/{_PACKAGE}.{service.name}/{method.name}",
                    comment=self._comments.get((6, number, 2, place), ""),
                    request=method.input_type,
                    response=method.output_type,
                    client_streams=method.client_streaming,
                    server_streams=method.server_streaming,
                    idempotent=method.options.idempotency_level == MethodOptions.NO_SIDE_EFFECTS,
                )

    def _message(
        self, message: DescriptorProto, parents: Sequence[str], path: tuple[int, ...]
    ) -> None:
        inside = (*parents, message.name)
        for number, enum in enumerate(message.enum_type):
            self._enum(enum, inside, (*path, 4, number))
        for number, nested in enumerate(message.nested_type):
            if not nested.options.map_entry:
                self._message(nested, inside, (*path, 3, number))
        full_name = _full_name(inside)
        self._schema.messages[full_name] = Message(
            full_name=full_name,
            name=message.name,
            symbol=".".join((self._module, *inside)),
            comment=self._comments.get(path, ""),
            fields=tuple(self._fields(message, path)),
        )

    def _fields(self, message: DescriptorProto, path: tuple[int, ...]) -> Iterator[Field]:
        entries = {entry.name: entry for entry in message.nested_type if entry.options.map_entry}
        for number, field in enumerate(message.field):
            entry = entries.get(field.type_name.rpartition(".")[2])
            held = field if entry is None else entry.field[1]
            repeated = field.label == FieldDescriptorProto.LABEL_REPEATED
            yield Field(
                name=field.name,
                type=_SCALARS.get(held.type, held.type_name),
                comment=self._comments.get((*path, 2, number), ""),
                enum=held.type == FieldDescriptorProto.TYPE_ENUM,
                repeated=repeated and entry is None,
                map=entry is not None,
                presence=field.HasField("oneof_index"),
                required=field_behavior_pb2.REQUIRED in field.options.Extensions[_BEHAVIOR],
                optional=field_behavior_pb2.OPTIONAL in field.options.Extensions[_BEHAVIOR],
            )

    def _enum(
        self, enum: EnumDescriptorProto, parents: Sequence[str], path: tuple[int, ...]
    ) -> None:
        full_name = _full_name((*parents, enum.name))
        prefix = _common_prefix(value.name for value in enum.value)
        owner = "".join(parents).removesuffix("Request")
        self._schema.enums[full_name] = Enum(
            full_name=full_name,
            name=owner + enum.name,
            symbol=".".join((self._module, *parents, enum.name)),
            comment=self._comments.get(path, ""),
            values=tuple(
                (value.name.removeprefix(prefix).lower(), value.name)
                for value in enum.value
                if value.number
            ),
            unspecified=enum.value[0].name,
        )


def _full_name(parts: Iterable[str]) -> str:
    return "." + ".".join((_PACKAGE, *parts))


def _common_prefix(names: Iterable[str]) -> str:
    """What all names of an enum begin with: the zero value is always PREFIX_UNSPECIFIED."""
    return next(iter(names)).removesuffix("UNSPECIFIED")
