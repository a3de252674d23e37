"""What is chosen of all that a Context may hold, and what may be added to it."""

import copy
from collections.abc import Iterable
from typing import NamedTuple

from passageway.v1 import search_pb2
from tests.oracle.graph import Arc
from tests.oracle.values_of_rows import Value


class Seed(NamedTuple):
    """A row to start from, and what found it."""

    id: str
    score: float
    matched: list[str]


class Budget(NamedTuple):
    """What an answer may take, of which some bytes stay free; of its text alone, or of all of it."""

    tokens: int
    text_alone: bool
    reserve: int


class Choice:
    """What is taken so far."""

    def __init__(self) -> None:
        self.seeds: list[Seed] = []
        self.values: dict[str, set[Value]] = {}
        self.arcs: dict[Arc, set[str]] = {}
        self.excerpts: dict[str, search_pb2.Excerpt] = {}
        self.unknown = self.hits = 0

    def copy(self) -> "Choice":
        """Another one of the same."""
        other = copy.copy(self)
        other.seeds = list(self.seeds)
        other.values = {row_id: set(values) for row_id, values in self.values.items()}
        other.arcs = {arc: set(names) for arc, names in self.arcs.items()}
        other.excerpts = dict(self.excerpts)
        return other


def add_seed(seed: Seed, identity: Iterable[Value], choice: Choice) -> None:
    choice.seeds.append(seed)
    choice.values[seed.id] = set(identity)


def add_neighbor(row_id: str, identity: Iterable[Value], arc: Arc, choice: Choice) -> None:
    choice.values[row_id] = set(identity)
    choice.arcs[arc] = set()


def add_arc(arc: Arc, choice: Choice) -> None:
    choice.arcs[arc] = set()


def add_value(row_id: str, value: Value, choice: Choice) -> None:
    choice.values[row_id].add(value)


def add_property(arc: Arc, name: str, choice: Choice) -> None:
    choice.arcs[arc].add(name)


def add_excerpt(piece: search_pb2.Excerpt, choice: Choice) -> None:
    choice.excerpts[piece.id] = piece


def add_unknown(choice: Choice) -> None:
    choice.unknown += 1


def add_hits(choice: Choice) -> None:
    choice.hits += 1
