"""Writes the client and its asynchronous twin, both from one table of calls."""

from generator import calls, text
from generator.calls import Twin
from generator.schema import Schema
from generator.table import ON_CLIENT, ON_COLLECTION


def module(schema: Schema, twin: Twin) -> str:
    """The text of the module of one client."""
    streaming = f"from collections.abc import {', '.join(sorted(_abstract(twin)))}"
    lines = [
        f'"""The client and its collections{twin.about}: a method for each call of the contract.',
        "",
        "Generated from proto/; never edited.",
        '"""',
        "",
        streaming,
        "",
        "from google.protobuf.field_mask_pb2 import FieldMask",
        "",
        "from passageway import _arguments as arguments",
        "from passageway._expected import UNSENDABLE, wrong_argument",
        "from passageway._generated import methods",
        "from passageway._generated import numbers as _numbers",
        "from passageway._generated import values",
        "from passageway._properties import Properties, several, to_properties",
        f"from passageway._session import {twin.closing}, {twin.session}",
        "from passageway.v1 import graph_pb2, read_pb2, search_pb2, store_pb2",
        "",
        "",
        f"class {twin.prefix}Client({twin.closing}):",
        *text.docstring(
            "A connection, or an open folder: its collections, and the care of them", indent=4
        ),
        "",
        f'    def collection(self, name: str) -> "{twin.prefix}CollectionClient":',
        '        """The collection of that name. It makes no call: the name may be of none."""',
        f"        return {twin.prefix}CollectionClient(self._session, name)",
    ]
    for call in ON_CLIENT:
        lines += ["", *calls.lines(call, schema, twin, f"{twin.prefix}Client")]
    lines += [
        "",
        "",
        f"class {twin.prefix}CollectionClient:",
        *text.docstring("One collection of a client: reads, writes and snapshots", indent=4),
        "",
        f"    def __init__(self, session: {twin.session}, name: str) -> None:",
        "        self._session = session",
        "        self.name = name",
    ]
    for call in ON_COLLECTION:
        lines += ["", *calls.lines(call, schema, twin, f"{twin.prefix}CollectionClient")]
    return "\n".join(lines) + "\n"


def _abstract(twin: Twin) -> set[str]:
    return {"Callable", "Iterable", "Mapping", "Sequence", twin.iterator, twin.batches}
