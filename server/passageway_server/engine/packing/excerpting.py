"""Exact pieces of the texts of seeds that did not fit whole."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

from passageway_server.engine.excerpts import Wanted, ended
from passageway_server.engine.packing.cards import Card
from passageway_server.engine.packing.packed import Packed, change_of_excerpt
from passageway_server.values.answers import Excerpt
from passageway_server.values.halt import Halt

_DIGEST: Final = 64  # digits

_LEAST: Final = 40
"""Characters: a shorter piece tells nothing, unless the text ends with it."""


def take_excerpts(
    packed: Packed,
    seeds: Sequence[int],
    wanted: Mapping[str, Wanted],
    halt: Halt,
    *,
    sharing: bool,
) -> None:
    """Take a piece of the first text of each of *seeds* of which it is not packed: from the sentence on that has most of what is
    *wanted* of its field.

    What was kept goes to the first one. Each takes half of what is left at the most, the last one all of it; where they are
    *sharing* it with neighbors, half of what was not kept is not theirs. Raises DeadlineExceeded, Cancelled.
    """
    ledger = packed.ledger
    cards = [(place, packed.cards.node(place)) for place in seeds]
    cut = [
        (place, card)
        for place, card in cards
        if card.first_text is not None and card.first_text not in packed.nodes[place]
    ]
    of_neighbors = ledger.room - ledger.room // 2 if sharing else 0
    kept, ledger.kept = ledger.kept, 0
    for turn, (place, card) in enumerate(cut):
        left = ledger.room - of_neighbors
        most = left if turn + 1 == len(cut) else max(left // 2, 0 if turn else kept)
        excerpt = _fitting(packed, card, wanted, most, halt)
        if excerpt is not None:
            packed.excerpt(place, excerpt)


def _fitting(
    packed: Packed, card: Card, wanted: Mapping[str, Wanted], most: int, halt: Halt
) -> Excerpt | None:
    """The longest piece that takes *most* bytes, cut at white space; None where it is too short to tell something."""
    name, text = _text(card)
    least = Excerpt(card.row.id, name, "", 0, 0, len(text), "0" * _DIGEST)
    if packed.ledger.cost(change_of_excerpt(least)) > most:
        return None
    start = (wanted[name].thickest(text, halt) if name in wanted else None) or 0
    digest = hashlib.sha256(text.encode()).hexdigest()

    def piece(end: int) -> Excerpt:
        return Excerpt(card.row.id, name, text[start:end], start, end, len(text), digest)

    low, high = start, min(len(text), start + max(most, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if packed.ledger.cost(change_of_excerpt(piece(middle))) <= most:
            low = middle
        else:
            high = middle - 1
    end = ended(text, start, low - start)
    if end - start < _LEAST and (end < len(text) or end == start):
        return None
    return piece(end)


def _text(card: Card) -> tuple[str, str]:
    """The name of the first text of a row, and the text."""
    assert card.first_text is not None
    name = card.first_text.name
    value = card.row.properties[name] if card.first_text.property else card.row.content
    return name, str(value)
