"""Rows and edges as answers show them: which fields, how much of the text.

Characters are Unicode code points.
"""

from collections.abc import Iterable, Mapping, Sequence

from passageway.v1 import types_pb2
from tests.oracle.fields import (
    EDGE_BUILT_INS,
    KEYWORD,
    NODE_ANSWER_BUILT_INS,
    NODE_NAMEABLE,
    TEXT,
    Fields,
    Known,
    edge_fields,
    is_nameable,
    node_fields,
    property_named,
)
from tests.oracle.graph import Arc, Graph, Numbers, Row, values_of
from tests.oracle.refusals import Checks
from tests.oracle.revisions import revision

ELLIPSIS = "…"
MOST_PREVIEW = 50_000
THROUGH = "through"
"""The property of an edge made of two that names the node between them."""


def cut(text: str, budget: int) -> str:
    """At most *budget* characters of *text*: where it is cut, at white space if there is some near the end."""
    if len(text) <= budget:
        return text
    if budget == 0:
        return ""
    head = text[: budget - 1]
    for at in range(len(head) - 1, len(head) // 2 - 1, -1):
        if head[at].isspace():
            return head[:at] + ELLIPSIS
    return head + ELLIPSIS


def check_node_fields(
    graph: Graph, fields: Sequence[str], checks: Checks, *, path: str = "fields"
) -> None:
    """Note each of *fields* that the caller does not know as a field of nodes."""
    _check(fields, path, node_fields(graph), NODE_NAMEABLE, checks)


def check_edge_fields(
    graph: Graph,
    fields: Sequence[str],
    checks: Checks,
    *,
    path: str = "edge_fields",
    made: bool = False,
) -> None:
    """Note each of *fields* that the caller does not know as a field of edges; ``through`` is one of *made* ones."""
    known = edge_fields(graph)
    if made:
        known = {THROUGH: Known(KEYWORD, False, False), **known}
    _check(fields, path, known, EDGE_BUILT_INS, checks)


def _check(
    names: Sequence[str], path: str, known: Fields, built_ins: Iterable[str], checks: Checks
) -> None:
    for place, name in enumerate(names):
        checks.need(is_nameable(name, known, built_ins), f"{path}[{place}]")


def node_message(
    graph: Graph, row: Row, fields: Sequence[str], *, preview: int | None, revised: bool = False
) -> types_pb2.Node:
    """A row with the *fields* named (none: all but vectors); its content cut to *preview* characters (None: whole).

    Its revision is shown where it is named, and where the answer is one that is *revised*.
    """
    whole = not fields
    shown = types_pb2.Node(id=row.id, type=row.type)
    if row.span is not None:
        shown.span.CopyFrom(row.span)
    if whole or "name" in fields:
        shown.name = row.name
    if whole or "content" in fields:
        text = row.content if preview is None else row.content or _stand_in(row)
        shown.content = text if preview is None else cut(text, preview)
        shown.content_truncated = shown.content != text
    if whole or "project" in fields:
        shown.project = row.project
    if whole or "status" in fields:
        shown.status = row.status
    if whole or "covered" in fields:
        shown.covered = row.covered
    if revised or "revision" in fields:
        shown.revision = revision(row)
    if whole and graph.admin:
        shown.readers.extend(row.readers)
    for name in row.properties:
        if (whole and not _is_vector(row, name)) or _names(fields, name, NODE_NAMEABLE):
            shown.properties[name].CopyFrom(row.stored_properties[name])
    for name, ids in row.links.items():
        if whole or (name in fields and name not in NODE_NAMEABLE):
            shown.links[name].values.extend(ids)
    return shown


def cited_fields(graph: Graph) -> list[str]:
    """The properties that say where a row comes from."""
    usual = ["source", "url", "line_start", "line_end", "heading_path"]
    return list(graph.settings.citation_fields) or usual


def cited_message(graph: Graph, row: Row) -> types_pb2.Node:
    """A row as it stands beside its text: where it comes from, whether it still holds, and its revision."""
    shown = node_message(graph, row, ["status"], preview=None, revised=True)
    for name in {*cited_fields(graph), "expires_at"}:
        if name in row.properties and not _is_vector(row, name):
            shown.properties[name].CopyFrom(row.stored_properties[name])
    return shown


def _is_vector(holder: Row | Arc, name: str) -> bool:
    return isinstance(holder.properties[name].values[0], Numbers)


def _names(fields: Sequence[str], name: str, built_ins: Iterable[str]) -> bool:
    """Whether *fields* name the property, by itself where no built-in hides it."""
    by_itself = name in fields and name not in built_ins and name != "readers"
    return by_itself or any(
        field.startswith("properties.") and property_named(field) == name for field in fields
    )


def _stand_in(row: Row) -> str:
    """What is previewed of a row without content: its description, else its summary."""
    for name in ("description", "summary"):
        held = row.properties.get(name)
        if held and not held.many and isinstance(held.values[0], str) and held.values[0]:
            return held.values[0]
    return ""


def edge_message(graph: Graph, arc: Arc, fields: Sequence[str]) -> types_pb2.Edge:
    """An edge in its stored direction, with its effective weight."""
    shown = types_pb2.Edge(
        id=arc.id, source=arc.source, target=arc.target, type=arc.type, weight=arc.weight
    )
    for name in arc.properties:
        if (not fields and not _is_vector(arc, name)) or _names(fields, name, EDGE_BUILT_INS):
            shown.properties[name].CopyFrom(arc.stored_properties[name])
    if not fields and graph.admin:
        shown.readers.extend(arc.readers)
    return shown


def text_of(graph: Graph, row: Row, name: str) -> str | None:
    """The one text that a row holds under a name; None where it holds none."""
    if name == "content":
        return row.content
    held = row.properties.get(property_named(name))
    if held is None or held.many or not isinstance(held.values[0], str):
        return None
    return held.values[0]


def is_text(graph: Graph, name: str) -> bool:
    """Whether a name is that of ``content`` or of a property that holds strings."""
    if name == "content":
        return True
    known = node_fields(graph).get(property_named(name))
    if known is None or not is_nameable(name, node_fields(graph), NODE_ANSWER_BUILT_INS):
        return False
    if name in NODE_ANSWER_BUILT_INS:
        return False
    return known.kind in (types_pb2.FIELD_KIND_KEYWORD, TEXT)


def check_vars(vars: Mapping[str, types_pb2.Value], checks: Checks, *, path: str = "vars") -> None:
    """Note each var that is not finite."""
    for name, value in vars.items():
        for number in values_of(value).values:
            if isinstance(number, float) and number - number != 0.0:
                checks.fault(f"{path}.{name}")
