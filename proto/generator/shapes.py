"""How one field of the contract looks in Python: its type, its default, and its four conversions.

An expression is a template with one hole: ``{}`` is the value, or in ``read`` the name of the member.
"""

from dataclasses import dataclass

from generator import text
from generator.schema import Field, Schema
from generator.table import WRAPPERS

_TIME = ".google.protobuf.Timestamp"
_MASK = ".google.protobuf.FieldMask"
_VALUE = ".passageway.v1.Value"
_LINKS = ".passageway.v1.StringList"
_READERS = {"str": "text", "int": "integer", "float": "number", "bool": "flag"}
_ZEROS = {"str": '""', "int": "0", "float": "0.0", "bool": "False"}


@dataclass(frozen=True, slots=True)
class Shape:
    """``write``: value to message field; ``take``: message field to value; ``json``: value to JSON;
    ``read``: JSON member to value. ``take`` may ask ``message.HasField``. ``plain``: take needs no call.
    """

    annotation: str
    default: str
    write: str
    take: str
    json: str
    read: str


def shape(field: Field, schema: Schema, scope: str = "") -> Shape:
    """The shape of *field*; classes of values are named with *scope* before them."""
    if field.map:
        return _map(field, schema, scope)
    if field.repeated:
        return _list(field, schema, scope)
    if field.type == _TIME:
        return Shape(
            "datetime | None",
            "None",
            "None if {0} is None else to_time({0})",
            f'from_time({{}}) if message.HasField("{field.name}") else None',
            "json_time({})",
            'members.time("{}")',
        )
    if field.type == _MASK:
        mask = 'FieldMask(paths=several({0}, "update_mask"))'
        return Shape("Sequence[str]", "()", f"{mask} if {{0}} else None", "", "", "")
    if field.enum:
        return _enum(field, schema, scope)
    if field.type.startswith("."):
        name = scope + schema.messages[field.type].name
        return Shape(
            f"{name} | None",
            "None",
            "None if {0} is None else {0}.to_message()",
            f'{name}.from_message({{}}) if message.HasField("{field.name}") else None',
            "None if {0} is None else {0}.to_dict()",
            f'members.record("{{}}", {name}.from_dict)',
        )
    return _scalar(field)


def _scalar(field: Field) -> Shape:
    reader = _READERS[field.type]
    if field.presence:
        return Shape(
            f"{field.type} | None",
            "None",
            "{}",
            f'{{}} if message.HasField("{field.name}") else None',
            "{}",
            f'members.optional_{reader}("{{}}")',
        )
    # A false that nobody can tell from absent is left out of JSON; one of a field with presence stands. A 0 is a number as
    # any other, but where the contract says that the field may be left out.
    json = "{} or None" if field.type == "bool" or field.optional else "{}"
    return Shape(field.type, _ZEROS[field.type], "{}", "{}", json, f'members.{reader}("{{}}")')


def _enum(field: Field, schema: Schema, scope: str) -> Shape:
    enum = schema.enums[field.type]
    table = f"_numbers.{text.constant(enum.name)}"
    prefix = enum.values[0][1].lower().removesuffix(enum.values[0][0])
    return Shape(
        f"{scope}{enum.name} | None",
        "None",
        f'_numbers.number({table}, {{}}, "{field.name}")',
        f"_numbers.word({table}, {{}})",
        "{}",
        f'members.choice("{{}}", {table}, "{prefix}")',
    )


def _list(field: Field, schema: Schema, scope: str) -> Shape:
    if field.type == "str":
        write = f'several({{}}, "{field.name}")'
        return Shape("Sequence[str]", "()", write, "tuple({})", "list({})", 'members.texts("{}")')
    if not field.type.startswith("."):
        read = 'members.numbers("{}")'
        return Shape("Sequence[float]", "()", "{}", "tuple({})", "list({})", read)
    name = scope + schema.messages[field.type].name
    return Shape(
        f"Sequence[{name}]",
        "()",
        "[item.to_message() for item in {}]",
        f"tuple([{name}.from_message(item) for item in {{}}])",
        "[item.to_dict() for item in {}]",
        f'members.records("{{}}", {name}.from_dict)',
    )


def _map(field: Field, schema: Schema, scope: str) -> Shape:
    if field.type == _VALUE:
        return Shape(
            "Properties",
            "_field(default_factory=dict[str, Property])",
            "to_properties({})",
            "from_properties({})",
            "json_properties({})",
            'members.properties("{}")',
        )
    if field.type == _LINKS:
        return Shape(
            "Links",
            "_field(default_factory=dict[str, Sequence[str]])",
            "to_links({})",
            "from_links({})",
            "json_links({})",
            'members.links("{}")',
        )
    if not field.type.startswith("."):
        return Shape(
            f"Mapping[str, {field.type}]",
            f"_field(default_factory=dict[str, {field.type}])",
            "{}",
            "dict(sorted({}.items()))",
            "dict({})",
            f'members.plain_map("{{}}", {field.type})',
        )
    name = scope + schema.messages[field.type].name
    return Shape(
        f"Mapping[str, {name}]",
        f"_field(default_factory=dict[str, {name}])",
        "{{key: item.to_message() for key, item in {}.items()}}",
        f"{{{{key: {name}.from_message(item) for key, item in sorted({{}}.items())}}}}",
        "{{key: item.to_dict() for key, item in {}.items()}}",
        f'members.record_map("{{}}", {name}.from_dict)',
    )


def is_value(full_name: str, schema: Schema) -> bool:
    """Whether a message becomes a class: not a wrapper of plain values, nor a request, nor empty."""
    message = schema.messages[full_name]
    requests = {rpc.request for rpc in schema.rpcs.values()}
    return message.name not in WRAPPERS and full_name not in requests and bool(message.fields)
