"""What the columns of a table may be, by the field that each is of: told of all at once, before a row is read."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pyarrow import types

from passageway.cli.records import SHAPES

Arrow = Any
"""A schema, or a type, of Arrow, which brings no types of its own."""

PROPERTIES, LINKS = "properties", "links"

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "nodes": ("id",),
    "edges": ("id", "source", "target"),
    "passages": ("id", "parent_id"),
}
"""The columns without which no row of a kind is a record."""


class Column(NamedTuple):
    """A column, or a member of a column that is a struct: its whole name, its field, its name in that, or "", its type."""

    name: str
    field: str
    inside: str
    type: Arrow


def columns_of(schema: Arrow) -> Iterator[Column]:
    """The columns of *schema*, structs of properties and links taken apart."""
    for each in schema:
        field, _, inside = each.name.partition(".")
        if field in (PROPERTIES, LINKS) and not inside and types.is_struct(each.type):
            for at in range(each.type.num_fields):
                member = each.type.field(at)
                yield Column(f"{field}.{member.name}", field, member.name, member.type)
        else:
            yield Column(each.name, field, inside, each.type)


def faults(kind: str, schema: Arrow) -> list[str]:
    """What is wrong with the columns of a table of *kind*, nodes, edges or passages: what was found, and what to do."""
    found: list[str] = []
    seen: set[str] = set()
    for column in columns_of(schema):
        fault = _fault(kind, column)
        if column.name in seen:
            found.append(f"the column {column.name} is there twice; drop one of the two")
        elif fault is not None:
            found.append(fault)
        seen.add(column.name)
    missing = [name for name in NEEDED[kind] if name not in seen]
    return found + [f"no column {name}, which every row needs" for name in missing]


def times(schema: Arrow) -> Iterator[tuple[str, str, bool]]:
    """The columns of properties that are times: the name, the property, and whether they hold lists."""
    for column in columns_of(schema):
        repeated = is_list(column.type)
        held = column.type.value_type if repeated else column.type
        if column.field == PROPERTIES and types.is_timestamp(held):
            yield column.name, column.inside, repeated


def _fault(kind: str, column: Column) -> str | None:
    name, field, inside, held = column
    shape = SHAPES[kind]
    if field not in shape or bool(inside) != (field in (PROPERTIES, LINKS)):
        if field in shape and not inside:
            return (
                f"the column {name} is of type {held}; make a column {field}.NAME of each name in it,"
                " or a struct of all"
            )
        known = ", ".join(f"{key}.NAME" if key in (PROPERTIES, LINKS) else key for key in shape)
        return f"the column {name} is none of {known}; drop it, or name it properties.{name}"
    taken, words = _TAKEN[shape[field]]
    if types.is_null(held) or taken(held):
        return None
    return f"the column {name} is of type {held}, expected are {words}; {_remedy(held, words)}"


def is_text(held: Arrow) -> bool:
    """Whether values of this type are strings, coded ones too."""
    if types.is_dictionary(held):
        return is_text(held.value_type)
    return bool(types.is_string(held) or types.is_large_string(held) or types.is_string_view(held))


def is_list(held: Arrow) -> bool:
    """Whether values of this type are lists."""
    return bool(types.is_list(held) or types.is_large_list(held) or types.is_fixed_size_list(held))


def _is_texts(held: Arrow) -> bool:
    return is_list(held) and (is_text(held.value_type) or types.is_null(held.value_type))


def _is_number(held: Arrow) -> bool:
    return bool(types.is_integer(held) or types.is_floating(held))


def _is_value(held: Arrow) -> bool:
    if is_list(held):
        return not is_list(held.value_type) and (
            types.is_null(held.value_type) or _is_value(held.value_type)
        )
    return (
        is_text(held)
        or _is_number(held)
        or bool(types.is_boolean(held) or (types.is_timestamp(held) and held.tz is not None))
    )


_TAKEN: Final[Mapping[Any, tuple[Callable[[Arrow], bool], str]]] = {
    str: (is_text, "strings"),
    list: (_is_texts, "lists of strings"),
    bool: (types.is_boolean, "bools"),
    float: (_is_number, "numbers"),
    int: (types.is_integer, "whole numbers"),
    PROPERTIES: (_is_value, "strings, numbers, bools, times with a zone, or lists of one of these"),
    LINKS: (_is_texts, "lists of strings"),
}
"""By the type of a key in a line of JSONL: whether a column takes the place of it, and how that is said."""


def _remedy(held: Arrow, words: str) -> str:
    """What to do about a column of a type that is not taken."""
    if is_text(held) and words == "lists of strings":
        return "wrap each value in a list"
    if is_list(held):
        held = held.value_type
    if is_list(held):
        return "flatten the lists, or write each as a string"
    if types.is_binary(held) or types.is_large_binary(held):
        return "cast it to string, where it is text in UTF-8"
    if words == _TAKEN[PROPERTIES][1]:
        for found, told in _REMEDIES:
            if found(held):
                return told
    return "cast it"


_REMEDIES: Final[tuple[tuple[Callable[[Arrow], bool], str], ...]] = (
    (types.is_timestamp, "give the times a zone, such as UTC"),
    (types.is_date, "cast it to a timestamp with a zone, or to string"),
    (types.is_decimal, "cast it to float64, or to string, which keeps every digit"),
    (types.is_temporal, "cast it to a number, or to string"),
    (types.is_nested, "make a column properties.NAME of each value in it"),
)
"""Of a property. The first that fits is told."""
