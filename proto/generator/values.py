"""Writes passageway/_generated/values.py: a frozen dataclass for each message that callers meet."""

from collections.abc import Iterator

from generator import text
from generator.schema import Enum, Field, Message, Schema
from generator.shapes import Shape, is_value, shape
from generator.table import INLINED, MERGED, MIXINS, POSITIONAL

_HEADER = '''"""The records, requests' parts and answers of the contract as frozen values.

Generated from proto/; never edited. A value turns into its message and back, and into a plain JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass
from dataclasses import field as _field
from datetime import datetime
from typing import Literal, Self

from passageway._expected import UNSENDABLE, wrong_member
from passageway._generated import numbers as _numbers
from passageway._json import JsonObject, Members, compact, json_links, json_properties, json_time
from passageway._properties import (
    Links,
    Properties,
    Property,
    from_links,
    from_properties,
    from_time,
    several,
    to_links,
    to_properties,
    to_time,
)
'''


def module(schema: Schema) -> str:
    """The text of the module of values."""
    messages = [
        message
        for full_name, message in schema.messages.items()
        if is_value(full_name, schema) and message.name not in INLINED
    ]
    lines = [_HEADER.rstrip()]
    lines += sorted(f"from {where} import {base}" for base, where in MIXINS.values())
    modules = sorted({message.symbol.partition(".")[0] for message in messages})
    lines += [f"from passageway.v1 import {', '.join(modules)}", ""]
    lines += [line for enum in schema.enums.values() for line in alias(enum)]
    for message in _leaves_first(messages, schema):
        lines += ["", *_ValueWriter(message, schema).lines()]
    return "\n".join(lines) + "\n"


def alias(enum: Enum) -> Iterator[str]:
    """The words of an enum as a type."""
    words = ", ".join(f'"{word}"' for word, _ in enum.values)
    yield f"{enum.name} = Literal[{words}]"
    if enum.comment:
        yield from text.docstring(enum.comment, indent=0)


def _leaves_first(messages: list[Message], schema: Schema) -> list[Message]:
    """Messages after those that they hold, for annotations and defaults name them."""
    ordered: dict[str, Message] = {}

    def visit(message: Message) -> None:
        for field in message.fields:
            held = schema.messages.get(field.type)
            if held in messages and held is not message and held.full_name not in ordered:
                visit(held)
        ordered.setdefault(message.full_name, message)

    for message in messages:
        visit(message)
    return list(ordered.values())


