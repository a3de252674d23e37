"""How rows and edges are written, in an answer as compact JSON and in its text, and how many bytes that takes.

Compact JSON has no blanks, and characters beyond ASCII as they are; what is absent, empty or false is left out, properties are plain values
and times RFC 3339. Text has a line for each value; one that would break its line, as a control character does, is written as JSON.
"""

import json
import re
from datetime import datetime
from json.encoder import encode_basestring
from typing import Final, NamedTuple, cast

from passageway_server.values.answers import EdgeRow, NodeRow, SpanPosition
from passageway_server.values.records import PropertyValue, Scalar, Vector

OF_NODES: Final = frozenset(
    {"id", "type", "name", "content", "project", "status", "covered", "revision", "part"}
)
"""What a row has beside its properties; a property of such a name is written with the prefix ``properties.``."""

OF_EDGES: Final = frozenset({"id", "source", "target", "type", "weight"})
"""The same of an edge."""

TEN_DIGITS: Final = 9_999_999_999
"""Stands for the time taken, which is not known before the answer is written."""

_BREAKS = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")
_LIKE_OURS = re.compile("(?:^|(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]))(?=[\\[—])")
_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Size(NamedTuple):
    """Bytes of JSON, in which the text is escaped, and of the text alone."""

    json: int = 0
    text: int = 0

    def and_(self, other: "Size") -> "Size":
        """Both together."""
        return Size(self.json + other.json, self.text + other.text)


def in_json(value: object) -> int:
    """The bytes of *value*, which is as JSON has it, with the quotes of a string."""
    encoded = encode_basestring(value) if isinstance(value, str) else _encoded(value)
    return len(encoded) if encoded.isascii() else len(encoded.encode())


def in_text(text: str) -> Size:
    """What *text* adds to the text of an answer."""
    return Size(in_json(text) - 2, len(text) if text.isascii() else len(text.encode()))


def lined(text: str) -> Size:
    """What a further line of the text adds, its line break included."""
    size = in_text(text)
    return Size(size.json + 2, size.text + 1)


def as_json(value: PropertyValue) -> object:
    """A value of a property, but a vector, as JSON has it."""
    if isinstance(value, list):
        return [_scalar(one) for one in value]
    if isinstance(value, Vector):
        raise TypeError("a vector is never packed")
    return _scalar(value)


def _scalar(value: Scalar) -> object:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def node_as_json(row: NodeRow) -> dict[str, object]:
    """A row with no more than its own texts, its properties, where it stands as a span and its revision, as JSON has it."""
    named = ("type", "name", "content", "project", "status", "revision")
    told: dict[str, object] = {"id": row.id}
    told |= {name: getattr(row, name) for name in named if getattr(row, name)}
    if row.properties:
        told["properties"] = {name: as_json(value) for name, value in row.properties.items()}
    if row.span is not None:
        told["span"] = span_as_json(row.span)
    return told


def span_as_json(span: SpanPosition) -> dict[str, object]:
    """Where a span stands, as JSON has it."""
    total = {} if span.total is None else {"total": span.total}
    breadcrumb = {"breadcrumb": span.breadcrumb} if span.breadcrumb else {}
    return {"parent_id": span.parent_id, "index": span.index, **total, **breadcrumb}


def plain(text: str) -> str:
    """*text* in one line: as it is, or as JSON in ASCII where it would break the line."""
    return json.dumps(text) if _BREAKS.search(text) else text


def value_line(name: str, value: PropertyValue, own: frozenset[str]) -> str:
    """A property as a line says it; *own* is what has a name of its own."""
    key = f"properties.{name}" if name in own else name
    return f"{plain(key)}: {_said(as_json(value))}"


def _said(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_said, cast(list[object], value)))
    return plain(value) if isinstance(value, str) else _encoded(value)


def header(row: NodeRow, name: str) -> str:
    """The first line of a row's block; *name* is "" where it stands elsewhere."""
    line = f"[{plain(row.id)}]"
    if row.type:
        line += f" {plain(row.type)}"
    return f"{line}: {plain(name)}" if name else line


def span_line(span: SpanPosition) -> str:
    """Where a span stands, as a line says it."""
    line = f"part: {span.index}"
    if span.total is not None:
        line += f" of {span.total}"
    line += f", of [{plain(span.parent_id)}]"
    return f"{line}, {plain(span.breadcrumb)}" if span.breadcrumb else line


def edge_line(edge: EdgeRow, name: str) -> str:
    """An edge in the block of its source; *name* is that of its target, "" where it stands elsewhere."""
    line = f"—{plain(edge.type)}→ [{plain(edge.target)}]"
    return f"{line} {plain(name)}" if name else line


def told(text: str) -> str:
    """*text* as it stands among lines: one of its own that begins as a block or an edge does has a blank before it."""
    return _LIKE_OURS.sub(" ", text)


def excerpt_line(name: str, offset: int, end: int, total: int, text: str) -> str:
    """An exact piece of the text *name*, behind a line that marks it as one."""
    return f"{name}, characters {offset} to {end} of {total}:\n{told(text)}"
