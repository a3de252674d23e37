"""Makes snapshots/demo: a real part of Debian's package graph, small enough to travel with the sources.

    python snapshots/make_demo.py [FOLDER]

The graph is read from PASSAGEWAY_DATA, else from ../shared/data/debian. From the games of Debian it follows what
packages need, breadth first, until it has PACKAGES of them. Rows keep their readers. The reverse twin that each
edge has in the whole graph (Depends-rev of Depends) is left out: walks go both ways without it.
"""

import json
import os
import shutil
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import passageway
from passageway import Batch, Collection, Edge, EdgeType, Node, NodeType, Ontology, Passage, Route
from passageway.cli.lines import Lines, Source

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = 5000
LONGEST = 800
"""Characters of a description; packages with longer ones are passed over, to keep the folder small."""

NEEDS = ("Depends", "Pre-Depends", "Recommends", "Suggests")
TWINS = ("has-package", "maintains")
BATCH = 5000

Record = dict[str, Any]

ONTOLOGY = Ontology(
    node_types=[
        NodeType("package", prefix="PKG", description="A binary package of Debian 12."),
        NodeType("virtual", prefix="VRT", description="A name that packages provide."),
        NodeType("section", prefix="SEC", description="A section of the archive, such as games."),
        NodeType("maintainer", prefix="MNT", description="Who looks after packages."),
    ],
    edge_types=[
        EdgeType("Depends", description="Does not work without it."),
        EdgeType("Pre-Depends", description="Is not even unpacked without it."),
        EdgeType("Recommends", description="Is usually installed with it."),
        EdgeType("Suggests", description="Gains from it."),
        EdgeType("Enhances", description="Adds to it."),
        EdgeType("Provides", description="Stands in for a virtual package."),
        EdgeType("Breaks", description="Cannot be configured beside it."),
        EdgeType("Conflicts", description="Cannot be installed beside it."),
        EdgeType("Replaces", description="Takes over its files."),
        EdgeType("in-section", description="Stands in this section.", agents_walk="out"),
        EdgeType("maintained-by", description="Is looked after by.", agents_walk="out"),
        EdgeType("PART_OF", description="From a paragraph to its package."),
    ],
    routes=[
        Route(
            "package",
            ["package", "virtual"],
            edge_types=[*NEEDS, "Enhances", "Breaks", "Conflicts"],
        ),
        Route("package", ["section"], edge_types=["in-section"]),
        Route("package", ["maintainer"], edge_types=["maintained-by"]),
        Route("passage", ["package"], edge_types=["PART_OF"]),
    ],
)


def main(arguments: list[str]) -> int:
    """Write the folder anew."""
    folder = Path(arguments[0]) if arguments else ROOT / "snapshots" / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    nodes = {record["id"]: record for record in read("nodes")}
    edges = [record for record in read("edges") if not twin(record["type"])]
    kept = chosen(nodes, edges)
    with passageway.open(folder, create=True) as client:
        client.create_collection(
            Collection(
                "debian",
                description="A part of Debian 12's package graph: games and what they need.",
                ontology=ONTOLOGY,
            )
        )
        client.collection("debian").load(batches(nodes, edges, kept))
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {len(kept):,} nodes, {size:,} bytes")
    return 0


def chosen(nodes: dict[str, Record], edges: list[Record]) -> set[str]:
    """The games and what they need, breadth first; then their sections and maintainers."""
    needs: dict[str, list[str]] = defaultdict(list)
    homes: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge["type"] in NEEDS:
            needs[edge["source"]].append(edge["target"])
        elif edge["type"] in ("in-section", "maintained-by"):
            homes[edge["source"]].append(edge["target"])
    queue = deque(name for name, node in nodes.items() if node["properties"]["section"] == "games")
    kept: set[str] = set()
    packages = 0
    while queue and packages < PACKAGES:
        name = queue.popleft()
        node = nodes.get(name)
        if name in kept or node is None or len(node["content"]) > LONGEST:
            continue
        kept.add(name)
        packages += node["type"] == "package"
        queue.extend(needs[name])
    return kept | {home for name in kept for home in homes[name]}


def batches(nodes: dict[str, Record], edges: list[Record], kept: set[str]) -> Iterator[Batch]:
    """The records of the chosen part, in the order of the whole."""
    for part in parts(record for record in nodes.values() if record["id"] in kept):
        yield Batch(put_nodes=[Node.from_dict(record) for record in part])
    for part in parts(record for record in read("passages") if record["parent_id"] in kept):
        yield Batch(put_passages=[Passage.from_dict(record) for record in part])
    inside = (edge for edge in edges if edge["source"] in kept and edge["target"] in kept)
    for part in parts(inside):
        yield Batch(put_edges=[Edge.from_dict(record) for record in part])


def parts(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records in lists of BATCH."""
    part: list[Record] = []
    for record in records:
        part.append(record)
        if len(part) == BATCH:
            yield part
            part = []
    if part:
        yield part


def twin(edge_type: str) -> bool:
    """Whether edges of this type repeat others the other way round."""
    return edge_type.endswith("-rev") or edge_type in TWINS


def read(kind: str) -> Iterator[Record]:
    """The records of one file of the whole graph."""
    folder = Path(os.environ.get("PASSAGEWAY_DATA") or ROOT.parent / "shared" / "data" / "debian")
    for _, line in Lines(Source(str(folder / f"{kind}.jsonl.zst"))):
        yield json.loads(line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
