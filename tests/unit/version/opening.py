"""What is open to somebody in a version, and batches that change it."""

import numpy as np

from passageway_server.columns.stored import are_docs
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version import persist
from passageway_server.version.collection import Collection
from passageway_server.version.version import Version

PUBLIC, EVE = ("public",), ("user:eve",)


def open_rows(version: Version, *principals: str, admin: bool = False) -> list[str]:
    """The ids of the rows that the holder of *principals* may read."""
    held = version.readers.held(frozenset(principals), admin=admin)
    opened = np.flatnonzero(held[version.gates.readers[version.gates.of]])
    return sorted(version.nodes.ids.take(opened))


def open_edges(version: Version, *principals: str) -> list[str]:
    """The ids of the edge documents that the holder may read, as a walk in either direction meets them."""
    held = version.readers.held(frozenset(principals), admin=False)
    gates = version.gates
    rows = held[gates.readers[gates.of]]
    found: list[list[str]] = []
    for way in (version.out.merged(), version.into.merged()):
        sources = np.repeat(np.arange(len(rows)), np.diff(way.offsets))
        shown = rows[sources] & rows[way.others] & held[version.edge_classes.gates[way.classes]]
        keys = way.stored[shown == 1]
        found.append(sorted(version.docs.ids.take(keys[are_docs(keys)])))
    assert found[0] == found[1]
    return found[0]


def put(*readers: str, id: str = "a") -> Batch:
    return Batch(put_nodes=(NodeRecord(id, readers=readers),))


def restored(kept: Collection, version: Version) -> None:
    """Take *kept* back to *version*, as it comes out of its files: with other rows for the same ids."""
    arrays, meta = persist.to_arrays(version)
    kept.restore(persist.from_arrays(arrays, meta), lambda _: None)