class _ValueWriter:
    """Writes one class."""

    def __init__(self, message: Message, schema: Schema) -> None:
        self._message = message
        self._schema = schema
        self._merged = {
            field.name: schema.messages[field.type]
            for field in message.fields
            if (message.name, field.name) in MERGED
        }

    def lines(self) -> Iterator[str]:
        mixin = MIXINS.get(self._message.name)
        yield ""
        yield "@dataclass(frozen=True, slots=True)"
        yield f"class {self._message.name}{f'({mixin[0]})' if mixin else ''}:"
        comment = self._message.comment or f"{self._message.name} of the contract"
        said = [(name, field.comment) for name, field, _ in self._attributes()]
        yield from text.docstring(comment, indent=4, parameters=said)
        yield ""
        yield from self._fields()
        yield from self._after_init()
        yield from self._to_message()
        yield from self._from_message()
        yield from self._to_dict()
        yield from self._from_dict()

    def _attributes(self) -> list[tuple[str, Field, str]]:
        """Attributes by name, with the field and the merged field that holds it ("" for none)."""
        own = [
            attribute
            for field in self._message.fields
            for attribute in (
                self._merged_attributes(field.name)
                if field.name in self._merged
                else [(field.name, field, "")]
            )
        ]
        first = POSITIONAL.get(self._message.name, ())
        return sorted(own, key=lambda a: (not a[1].required, a[0] not in first))

    def _merged_attributes(self, holder: str) -> list[tuple[str, Field, str]]:
        renamed = MERGED[self._message.name, holder]
        return [
            (renamed.get(field.name, field.name), field, holder)
            for field in self._merged[holder].fields
        ]

    def _fields(self) -> Iterator[str]:
        first = POSITIONAL.get(self._message.name, ())
        by_keyword = False
        for name, field, _ in self._attributes():
            if not by_keyword and not field.required and name not in first:
                by_keyword = True
                yield "    _: KW_ONLY"
            held = self._shape(field)
            default = "" if field.required else f" = {held.default}"
            yield f"    {name}: {held.annotation}{default}"
        for holder, message in self._merged.items():
            yield f"    {holder}: InitVar[{message.name} | None] = None"
        yield ""

    def _after_init(self) -> Iterator[str]:
        if not self._merged:
            return
        parameters = [f"{holder}: {held.name} | None" for holder, held in self._merged.items()]
        yield f"    def __post_init__(self, {', '.join(parameters)}) -> None:"
        for holder in self._merged:
            yield f"        if {holder} is not None:"
            for name, field, _ in self._merged_attributes(holder):
                yield f'            object.__setattr__(self, "{name}", {holder}.{field.name})'
        yield ""

    def _to_message(self) -> Iterator[str]:
        yield f"    def to_message(self) -> {self._message.symbol}:"
        yield '        """The message of this value."""'
        arguments = [
            f"{field.name}={self._shape(field).write.format(f'self.{name}')}"
            for name, field, holder in self._attributes()
            if not holder
        ]
        for holder, message in self._merged.items():
            inner = ", ".join(
                f"{field.name}={self._shape(field).write.format(f'self.{name}')}"
                for name, field, _ in self._merged_attributes(holder)
            )
            arguments.append(f"{holder}={message.symbol}({inner})")
        yield "        try:"
        yield from text.call(f"return {self._message.symbol}", arguments, indent=12)
        yield "        except UNSENDABLE as fault:"
        yield "            raise wrong_member(self, fault) from None"
        yield ""

    def _from_message(self) -> Iterator[str]:
        yield "    @classmethod"
        yield f"    def from_message(cls, message: {self._message.symbol}) -> Self:"
        yield '        """The value of *message*."""'
        arguments: list[str] = []
        for name, field, holder in self._attributes():
            place = f"message.{holder}" if holder else "message"
            take = self._shape(field).take.replace("message.HasField", f"{place}.HasField")
            arguments.append(f"{name}={take.format(f'{place}.{field.name}')}")
        yield from text.call("return cls", arguments, indent=8)
        yield ""

    def _to_dict(self) -> Iterator[str]:
        yield "    def to_dict(self) -> JsonObject:"
        yield '        """A plain JSON object, without what is absent, empty or by default false."""'
        yield "        return compact("
        yield "            {"
        for name, field, _ in self._attributes():
            yield f'                "{name}": {self._shape(field).json.format(f"self.{name}")},'
        yield "            }"
        yield "        )"
        yield ""

    def _from_dict(self) -> Iterator[str]:
        names = sorted(name for name, _, _ in self._attributes())
        known = f"_{text.constant(self._message.name)}"
        yield "    @classmethod"
        yield "    def from_dict(cls, source: object) -> Self:"
        yield '        """The value of a plain JSON object; BadRecord names the member that is wrong."""'
        yield f"        members = Members(source, {known})"
        arguments: list[str] = []
        for name, field, _ in self._attributes():
            arguments.append(f"{name}={self._shape(field).read.format(name)}")
        for holder, message in self._merged.items():
            arguments.append(f'{holder}=members.record("{holder}", {message.name}.from_dict)')
            names.append(holder)
        yield from text.call("return cls", arguments, indent=8)
        yield ""
        yield ""
        yield from text.call(
            f"{known} = frozenset", [repr(sorted(names)).replace("'", '"')], indent=0
        )

    def _shape(self, field: Field) -> Shape:
        """The shape of *field*; a required choice of a value has no None."""
        return shape(field, self._schema)
