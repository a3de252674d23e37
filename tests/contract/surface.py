"""The contract as one line for each thing that a peer relies on: numbers, types and names.

``python -m tests.contract.surface > tests/contract/v1.txt`` writes down what a release adds; no line is ever taken out.
"""

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor

from passageway.v1 import (
    columns_pb2,
    graph_pb2,
    query_pb2,
    read_pb2,
    search_pb2,
    store_pb2,
    types_pb2,
)

WRITTEN_DOWN = Path(__file__).with_name("v1.txt")
FILES: list[FileDescriptor] = [
    module.DESCRIPTOR
    for module in (
        types_pb2,
        query_pb2,
        columns_pb2,
        graph_pb2,
        read_pb2,
        search_pb2,
        store_pb2,
    )
]


def surface() -> Iterator[str]:
    """Every line, file by file and in the order of the contract."""
    for file in FILES:
        for enum in file.enum_types_by_name.values():
            yield from _enum(enum)
        for message in file.message_types_by_name.values():
            yield from _message(message)
        for service in file.services_by_name.values():
            for rpc in service.methods:
                asked = f"{'stream ' if rpc.client_streaming else ''}{rpc.input_type.full_name}"
                given = f"{'stream ' if rpc.server_streaming else ''}{rpc.output_type.full_name}"
                yield f"rpc {rpc.full_name}({asked}) {given}"


def _message(message: Descriptor) -> Iterator[str]:
    for field in message.fields:
        yield f"field {message.full_name} {field.number} {field.name} {_type(field)}"
    for enum in message.enum_types:
        yield from _enum(enum)
    for nested in message.nested_types:
        yield from _message(nested)


def _enum(enum: EnumDescriptor) -> Iterator[str]:
    for value in enum.values:
        yield f"value {enum.full_name} {value.number} {value.name}"


def _type(field: FieldDescriptor) -> str:
    held = field.message_type or field.enum_type
    name = held.full_name if held else _SCALARS[field.type]
    if field.is_repeated:
        return f"repeated {name}"
    oneof = field.containing_oneof
    return f"{name} {oneof.name}" if oneof else name


_SCALARS = {
    getattr(FieldDescriptor, name): name.removeprefix("TYPE_").lower()
    for name in vars(FieldDescriptor)
    if name.startswith("TYPE_")
}


if __name__ == "__main__":
    print("\n".join(surface()))
