"""What may be packed of a row or an edge, piece by piece, and how many bytes each piece takes.

A piece is a value that comes whole or not at all. Pieces of a row stand in the order in which they are packed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from passageway_server.engine.packing.written import (
    OF_EDGES,
    OF_NODES,
    Size,
    as_json,
    edge_line,
    header,
    in_json,
    in_text,
    lined,
    plain,
    span_as_json,
    span_line,
    told,
    value_line,
)
from passageway_server.values.answers import EdgeRow, NodeRow
from passageway_server.values.context import BYTES_OF_A_TOKEN, MOST_TOKENS
from passageway_server.values.records import PropertyValue

TEXTS: Final = ("content", "summary", "description")
"""Where the text of a row stands: in the first of these that it has."""

MOST_BYTES: Final = BYTES_OF_A_TOKEN * MOST_TOKENS
"""What has more, or as many characters, never fits: it is not measured."""

SHORT: Final = 160
"""Bytes of a name, a status or a source past which it is no part of the identity."""
_LARGER: Final = 1 << 41
_NEVER: Final = Size(_LARGER, _LARGER)

_CITED_TOO = ("status", "expires_at", "span")  # behind the citation fields

_BOOK_KEEPING = re.compile(
    r"(created|updated|modified|accessed|last_[a-z]+)(_at)?|(.+_)?(count|counter)"
)


class Group(IntEnum):
    """The order in which pieces of rows are packed."""

    IDENTITY = 0
    REVISION = 1
    CITATION = 2
    CONTENT = 3
    SUMMARY = 4
    DESCRIPTION = 5
    NAME = 6
    REST = 7
    BOOK_KEEPING = 8


class Piece(NamedTuple):
    """``json`` is of its member in JSON without the comma, ``text`` of its line.

    ``property`` says that ``name`` is that of a property; else it is what every row has, such as ``content``.
    """

    group: Group
    name: str
    property: bool
    json: int
    text: Size


@dataclass(frozen=True, slots=True)
class Card:
    """A row: its identity as one, which is its id, type and short name, status and source, and its other pieces."""

    row: NodeRow
    name: str  # as headers and edges show it; "" where it is long
    json: int
    text: Size  # of the header and of the lines of the identity
    identity: tuple[Piece, ...]  # name, status and source in it
    pieces: tuple[Piece, ...]
    first_text: Piece | None


@dataclass(frozen=True, slots=True)
class EdgeCard:
    """An edge, and its properties in the order of their names, each with what it adds to the line of the edge."""

    edge: EdgeRow
    name: str  # of its target, as the text shows it
    json: int
    text: Size
    pieces: tuple[Piece, ...]


def card_of(row: NodeRow, cited: Sequence[str], *, has_long: bool = False) -> Card:
    """The card of *row*, whole, with the citation fields *cited*; one that *has_long* content comes without it."""
    pieces: list[Piece] = []
    named = _is_short(row.name)
    source = cited[0] if cited else ""
    if row.name:
        group = Group.IDENTITY if named else Group.NAME
        line = Size() if named else _line(f"name: {plain(row.name)}")
        pieces.append(_own(group, "name", row.name, line))
    if row.status:
        group = Group.IDENTITY if _is_short(row.status) else Group.CITATION
        line = _line(f"status: {plain(row.status)}")
        pieces.append(_own(group, "status", row.status, line))
    if row.content or has_long:
        line = _NEVER if has_long else _line(told(row.content))
        pieces.append(_own(Group.CONTENT, "content", row.content, line))
    if row.span is not None:
        line = _line(span_line(row.span))
        pieces.append(_own(Group.CITATION, "span", span_as_json(row.span), line))
    if row.project:
        line = _line(f"project: {plain(row.project)}")
        pieces.append(_own(Group.BOOK_KEEPING, "project", row.project, line))
    if row.covered:
        line = _line("covered: true")
        pieces.append(_own(Group.BOOK_KEEPING, "covered", True, line))
    line = _line(f"revision: {row.revision}")
    pieces.append(_own(Group.REVISION, "revision", row.revision, line))
    for name, value in row.properties.items():
        group = _group(name, cited)
        if name == source and isinstance(value, str) and _is_short(value):
            group = Group.IDENTITY
        pieces.append(_property(group, name, value))
    pieces.sort(key=lambda piece: (piece.group, _place(piece, cited), piece.name, piece.property))
    identity = tuple(piece for piece in pieces if piece.group == Group.IDENTITY)
    by_name = {
        piece.name: piece for piece in pieces if piece.name in TEXTS and _is_text(piece, row)
    }
    size = in_text(header(row, row.name if named else ""))
    for piece in identity:
        size = size.and_(piece.text)
    members = [*(("type", row.type),) * bool(row.type), ("id", row.id)]
    json = 1 + sum(in_json(key) + in_json(value) + 2 for key, value in members)
    json += sum(piece.json + 1 for piece in identity if not piece.property)
    json += sum(piece.json + len(',"properties":{}') for piece in identity if piece.property)
    return Card(
        row,
        row.name if named else "",
        json,
        size,
        identity,
        tuple(piece for piece in pieces if piece.group != Group.IDENTITY),
        next((by_name[name] for name in TEXTS if name in by_name), None),
    )


def edge_card_of(edge: EdgeRow, target: str) -> EdgeCard:
    """The card of *edge*, whose target is shown by the name *target*."""
    members: list[tuple[str, object]] = [("source", edge.source), ("target", edge.target)]
    members += [(key, value) for key, value in (("id", edge.id), ("type", edge.type)) if value]
    members.append(("weight", edge.weight))
    json = 1 + sum(in_json(key) + in_json(value) + 2 for key, value in members)
    pieces = tuple(
        _property(Group.REST, name, value, of_edge=True)
        for name, value in sorted(edge.properties.items())
    )
    return EdgeCard(edge, target, json, lined(edge_line(edge, target)), pieces)


def _own(group: Group, name: str, value: object, line: Size) -> Piece:
    if line is _NEVER:
        return Piece(group, name, False, _LARGER, _NEVER)
    return Piece(group, name, False, in_json(name) + 1 + in_json(value), line)


def _property(group: Group, name: str, value: PropertyValue, *, of_edge: bool = False) -> Piece:
    if isinstance(value, str | list) and len(value) > MOST_BYTES:
        return Piece(group, name, True, _LARGER, _NEVER)
    said = value_line(name, value, OF_EDGES if of_edge else OF_NODES)
    json = in_json(name) + 1 + in_json(as_json(value))
    return Piece(group, name, True, json, in_text(said) if of_edge else lined(said))


def _line(text: str) -> Size:
    return _NEVER if len(text) > MOST_BYTES else lined(text)


def _group(name: str, cited: Sequence[str]) -> Group:
    if name in cited or name == "expires_at":
        return Group.CITATION
    if name in ("summary", "description"):
        return Group.SUMMARY if name == "summary" else Group.DESCRIPTION
    return Group.BOOK_KEEPING if _BOOK_KEEPING.fullmatch(name) else Group.REST


def _place(piece: Piece, cited: Sequence[str]) -> int:
    """Where *piece* stands among the citations of its row."""
    if piece.property and piece.name in cited:
        return cited.index(piece.name)
    return len(cited) + _CITED_TOO.index(piece.name) if piece.group == Group.CITATION else 0


def _is_short(text: str) -> bool:
    return 0 < len(text.encode()) <= SHORT


def _is_text(piece: Piece, row: NodeRow) -> bool:
    if not piece.property:
        return piece.name == "content"
    value = row.properties[piece.name]
    return isinstance(value, str) and value != "" and piece.name != "content"
