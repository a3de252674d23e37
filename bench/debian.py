"""The Debian graph: where its files lie, and as much of a version as walks and paths need, without a store."""

import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import zstandard
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.edge_gate import EdgeGate
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.gates import NEVER, Gate, Gates
from passageway_server.columns.readers import ANYONE, ReaderSets
from passageway_server.version.version import Version

KINDS = ("nodes", "edges", "passages")


def source_folder() -> Path:
    """The folder of the files: debian/ in PASSAGEWAY_DATA, or else in ../shared/data beside the clone."""
    shared = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("PASSAGEWAY_DATA", shared)) / "debian"
    if not (folder / "expected.json").is_file():
        sys.exit(f"no graph in {folder}; set PASSAGEWAY_DATA to a folder that holds debian/")
    return folder


def expected(folder: Path) -> dict[str, Any]:
    """What other programs found on the graph, and for which groups."""
    found: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return found


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a .jsonl.zst file."""
    with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            yield json.loads(line)


class Debian:
    """Ids, reader sets and edges of the data; rows are in the order of the file."""

    def __init__(self, folder: Path) -> None:
        self.ids: list[str] = []
        self.readers = ReaderSets()
        sets: list[int] = []
        for node in lines(folder / "nodes.jsonl.zst"):
            self.ids.append(node["id"])
            sets.append(self.readers.intern(tuple(node["readers"])))
        self.row = {id: row for row, id in enumerate(self.ids)}
        self._sets = np.array(sets, dtype=np.int32)
        self.types: dict[str, int] = {"": 0}
        ends: list[tuple[int, int, int]] = []
        weights: list[float] = []
        for edge in lines(folder / "edges.jsonl.zst"):
            kind = self.types.setdefault(edge["type"], len(self.types))
            ends.append((self.row[edge["source"]], self.row[edge["target"]], kind))
            weights.append(edge.get("weight", 1.0))
        self._ends = np.array(ends, dtype=np.int32)
        self._weights = np.array(weights, dtype=np.float64)

    def version(
        self, *, copies: int = 1, shuffled: bool = False
    ) -> tuple[Version, NDArray[np.int32]]:
        """A version of *copies* disjoint graphs, and where it has each row of the first of them."""
        count = len(self.ids)
        rows = np.arange(count * copies, dtype=np.int32)
        if shuffled:
            rows = np.random.default_rng(1).permutation(rows)
        shifts = count * np.arange(copies)[:, None]
        sources = rows[(self._ends[:, 0] + shifts).ravel()]
        targets = rows[(self._ends[:, 1] + shifts).ravel()]
        edges = EdgeList(
            sources=sources,
            targets=targets,
            weights=np.tile(self._weights, copies),
            classes=np.tile(self._ends[:, 2], copies),  # those of a type are for anyone
            stored=np.arange(len(sources), dtype=np.int32),
        )
        by_id = np.argsort(np.array(self.ids, dtype=object), kind="stable")
        rank = np.empty(count * copies, dtype=np.int32)
        rank[rows[(by_id + shifts).ravel()]] = np.arange(count * copies, dtype=np.int32)
        classes = np.empty(count * copies, dtype=np.int32)
        classes[rows] = np.tile(self._sets, copies)
        kinds = len(self.readers)
        gates = Gates(
            of=classes,
            expiry=np.full(count * copies, NEVER, dtype=np.int64),
            readers=np.arange(kinds, dtype=np.int32),
            project=np.zeros(kinds, dtype=np.int32),
            retired_by=np.zeros(kinds, dtype=np.uint8),
            expires=np.zeros(kinds, dtype=np.uint8),
        )
        version = SimpleNamespace(
            nodes=range(count * copies),
            out=Adjacency.build(edges, rows=count * copies, reverse=False),
            into=Adjacency.build(edges, rows=count * copies, reverse=True),
            rank=rank,
            gates=gates,
            edge_types=list(self.types),
            edge_classes=EdgeClasses.adopted(
                np.arange(len(self.types), dtype=np.int32),
                np.full(len(self.types), ANYONE, dtype=np.int32),
            ),
        )
        return cast(Version, version), rows[:count]

    def gate(self, version: Version, groups: list[str]) -> Gate:
        """What a caller in *groups* may see."""
        held = self.readers.held(frozenset([*groups, "public"]), admin=False)
        verdict = version.gates.verdict(held, project=None, current=False)
        return Gate(verdict, EdgeGate(version.edge_classes, held), now=0)
