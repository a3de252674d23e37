"""A collection in time: every commit makes one more world, and none of them ever changes.

Versions are numbered from 0, the collection as it was made. Only the last few may be asked for; the others are kept
here to know whom a row was for when it was last there.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from passageway.v1 import store_pb2
from tests.oracle.askers import Asker, viewer, with_membership
from tests.oracle.model import World
from tests.oracle.refusals import Refused
from tests.oracle.revisions import revision_of_record
from tests.oracle.visible import hidden_fields, without

Setting = Literal[
    "default_readers",
    "description",
    "fields",
    "membership",
    "ontology",
    "retain_versions",
    "users",
    "citation_fields",
]
"""What an operator may change of a collection."""

USUALLY_RETAINED, MOST_KEY_BYTES = 8, 256
OF_LOAD = re.compile("(?s:.+)/[0-9a-f]{16}/[1-9][0-9]{0,17}")
"""The keys of a load's batches."""


class Acknowledged(NamedTuple):
    """What a writer is told of a batch: the version that holds it, and the edges that wait for an end by then."""

    version: int
    dangling_edges: int


class Counted(NamedTuple):
    """What a stream of batches is told of one: its place, from 1, and the puts of the stream so far."""

    version: int
    batch: int
    nodes: int
    edges: int
    passages: int
    dangling_edges: int


@dataclass(frozen=True, slots=True)
class Guard:
    """What a batch was made for: the newest version, revisions by id (empty: no such row), and a key to apply it once."""

    if_version: int | None = None
    if_revisions: Mapping[str, str] = field(default_factory=dict[str, str])
    idempotency_key: str = ""


UNGUARDED = Guard()


class History:
    """The versions of one collection, its named snapshots, and the keys of its batches."""

    def __init__(self, first: World) -> None:
        self.worlds = [first]
        self.oldest = 0
        self._snapshots: dict[str, World] = {}
        self._keys: dict[tuple[str, str], tuple[bytes, Acknowledged]] = {}

    @classmethod
    def of(cls, settings: store_pb2.Collection) -> "History":
        """The history of a collection that is made just now."""
        return cls(World(settings))

    @property
    def newest(self) -> int:
        """The number of the newest version."""
        return len(self.worlds) - 1

    @property
    def now(self) -> World:
        """The newest version."""
        return self.worlds[-1]

    @property
    def retained(self) -> range:
        """The versions that may be asked for, oldest first."""
        return range(self.oldest, len(self.worlds))

    def apply(
        self,
        batch: store_pb2.Batch,
        guard: Guard = UNGUARDED,
        *,
        writer: Asker,
        faults: Collection[str] = (),
    ) -> Acknowledged:
        """Commit a batch, or give the answer of the same one before; ABORTED where the guard does not hold.

        The *faults* of the batch itself are worked out elsewhere; they are told last.
        """
        of_load = OF_LOAD.fullmatch(guard.idempotency_key)
        if of_load or len(guard.idempotency_key.encode()) > MOST_KEY_BYTES:
            raise Refused("INVALID_ARGUMENT", ["idempotency_key"])
        key = (writer.sub, guard.idempotency_key)
        if guard.idempotency_key and key in self._keys:
            same, answer = self._keys[key]
            if same != batch.SerializeToString(deterministic=True):
                raise Refused("INVALID_ARGUMENT", ["idempotency_key"])
            return answer
        if guard.if_version not in (None, self.newest):
            raise Refused("ABORTED", ["if_version"])
        if self.moved(guard.if_revisions, writer=writer):
            raise Refused("ABORTED", ["if_revisions"])
        if faults:
            raise Refused("INVALID_ARGUMENT", faults)
        world = self.now.copy()
        world.apply(batch)
        acknowledged = Acknowledged(self._commit(world), dangling_edges(world))
        if guard.idempotency_key:
            self._keys[key] = batch.SerializeToString(deterministic=True), acknowledged
        return acknowledged

    def load(self, batches: list[store_pb2.Batch], *, writer: Asker) -> list[Counted]:
        """Commit one batch after the other; what the stream is told after each."""
        told: list[Counted] = []
        nodes = edges = passages = 0
        for place, batch in enumerate(batches, start=1):
            version, dangling = self.apply(batch, writer=writer)
            nodes += len(batch.put_nodes)
            edges += len(batch.put_edges)
            passages += len(batch.put_passages)
            told.append(Counted(version, place, nodes, edges, passages, dangling))
        return told

    def moved(self, if_revisions: Mapping[str, str], *, writer: Asker) -> list[str]:
        """The ids of which the newest version has not the revision given, in order."""
        hidden = hidden_fields(self.now, viewer(with_membership(self.now, writer.alone)))
        return sorted(
            row_id
            for row_id, revision in if_revisions.items()
            if revision != self._revision(row_id, hidden)
        )

    def _revision(self, row_id: str, hidden: set[str]) -> str:
        """The revision of a record, whoever may read the row; empty where there is none."""
        if row_id in self.now.nodes:
            return revision_of_record(without(self.now.nodes[row_id], hidden))
        if row_id in self.now.passages:
            return revision_of_record(without(self.now.passages[row_id], hidden))
        return ""

    def update(self, settings: store_pb2.Collection, *names: Setting) -> int:
        """Commit the settings that are named, which become those of *settings*; the version that has them."""
        world = self.now.copy()
        world.settings = changed(self.now.settings, settings, *names)
        return self._commit(world)

    def keep(self, name: str) -> None:
        """Keep the newest version as a named snapshot."""
        self._snapshots[name] = self.now

    def restore(self, name: str) -> int:
        """Commit what a snapshot holds, its settings too; snapshots and keys stay."""
        return self._commit(self._snapshots[name].copy())

    def restored(self, name: str) -> "History":
        """A collection of its own, made of a snapshot: its versions and keys are not those of this one."""
        return History(self._snapshots[name].copy())

    def _commit(self, world: World) -> int:
        self.worlds.append(world)
        settings = world.settings
        kept = settings.retain_versions if settings.HasField("retain_versions") else None
        self.oldest = max(self.oldest, len(self.worlds) - (kept or USUALLY_RETAINED))
        return self.newest


def dangling_edges(world: World) -> int:
    """How many edges lack an end, those of links and spans included: whichever rows there are, readable or not."""
    present = set(world.nodes) | {
        span.id for span in world.passages.values() if span.parent_id in world.nodes
    }
    ends = [(edge.source, edge.target) for edge in world.edges.values()]
    for node in world.nodes.values():
        ends += [(node.id, end) for ids in node.links.values() for end in set(ids.values)]
    for span in world.passages.values():
        ends += [(span.id, end) for end in (span.parent_id, *set(span.mentions))]
    return sum(source not in present or target not in present for source, target in ends)


def changed(
    settings: store_pb2.Collection, other: store_pb2.Collection, *names: Setting
) -> store_pb2.Collection:
    """The *settings*, those that are named taken from the *other* ones: unset where they are not set there."""
    taken, left = store_pb2.Collection(), store_pb2.Collection()
    taken.CopyFrom(other)
    left.CopyFrom(settings)
    for member, _ in other.ListFields():
        if member.name not in names:
            taken.ClearField(cast(Setting, member.name))
    for name in names:
        left.ClearField(name)
    left.MergeFrom(taken)
    return left
