"""What is packed so far, by row and edge: each step is taken where it fits, and the answer is written from it once."""

from passageway_server.engine.packing.cards import Piece
from passageway_server.engine.packing.ledger import Change, Ledger
from passageway_server.engine.packing.store import Cards
from passageway_server.engine.packing.written import Size, excerpt_line, in_json, lined
from passageway_server.values.answers import Excerpt
from passageway_server.values.context import Seed

_PROPERTIES = len(',"properties":{}')
_BETWEEN_BLOCKS = Size(4, 2)  # an empty line
_FIRST_OF_EDGE, _NEXT_OF_EDGE = Size(3, 3), Size(2, 2)  # " (" and ")"; ", "


class Packed:
    """Rows by their places, in the order of packing; edges by their numbers."""

    def __init__(self, cards: Cards, ledger: Ledger) -> None:
        self.cards, self.ledger = cards, ledger
        self.seeds: list[Seed] = []
        self.nodes: dict[int, set[Piece]] = {}
        self.edges: dict[int, set[Piece]] = {}
        self.excerpts: dict[int, Excerpt] = {}

    def seed(self, place: int, seed: Seed) -> bool:
        """Take a seed by its identity."""
        if not self.ledger.take(self.change_of_seed(place, seed)):
            return False
        self.seeds.append(seed)
        self._began(place)
        return True

    def change_of_seed(self, place: int, seed: Seed) -> Change:
        """What its identity adds."""
        matched = {"matched": list(seed.matched)} if seed.matched else {}
        told = {"node": {"id": seed.id}, "score": seed.score, **matched}
        return self._identity(place).and_(Change(in_json(told), seeds=1))

    def node(self, place: int) -> bool:
        """Take a row by its identity."""
        if not self.ledger.take(self._identity(place)):
            return False
        self._began(place)
        return True

    def neighbor(self, place: int, edge: int) -> bool:
        """Take a row by its identity, and the edge that connects it."""
        if not self.ledger.take(self._identity(place).and_(self._edge(edge))):
            return False
        self._began(place)
        self.edges[edge] = set()
        return True

    def edge(self, edge: int) -> bool:
        """Take an edge whose ends are packed."""
        if not self.ledger.take(self._edge(edge)):
            return False
        self.edges[edge] = set()
        return True

    def piece(self, place: int, piece: Piece) -> bool:
        """Take a value of a row, once."""
        taken = self.nodes[place]
        if piece in taken:
            return True
        json = piece.json + 1
        if piece.property and not any(one.property for one in taken):
            json = piece.json + _PROPERTIES
        if not self.ledger.take(Change(json, piece.text, properties=1)):
            return False
        taken.add(piece)
        return True

    def edge_piece(self, edge: int, piece: Piece) -> bool:
        """Take a property of an edge."""
        taken = self.edges[edge]
        json = piece.json + (1 if taken else _PROPERTIES)
        text = piece.text.and_(_NEXT_OF_EDGE if taken else _FIRST_OF_EDGE)
        if not self.ledger.take(Change(json, text, properties=1)):
            return False
        taken.add(piece)
        return True

    def excerpt(self, place: int, excerpt: Excerpt) -> bool:
        """Take a piece of a text that is not packed whole."""
        if not self.ledger.take(change_of_excerpt(excerpt)):
            return False
        self.excerpts[place] = excerpt
        return True

    def _identity(self, place: int) -> Change:
        card = self.cards.node(place)
        text = card.text.and_(_BETWEEN_BLOCKS) if self.nodes else card.text
        return Change(card.json, text, nodes=1, properties=len(card.identity))

    def _edge(self, edge: int) -> Change:
        card = self.cards.edge(edge)
        return Change(card.json, card.text, edges=1)

    def _began(self, place: int) -> None:
        self.nodes[place] = set(self.cards.node(place).identity)


def change_of_excerpt(excerpt: Excerpt) -> Change:
    """What it adds."""
    line = excerpt_line(
        excerpt.property, excerpt.offset, excerpt.end, excerpt.total_chars, excerpt.text
    )
    return Change(in_json(excerpt._asdict()), lined(line), excerpts=1)
