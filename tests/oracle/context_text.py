"""The text of a Context: what its nodes, edges and excerpts say, as a person would write it down."""

import json
import re
from typing import Any, cast

from passageway import ContextResponse

SHORT = 160
"""Bytes of a name that stands in the first line of its block, and beside edges."""

OF_NODES = {"id", "type", "name", "content", "project", "status", "covered", "revision", "part"}
OF_EDGES = {"id", "source", "target", "type", "weight"}


def text_of_answer(answer: ContextResponse) -> str:
    """One block for each node, with the edges that lead from it."""
    whole: dict[str, Any] = answer.to_dict()
    nodes: list[dict[str, Any]] = whole.get("nodes", [])
    names = {node["id"]: _short(node.get("name", "")) for node in nodes}
    excerpts = {piece["id"]: piece for piece in whole.get("excerpts", [])}
    blocks: list[str] = []
    for node in nodes:
        lines = _node_lines(node, names[node["id"]], excerpts.get(node["id"]))
        for edge in whole.get("edges", []):
            if edge["source"] == node["id"]:
                lines.append(_edge_line(edge, names[edge["target"]]))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def marked(text: str) -> str:
    """A text, in which no line begins as a block or an edge does."""
    lines = re.split("([\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029])", text)
    return "".join(f" {line}" if line[:1] in ("[", "—") else line for line in lines)


def _node_lines(node: dict[str, Any], name: str, excerpt: dict[str, Any] | None) -> list[str]:
    first = f"[{_plain(node['id'])}]"
    if "type" in node:
        first += " " + _plain(node["type"])
    lines = [first + (": " + _plain(name) if name else "")]
    if "name" in node and not name:
        lines.append("name: " + _plain(node["name"]))
    if "content" in node:
        lines.append(marked(node["content"]))
    if excerpt is not None:
        place = f"characters {excerpt['offset']} to {excerpt['end']} of {excerpt['total_chars']}"
        lines += [f"{excerpt['property']}, {place}:", marked(excerpt["text"])]
    if "status" in node:
        lines.append("status: " + _plain(node["status"]))
    for key, value in sorted(node.get("properties", {}).items()):
        lines.append(_said(key, value, OF_NODES))
    if "span" in node:
        span = node["span"]
        of = f" of {span['total']}" if "total" in span else ""
        line = f"part: {span['index']}{of}, of [{_plain(span['parent_id'])}]"
        lines.append(line + (", " + _plain(span["breadcrumb"]) if "breadcrumb" in span else ""))
    if "project" in node:
        lines.append("project: " + _plain(node["project"]))
    if "covered" in node:
        lines.append("covered: true")
    if "revision" in node:
        lines.append("revision: " + node["revision"])
    return lines


def _edge_line(edge: dict[str, Any], name: str) -> str:
    line = f"—{_plain(edge.get('type', ''))}→ [{_plain(edge['target'])}]"
    if name:
        line += " " + _plain(name)
    held = [
        _said(key, value, OF_EDGES) for key, value in sorted(edge.get("properties", {}).items())
    ]
    return line + (f" ({', '.join(held)})" if held else "")


def _said(key: str, value: Any, own: set[str]) -> str:
    key = "properties." + key if key in own else key
    values = cast(list[object], value) if isinstance(value, list) else [value]
    said = [
        _plain(one) if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
        for one in values
    ]
    return f"{_plain(key)}: {', '.join(said)}"


def _plain(text: str) -> str:
    """Text that fits into a line; what would break one is written as JSON."""
    return json.dumps(text) if re.search("[\x00-\x1f\x7f\x85\u2028\u2029]", text) else text


def _short(name: str) -> str:
    return name if len(name.encode()) <= SHORT else ""
