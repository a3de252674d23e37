"""Makes a golden folder of today's format, as a server leaves it that was killed.

    python -m tests.golden.make FOLDER

FOLDER becomes a data folder; beside it, FOLDER.jsonl lists what is in its collections. One has every kind of commit in the
segments of its log; the other was restored in place. A folder that was kept once is never made anew: it stands
for what that release wrote.
"""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np

from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.columns import (
    Coded,
    EdgeColumns,
    NodeColumns,
    PackedStrings,
    PropertyColumn,
)
from passageway_server.values.records import Batch, EdgeRecord, Guard, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.durability import Durability
from passageway_server.version.measures import Measured
from passageway_server.version.store import Store
from tests.golden.graph import EVERY_KIND, FEW, FIRST, PUBLIC, SECOND, THIRD, write_listing

_Value = TypeVar("_Value")

NEVER = Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9)
SETTINGS = CollectionSettings(
    "c",
    description="golden",
    fields=(
        FieldDeclaration("note", Kind.TEXT),
        FieldDeclaration("count", Kind.INT, readers=FEW),
        FieldDeclaration("since", Kind.TIME),
        FieldDeclaration("expires_at", Kind.TIME),
    ),
    default_readers=("group:a",),
    retain_versions=20,
)
LOAD = "golden/7f7f7f7f7f7f7f7f/"
KEYED = Guard(idempotency_key=f"{LOAD}2")
"""The key under which THIRD was committed."""


def strings(*values: str) -> PackedStrings:
    encoded = [value.encode() for value in values]
    return PackedStrings(
        np.frombuffer(b"".join(encoded), np.uint8),
        np.array([len(each) for each in encoded], np.int64),
    )


def coded(values: Sequence[_Value], *numbers: int) -> Coded[_Value]:
    return Coded(tuple(values), np.array(numbers, np.int64))


COLUMNS = Batch(
    node_columns=NodeColumns(
        strings("c1", "c2", "ü"),
        coded(["", "person"], 1, 0, 1),
        strings("Bob", "", "☃"),
        strings("", "much", ""),
        coded(["p"], 0, 0, 0),
        coded(["", "open"], 0, 1, 1),
        coded([(), PUBLIC], 0, 1, 1),
        (
            PropertyColumn("count", np.array([0, 2]), Kind.INT, np.array([7, -7])),
            PropertyColumn("word", np.array([1]), Kind.KEYWORD, strings("b")),
        ),
    ),
    edge_columns=EdgeColumns(
        strings("f1", "f2"),
        strings("c1", "n1"),
        strings("c2", "c2"),
        coded(["KNOWS"], 0, 0),
        np.array([0.5, np.nan]),
        coded([(), FEW], 0, 1),
    ),
)
LAST = Batch(
    delete_edges=("f1",),
    put_nodes=(NodeRecord("n9", properties=EVERY_KIND, links={"in": ("ü",)}),),
    put_edges=(EdgeRecord("f2", "n9", "n1", "KNOWS", 3.0),),
)


def make(folder: Path) -> None:
    """The folder, made by two servers one after the other, each of which was killed."""
    with TemporaryDirectory() as aside:
        first, second = Path(aside, "first"), Path(aside, "second")
        store = Store.open(first, durability=NEVER)
        every_kind(store)
        restored(store)
        shutil.copytree(first, second)
        store.close()
        store = Store.open(second, durability=NEVER)
        for kept in store.collections():
            kept.apply(LAST)
        shutil.copytree(second, folder)
        write_listing(folder, [kept.current for kept in store.collections()])
        store.close()


def every_kind(store: Store) -> None:
    """The collection ``c``: a named snapshot, and a frame of each kind of commit."""
    kept = store.create(SETTINGS)
    kept.apply(FIRST)
    kept.apply(SECOND, Guard(idempotency_key=f"{LOAD}1"), sub="ada")
    store.create_snapshot("c", "kept")
    kept.apply(COLUMNS)
    kept.measure(Measured("rank", rows(kept), np.array([0.25, 0.75])))
    kept.update(lambda settings: replace(settings, description="other", users=("user:eve",)))
    kept.apply(THIRD, KEYED, sub="ada")


def restored(store: Store) -> None:
    """The collection ``restored``: a commit of it is a snapshot, and in no log."""
    kept = store.create(replace(SETTINGS, name="restored"))
    kept.apply(FIRST)
    store.create_snapshot("restored", "kept")
    kept.apply(SECOND)
    store.restore("restored", "kept")
    kept.apply(THIRD)


def rows(kept: Collection) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    """The rows of two nodes, ascending."""
    return np.sort(kept.current.nodes.ids.find_all(["n1", "n2"])).astype(np.int32)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
