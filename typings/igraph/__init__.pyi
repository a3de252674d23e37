"""The part of igraph that engine/igraph_view.py, passageway.convert and the benches use."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

class VertexSeq:
    def __getitem__(self, key: str) -> list[Any]: ...
    def __setitem__(self, key: str, values: Sequence[Any] | str | float) -> None: ...
    def __len__(self) -> int: ...
    def attributes(self) -> list[str]: ...

class EdgeSeq:
    def __getitem__(self, key: str) -> list[Any]: ...
    def __setitem__(self, key: str, values: Sequence[Any] | NDArray[Any] | str | float) -> None: ...
    def __len__(self) -> int: ...
    def attributes(self) -> list[str]: ...

class Clustering:
    membership: list[int]
    def __len__(self) -> int: ...

class Graph:
    def __init__(
        self,
        n: int = 0,
        edges: Iterable[tuple[int, int]] | NDArray[np.integer[Any]] | None = None,
        directed: bool = False,
        graph_attrs: dict[str, Any] | None = None,
        vertex_attrs: dict[str, Sequence[Any]] | None = None,
        edge_attrs: dict[str, Sequence[Any]] | None = None,
    ) -> None: ...
    @property
    def vs(self) -> VertexSeq: ...
    @property
    def es(self) -> EdgeSeq: ...
    def vcount(self) -> int: ...
    def ecount(self) -> int: ...
    def is_directed(self) -> bool: ...
    def add_vertices(
        self, n: int | Sequence[str], attributes: dict[str, Sequence[Any]] | None = None
    ) -> None: ...
    def add_edges(
        self,
        es: Iterable[tuple[int | str, int | str]] | NDArray[np.integer[Any]],
        attributes: dict[str, Sequence[Any]] | None = None,
    ) -> None: ...
    def get_edgelist(self) -> list[tuple[int, int]]: ...
    def neighbors(self, vertex: int | str, mode: str = "all") -> list[int]: ...
    def distances(
        self,
        source: int | str | Sequence[int] | None = None,
        target: int | str | Sequence[int] | None = None,
        weights: str | Sequence[float] | None = None,
        mode: str = "out",
    ) -> list[list[float]]: ...
    def get_k_shortest_paths(
        self,
        v: int | str,
        to: int | str,
        k: int = 1,
        mode: str = "out",
        weights: str | Sequence[float] | None = None,
        output: str = "vpath",
    ) -> list[list[int]]: ...
    def personalized_pagerank(
        self,
        vertices: Sequence[int] | None = None,
        directed: bool = True,
        damping: float = 0.85,
        reset: Sequence[float] | None = None,
        reset_vertices: Sequence[int] | None = None,
        weights: str | Sequence[float] | None = None,
        implementation: str = "prpack",
    ) -> list[float]: ...
    def pagerank(
        self,
        vertices: Sequence[int] | None = None,
        directed: bool = True,
        damping: float = 0.85,
        weights: str | Sequence[float] | None = None,
        implementation: str = "prpack",
    ) -> list[float]: ...
    def community_leiden(
        self,
        objective_function: str = "CPM",
        weights: str | Sequence[float] | None = None,
        resolution: float = 1,
        beta: float = 0.01,
        initial_membership: Sequence[int] | None = None,
        n_iterations: int = 2,
    ) -> Clustering: ...
    def modularity(
        self, membership: Sequence[int], weights: str | Sequence[float] | None = None
    ) -> float: ...
    def delete_edges(self, edges: Sequence[int]) -> None: ...
    def reverse_edges(self) -> None: ...
    def to_undirected(self, mode: str = "collapse") -> None: ...
    def degree(self, vertices: Sequence[int] | None = None, mode: str = "all") -> list[int]: ...

def set_random_number_generator(generator: Random) -> None: ...
