"""Small collections, and what tests look at in them."""

import pytest

from passageway_server.errors import InvalidRequest
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.export import export
from passageway_server.version.store import Store
from passageway_server.version.version import Version

PUBLIC = CollectionSettings("c", default_readers=("public",))


def collection(settings: CollectionSettings = PUBLIC) -> Collection:
    return Store.open().create(settings)


def node(identifier: str, **links: list[str]) -> NodeRecord:
    return NodeRecord(identifier, links={name: tuple(ids) for name, ids in links.items()})


def edges(version: Version) -> list[tuple[str, str, str]]:
    """The edges that do not dangle, in stored order."""
    listed = version.edges
    ids, types = version.nodes.ids, version.edge_types
    kinds = version.edge_classes.types[listed.classes].tolist()
    return [
        (ids[source], types[kind], ids[target])
        for source, kind, target in zip(
            listed.sources.tolist(), kinds, listed.targets.tolist(), strict=True
        )
    ]


def records(version: Version) -> Batch:
    """All that stands, as one batch."""
    batches = list(export(version))
    return Batch(
        put_nodes=tuple(one for batch in batches for one in batch.put_nodes),
        put_edges=tuple(one for batch in batches for one in batch.put_edges),
        put_passages=tuple(one for batch in batches for one in batch.put_passages),
    )


def faults(kept: Collection, batch: Batch) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        kept.apply(batch)
    return [fault.field for fault in refused.value.faults]
