"""Writing rows: one batch at a time, whole or not at all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from passageway_server.authz.callers import WRITER, Caller
from passageway_server.service.pin import usable
from passageway_server.values.collections import Acknowledgement
from passageway_server.values.records import Batch
from passageway_server.version.store import Store


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a stream has loaded so far: its batches, and the records that they put."""

    version: str
    batch: int
    nodes: int
    edges: int
    passages: int
    dangling_edges: int


def apply(store: Store, caller: Caller, collection: str, batch: Batch) -> Acknowledgement:
    """Commit one batch."""
    caller.require(WRITER)
    return usable(store, caller.alone, collection).apply(batch)


def load(
    store: Store, caller: Caller, collection: str, batches: Iterator[Callable[[], Batch]]
) -> Iterator[Loaded]:
    """Commit batch after batch, and say after each how far it is.

    A batch is decoded when its turn comes, so that its faults end the stream and leave the earlier
    ones. What readers need of the last version is worked out at the end.
    """
    caller.require(WRITER)
    caller = caller.alone
    target = usable(store, caller, collection)
    nodes = edges = passages = 0
    try:
        for number, decode in enumerate(batches, start=1):
            batch = decode()
            target = usable(store, caller, collection)  # it may be another one, or closed to them
            ack = target.apply(batch, prepare=False)
            nodes += len(batch.put_nodes)
            edges += len(batch.put_edges)
            passages += len(batch.put_passages)
            yield Loaded(ack.version, number, nodes, edges, passages, ack.dangling_edges)
    finally:
        target.current.prepare()
