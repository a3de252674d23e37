"""A graph of 1,000,000 nodes and 10,000,000 edges, seeded: the same bytes on every machine.

Few nodes have most of the edges: the n-th most named source or target is named in proportion to a power of n. Ids have 9
bytes, weights are any double, nodes have one of 500 reader sets. It is written to .bench/synthetic/ once, as Parquet and as
JSONL.

    python -m bench.synthetic
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench.measure import RESULTS

FOLDER = RESULTS / "synthetic"
NODES, EDGES = 1_000_000, 10_000_000
SEED = 20_261_130
_SETS, _PROJECTS = 500, 40
_NODE_TYPES = ("note", "person", "task", "file")
_EDGE_TYPES = ("about", "links", "mentions", "part_of", "needs", "by")
_SOURCES, _TARGETS = (
    0.5,
    0.75,
)  # exponents: the most named source has some 10,000 edges, the target 315,000
_AT_ONCE = 1_000_000  # rows of a Parquet group, and of a step of the generator


def files() -> dict[str, Path]:
    """The Parquet files by kind, made now unless they are there from before."""
    paths = {kind: FOLDER / f"{kind}.parquet" for kind in ("nodes", "edges")}
    if not all(path.is_file() for path in paths.values()):
        _write(paths)
    return paths


def lines() -> dict[str, Path]:
    """The same records as JSONL, by kind."""
    paths = {kind: FOLDER / f"{kind}.jsonl" for kind in ("nodes", "edges")}
    for kind, path in paths.items():
        if not path.is_file():
            _write_lines(files()[kind], path)
    return paths


def named(draws: NDArray[np.float64], exponent: float) -> NDArray[np.int64]:
    """The numbers of nodes for uniform *draws*: number n is named in proportion to (n + 1) ** -exponent."""
    numbers = (NODES * draws ** (1 / (1 - exponent))).astype(np.int64)
    return np.minimum(numbers, NODES - 1)


def _write(paths: dict[str, Path]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(SEED)
    # A node's number says how often it is named; its id does not.
    shuffled = random.permutation(NODES)
    _save(paths["nodes"], [_nodes(random, shuffled)])
    _save(paths["edges"], (_edges(random, shuffled, at) for at in range(0, EDGES, _AT_ONCE)))


def _nodes(random: np.random.Generator, shuffled: NDArray[np.int64]) -> pa.Table:
    sets = random.integers(0, _SETS, NODES)
    readers = pa.array([[f"group:{number:03d}"] for number in range(_SETS)])
    return pa.table(
        {
            "id": _ids("n", shuffled),
            "type": _chosen(random, _NODE_TYPES, NODES),
            "name": _ids("Node ", shuffled),
            "project": _chosen(random, [f"project-{n:02d}" for n in range(_PROJECTS)], NODES),
            "readers": readers.take(pa.array(sets)),
        }
    )


def _edges(random: np.random.Generator, shuffled: NDArray[np.int64], start: int) -> pa.Table:
    sources = shuffled[named(random.random(_AT_ONCE), _SOURCES)]
    targets = shuffled[named(random.random(_AT_ONCE), _TARGETS)]
    return pa.table(
        {
            "id": _ids("e", np.arange(start, start + _AT_ONCE)),
            "source": _ids("n", sources),
            "target": _ids("n", targets),
            "type": _chosen(random, _EDGE_TYPES, _AT_ONCE),
            "weight": random.random(_AT_ONCE),
        }
    )


def _ids(prefix: str, numbers: NDArray[np.int64]) -> Any:
    """Strings of the prefix and 8 digits."""
    digits = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 8, padding="0")
    return pc.binary_join_element_wise(prefix, digits, "")


def _chosen(random: np.random.Generator, names: Any, count: int) -> Any:
    return pa.array(list(names)).take(pa.array(random.integers(0, len(names), count)))


def _save(path: Path, tables: Any) -> None:
    aside, writer = path.with_suffix(".partial"), None
    for table in tables:
        writer = writer or pq.ParquetWriter(aside, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()
    aside.rename(path)


def _write_lines(source: Path, path: Path) -> None:
    """One JSON object a line; no value of ours needs an escape."""
    aside = path.with_suffix(".partial")
    with aside.open("wb") as file:
        for group in pq.ParquetFile(source).iter_batches(batch_size=_AT_ONCE):
            columns = [
                pc.binary_join_element_wise(f'"{name}":', _literal(column), "")
                for name, column in zip(group.schema.names, group.columns, strict=True)
            ]
            joined = pc.binary_join_element_wise(*columns, ",")
            made = pc.binary_join_element_wise("{", joined, "}\n", "")
            file.write(b"".join(made.to_numpy(zero_copy_only=False).astype("S").tolist()))
    aside.rename(path)


def _literal(column: Any) -> Any:
    if pa.types.is_list(column.type):  # of one reader each
        inner = _literal(pc.list_flatten(column))
        return pc.binary_join_element_wise("[", inner, "]", "")
    text = column.cast(pa.string())
    return (
        text
        if pa.types.is_floating(column.type)
        else pc.binary_join_element_wise('"', text, '"', "")
    )


if __name__ == "__main__":
    for made in (files(), lines()):
        for path in made.values():
            print(f"{path}: {path.stat().st_size / 1e6:,.0f} MB")
