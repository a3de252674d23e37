"""Histories of random edges: one base, and versions made of it by commits, beside the edges that each has."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import numpy as np

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.edge_list import EdgeList

Edge = tuple[int, int, float, int]
"""Source, target, effective weight, edge class."""

Edges = dict[int, Edge]
"""By key."""

CLASSES = 6
"""Edges are drawn of so many classes."""

_WEIGHTS = (0.0, 0.25, 0.5, 0.5, 1.0, 2.0, float("inf"))


@dataclass(frozen=True, slots=True)
class State:
    """One version: what it holds, and both directions of that, made of those of the version before."""

    edges: Edges
    rows: int
    out: Adjacency
    into: Adjacency

    def packed(self) -> tuple[Adjacency, Adjacency]:
        """Both directions from scratch."""
        edges = edge_list(self.edges)
        return (
            Adjacency.build(edges, rows=self.rows, reverse=False),
            Adjacency.build(edges, rows=self.rows, reverse=True),
        )


def edge_list(edges: Edges, keys: Iterable[int] | None = None) -> EdgeList:
    """Those of *keys* (None: all), by key."""
    chosen = sorted(edges if keys is None else keys)
    values = [edges[key] for key in chosen]
    sources, targets, weights, classes = zip(*values, strict=True) if values else ((),) * 4
    return EdgeList(
        sources=np.array(sources, dtype=np.int32),
        targets=np.array(targets, dtype=np.int32),
        weights=np.array(weights, dtype=np.float64),
        classes=np.array(classes, dtype=np.int32),
        stored=np.array(chosen, dtype=np.int32),
    )


def begun(edges: Edges, rows: int) -> State:
    """A version that is all base."""
    packed = edge_list(edges)
    return State(
        edges,
        rows,
        Adjacency.build(packed, rows=rows, reverse=False),
        Adjacency.build(packed, rows=rows, reverse=True),
    )


def after(state: State, edges: Edges, rows: int) -> State:
    """The version after *state* that has *edges*."""
    gone = [key for key, edge in state.edges.items() if edges.get(key) != edge]
    new = [key for key, edge in edges.items() if state.edges.get(key) != edge]
    removed, added = edge_list(state.edges, gone), edge_list(edges, new)
    return State(
        edges,
        rows,
        state.out.changed(removed, added, rows=rows, reverse=False),
        state.into.changed(removed, added, rows=rows, reverse=True),
    )


def arriving(random: Random, edges: Edges, rows: int) -> State:
    """A version that has *edges*, made of a base that had some of them, and others, by a few commits; and not the latest."""
    if not rows:
        return begun(edges, rows)
    most = max(rows - random.randrange(3), 1)
    before = {
        key: drawn_edge(random, most) if random.random() < 0.2 else edge
        for key, edge in edges.items()
        if random.random() < 0.7
    }
    before = {key: edge for key, edge in before.items() if max(edge[:2]) < most}
    for _ in range(random.randrange(8)):
        before.setdefault(drawn_key(random), drawn_edge(random, most))
    state = begun(before, most)
    for _ in range(random.randrange(3)):
        state = changed(random, state, growing=False)
    state = after(state, edges, rows)
    for _ in range(random.randrange(3)):
        changed(random, state)  # what commits after it write, it does not see
    return state


def drawn_edge(random: Random, rows: int) -> Edge:
    """An edge, more often than not at one of a few rows."""
    ends = [random.randrange(rows if random.random() < 0.5 else min(rows, 3)) for _ in range(2)]
    weight = random.choice(_WEIGHTS)
    return ends[0], ends[1], weight, random.randrange(CLASSES)


def drawn_key(random: Random) -> int:
    """A key of any kind: of a link, a document, or a span's edge."""
    return random.choice((-(1 << 31), 0, 1 << 29)) + random.randrange(60)


def changed(random: Random, state: State, *, most: int = 8, growing: bool = True) -> State:
    """The version after *state* by a random commit, with more rows where that is *growing*."""
    edges, rows = dict(state.edges), state.rows + growing * random.choice((0, 0, 1, 3))
    for key in random.sample(sorted(edges), min(len(edges), random.randrange(most))):
        if random.random() < 0.5:
            edges[key] = drawn_edge(random, rows)
        else:
            del edges[key]
    for _ in range(random.randrange(most)):
        edges.setdefault(drawn_key(random), drawn_edge(random, rows))
    return after(state, edges, rows)


def history(random: Random, *, rows: int = 8, edges: int = 30, commits: int = 5) -> list[State]:
    """A base and the versions after it; some commits are given up, and another one made of the same version."""
    drawn = {drawn_key(random): drawn_edge(random, rows) for _ in range(edges)}
    states = [begun(drawn, rows)]
    for _ in range(commits):
        if random.random() < 0.3:
            changed(random, states[-1])
        states.append(changed(random, states[-1]))
    return states
