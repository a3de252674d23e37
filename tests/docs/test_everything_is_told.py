"""Nothing of the contract, the command line or the errors is left out of the pages."""

import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from inspect import getdoc, isclass, isfunction
from typing import Any

import pytest
import typer
from google.protobuf.descriptor import Descriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

import passageway
from passageway import _errors
from passageway.cli.app import NOT_BUILT, app
from passageway.cli.settings import SETTINGS
from passageway.v1 import graph_pb2, store_pb2
from passageway_server import errors
from tests.docs.pages import REPOSITORY

SERVICES: list[ServiceDescriptor] = [
    file.DESCRIPTOR.services_by_name[name]
    for file, name in ((graph_pb2, "GraphService"), (store_pb2, "StoreService"))
]
OF_THE_CLIENT = {
    ("FAILED_PRECONDITION", _errors.CLIENT_CLOSED),
    ("UNAVAILABLE", _errors.NO_SERVER),
    ("UNAVAILABLE", _errors.CONNECTION_LOST),
}
"""Reasons that no server gives."""


OF_THE_FIELD_OPTIONS = {"name", "kind", "repeated", "dimensions", "similarity", "readers"}
"""Members of a field that ``--field`` and ``--field-reader`` set."""


@cache
def page(name: str) -> str:
    return (REPOSITORY / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("call", [rpc.name for service in SERVICES for rpc in service.methods])
def test_every_rpc_is_told_as_a_method_of_the_client(call: str) -> None:
    method = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", call).lower()

    assert f".{method}(" in page("python.md")


def test_every_field_of_the_contract_has_a_comment_or_stands_on_the_page_of_the_client() -> None:
    commented = _commented_fields()
    silent = {
        f"{message.name}.{field.name}"
        for message in _messages()
        for field in message.fields
        if f"{message.full_name}.{field.name}" not in commented
        and f"`{field.name}`" not in page("python.md")
    }

    assert sorted(silent) == []


def test_every_public_name_and_method_of_the_client_has_a_docstring() -> None:
    bare: list[str] = []
    for name in passageway.__all__:
        value = getattr(passageway, name)
        if isclass(value):
            bare += [
                f"{name}.{key}"
                for key, member in vars(value).items()
                if isfunction(member) and not key.startswith("_") and not member.__doc__
            ]
        if (isclass(value) or isfunction(value)) and not getdoc(value):
            bare.append(name)

    assert bare == []


def test_every_command_and_option_is_on_the_page_of_the_command_line() -> None:
    told = set(re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", page("cli.md")))
    missing: list[str] = []
    for name, command in _commands(typer.main.get_command(app)):
        short = name.removeprefix("passageway ")
        if (f"`{short}`" if short in NOT_BUILT else name) not in page("cli.md"):
            missing.append(name)
        missing += [
            f"{name} {'/'.join(option.opts)}"
            for option in command.params
            if option.param_type_name == "option" and not {*option.opts} & {*told, "--help"}
        ]

    assert missing == []


def test_what_only_a_file_sets_of_a_collection_is_on_the_page_of_the_command_line() -> None:
    commands = dict(_commands(typer.main.get_command(app)))
    options = {
        part for each in commands["passageway collection create"].params for part in each.opts
    }
    settings = {
        name
        for name in SETTINGS
        if not {f"--{form.replace('_', '-')}" for form in (name, name.removesuffix("s"))} & options
    }
    of_fields = {member.name for member in fields(passageway.Field)} - OF_THE_FIELD_OPTIONS
    section = page("cli.md").partition("Only a file sets ")[2].partition(": `{")[0]

    assert set(re.findall(r"`(\w+)`", section)) == settings | of_fields


def test_every_reason_is_on_the_page_of_the_errors_beside_its_status() -> None:
    rows = set(re.findall(r"^\| ([A-Z_]+) \| `([A-Z_]+)` \|", page("errors.md"), re.MULTILINE))

    assert _reasons() | OF_THE_CLIENT == rows


def _reasons() -> set[tuple[str, str]]:
    """Status and reason of all that the server refuses; a cap gives its reason where it is raised."""
    kinds = [kind for kind in vars(errors).values() if isclass(kind)]
    found = {
        (kind.code, kind.reason)
        for kind in kinds
        if issubclass(kind, errors.PassagewayError)
        and kind not in (errors.Precondition, errors.LimitExceeded)
    }
    caps = re.compile(r"LimitExceeded\(\s*\"([A-Z_]+)\"")
    for file in (REPOSITORY / "server").rglob("*.py"):
        found |= {
            (errors.LimitExceeded.code, reason)
            for reason in caps.findall(file.read_text(encoding="utf-8"))
        }
    return found


def _commands(command: Any, name: str = "passageway") -> Iterator[tuple[str, Any]]:
    """Groups and commands by their full names; typer brings its own click, so they are told by what they have."""
    yield name, command
    for part, each in getattr(command, "commands", {}).items():
        yield from _commands(each, f"{name} {part}")


def _messages() -> list[Descriptor]:
    """Messages of the contract that the calls of this release send or answer."""
    waiting = [
        message
        for service in SERVICES
        for rpc in service.methods
        for message in (rpc.input_type, rpc.output_type)
    ]
    found: dict[str, Descriptor] = {}
    while waiting:
        message = waiting.pop()
        if message.full_name in found or not message.full_name.startswith("passageway.v1."):
            continue
        found[message.full_name] = message
        waiting += [field.message_type for field in message.fields if field.message_type]
    return [message for message in found.values() if not message.GetOptions().map_entry]


def _commented_fields() -> set[str]:
    """Full names of the fields beside which the contract has a comment."""
    found: set[str] = set()
    for file in _contract().file:
        commented = {
            tuple(place.path)
            for place in file.source_code_info.location
            if place.leading_comments or place.trailing_comments
        }

        def visit(
            message: DescriptorProto,
            path: tuple[int, ...],
            prefix: str,
            commented: set[tuple[int, ...]] = commented,
        ) -> None:
            name = f"{prefix}.{message.name}"
            found.update(
                f"{name}.{field.name}"
                for at, field in enumerate(message.field)
                if (*path, 2, at) in commented
            )
            for at, nested in enumerate(message.nested_type):
                visit(nested, (*path, 3, at), name)

        for at, message in enumerate(file.message_type):
            visit(message, (4, at), file.package)
    return found


def _contract() -> FileDescriptorSet:
    sys.path.insert(0, str(REPOSITORY / "proto"))
    try:
        from generator import protoc
    finally:
        sys.path.pop(0)
    return protoc.descriptors(REPOSITORY / "proto")
