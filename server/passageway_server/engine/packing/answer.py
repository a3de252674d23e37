"""What is packed as an answer: rows and edges with no more than fitted, and the text that says the same."""

from collections.abc import Iterable

from passageway_server.engine.packing.cards import Card, EdgeCard, Piece
from passageway_server.engine.packing.packed import Packed
from passageway_server.engine.packing.written import (
    OF_EDGES,
    OF_NODES,
    edge_line,
    excerpt_line,
    header,
    plain,
    span_line,
    told,
    value_line,
)
from passageway_server.values.answers import EdgeRow, Excerpt, Listed, NodeRow
from passageway_server.values.context import ContextAnswer, Told


def answer_of(packed: Packed, told: Told) -> ContextAnswer:
    """The answer that tells *told*, and what of it fitted."""
    cards, ledger = packed.cards, packed.ledger
    edges = sorted(packed.edges.items())
    lines: dict[str, list[str]] = {}
    for edge, pieces in edges:
        of_edge = cards.edge(edge)
        lines.setdefault(of_edge.edge.source, []).append(_edge_line(of_edge, pieces))
    blocks: list[str] = []
    for place, pieces in packed.nodes.items():
        card = cards.node(place)
        block = _lines(card, pieces, packed.excerpts.get(place))
        blocks.append("\n".join([*block, *lines.get(card.row.id, ())]))
    hits, unknown = told.type_hits, told.unknown_types
    hits_told, unknown_told = ledger.packed.type_hits, ledger.packed.unknown_types
    return ContextAnswer(
        told=Told(
            told.version,
            told.unresolved,
            told.expansion_limited,
            told.current,
            told.excluded_evidence,
            told.timed_out,
            told.applied,
            hits[:hits_told],
            told.type_hits_omitted + len(hits) - hits_told,
            Listed(unknown.told[:unknown_told], unknown.omitted + len(unknown.told) - unknown_told),
        ),
        text="\n\n".join(blocks),
        seeds=packed.seeds,
        nodes=[_row(cards.node(place), pieces) for place, pieces in packed.nodes.items()],
        edges=[_edge(cards.edge(edge), pieces) for edge, pieces in edges],
        excerpts=[packed.excerpts[place] for place in packed.nodes if place in packed.excerpts],
        omitted=ledger.omitted,
        token_estimate=ledger.token_estimate,
        response_token_estimate=ledger.response_token_estimate,
    )


def _own(pieces: Iterable[Piece]) -> set[str]:
    return {piece.name for piece in pieces if not piece.property}


def _properties(pieces: Iterable[Piece]) -> list[str]:
    return sorted(piece.name for piece in pieces if piece.property)


def _row(card: Card, pieces: set[Piece]) -> NodeRow:
    row, own = card.row, _own(pieces)
    return NodeRow(
        row.id,
        row.type,
        name=row.name if "name" in own else "",
        content=row.content if "content" in own else "",
        project=row.project if "project" in own else "",
        status=row.status if "status" in own else "",
        properties={name: row.properties[name] for name in _properties(pieces)},
        covered="covered" in own,
        span=row.span if "span" in own else None,
        revision=row.revision if "revision" in own else "",
    )


def _edge(card: EdgeCard, pieces: set[Piece]) -> EdgeRow:
    held = card.edge.properties
    return card.edge._replace(properties={name: held[name] for name in _properties(pieces)})


def _lines(card: Card, pieces: set[Piece], excerpt: Excerpt | None) -> list[str]:
    """The block of a row, without its edges."""
    row, own = card.row, _own(pieces)
    lines = [header(row, card.name)]
    if "name" in own and not card.name:
        lines.append(f"name: {plain(row.name)}")
    if "content" in own:
        lines.append(told(row.content))
    if excerpt is not None:
        lines.append(
            excerpt_line(
                excerpt.property, excerpt.offset, excerpt.end, excerpt.total_chars, excerpt.text
            )
        )
    if "status" in own:
        lines.append(f"status: {plain(row.status)}")
    lines += [value_line(name, row.properties[name], OF_NODES) for name in _properties(pieces)]
    if row.span is not None and "span" in own:
        lines.append(span_line(row.span))
    if "project" in own:
        lines.append(f"project: {plain(row.project)}")
    if "covered" in own:
        lines.append("covered: true")
    if "revision" in own:
        lines.append(f"revision: {row.revision}")
    return lines


def _edge_line(card: EdgeCard, pieces: set[Piece]) -> str:
    line, held = edge_line(card.edge, card.name), card.edge.properties
    said = [value_line(key, held[key], OF_EDGES) for key in _properties(pieces)]
    return f"{line} ({', '.join(said)})" if said else line
