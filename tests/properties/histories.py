"""Random histories: a collection, and what its writers and operators do to it afterwards, step by step.

Much of it changes who may read what: records come again with other readers, fields and whole collections change hands,
memberships end, rows go.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from passageway.v1 import store_pb2, types_pb2
from tests.oracle.askers import Asker
from tests.oracle.history import History, Setting
from tests.peers import Caller
from tests.properties.words import DROPPABLE, HIDDEN
from tests.properties.worlds import Author

RecordT = TypeVar("RecordT", types_pb2.Node, types_pb2.Edge, types_pb2.Passage)

NOBODY = Asker("", frozenset())
SNAPSHOT = "kept"


@dataclass(frozen=True, slots=True)
class Update:
    """Settings that are named, and what becomes of them."""

    settings: store_pb2.Collection
    names: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class Keep:
    """A named snapshot of what there is; no commit."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Back to what was kept, as one more commit."""


Step = store_pb2.Batch | Update | Keep | Restore


@dataclass(frozen=True, slots=True)
class RandomHistory:
    """A collection as it is made and filled, what is done to it then, and the callers who ask about it."""

    settings: store_pb2.Collection
    first: Sequence[Step]
    steps: Sequence[Step]
    callers: list[Caller]

    @property
    def history(self) -> History:
        """All of it, in the oracle."""
        history = History.of(self.settings)
        for step in (*self.first, *self.steps):
            take(history, step)
        return history


def take(history: History, step: Step) -> None:
    """Do to the oracle's collection what a step says."""
    match step:
        case store_pb2.Batch():
            history.apply(step, writer=NOBODY)
        case Update():
            history.update(step.settings, *step.names)
        case Keep():
            history.keep(SNAPSHOT)
        case Restore():
            history.restore(SNAPSHOT)


def random_history(
    seed: int, nodes: int, edges: int, *, steps: int, restores: bool = False
) -> RandomHistory:
    """The history of a seed, of so many steps or a few more; *restores* only where snapshots can be kept."""
    return _Drawing(seed, nodes, edges, restores=restores).history(steps)


class _Drawing:
    def __init__(self, seed: int, nodes: int, edges: int, *, restores: bool) -> None:
        self.rng = Random(seed)
        self.author = Author(self.rng, nodes, edges)
        self.restores = restores
        self.kept = False
        self.so_far = History.of(store_pb2.Collection())

    def history(self, steps: int) -> RandomHistory:
        rng, settings = self.rng, self.author.settings()
        if rng.random() < 0.5:
            settings.retain_versions = rng.choice((1, 2, 3, 4, 20))
        first = self.author.first()
        self.so_far = History.of(settings)
        for batch in first:
            take(self.so_far, batch)
        taken: list[Step] = []
        while len(taken) < steps:
            for step in self._steps():
                take(self.so_far, step)
                taken.append(step)
        return RandomHistory(settings, first, taken, self.author.people.callers())

    def _steps(self) -> Iterator[Step]:
        rng = self.rng
        chance = rng.random()
        if self.restores and chance < 0.3:
            yield Restore() if self.kept and rng.random() < 0.6 else Keep()
            self.kept = True
        elif chance < 0.5:
            yield self._with_other_readers()
        elif chance < 0.6 and self.author.people.granting:
            yield self._other_members()
        elif chance < 0.7:
            yield self._deletes()
        elif chance < 0.78:
            yield self.author.later()
        elif chance < 0.83:
            yield from self._dropped_field()
        else:
            yield self._update()

    def _with_other_readers(self) -> store_pb2.Batch:
        """A few records as they are, but for their readers: mostly parents of spans, and what joins rows."""
        now, rng = self.so_far.now, self.rng
        batch = store_pb2.Batch()
        parents = [span.parent_id for span in now.passages.values() if span.parent_id in now.nodes]
        for _ in range(rng.randint(1, 4)):
            match rng.randrange(5):
                case 0 if now.edges:
                    batch.put_edges.append(self._handed_on(rng.choice([*now.edges.values()])))
                case 1 if now.passages:
                    span = rng.choice([*now.passages.values()])
                    batch.put_passages.append(self._handed_on(span))
                case 2 if parents:
                    batch.put_nodes.append(self._handed_on(now.nodes[rng.choice(parents)]))
                case _ if now.nodes:
                    batch.put_nodes.append(self._handed_on(rng.choice([*now.nodes.values()])))
                case _:
                    pass
        return batch

    def _handed_on(self, record: RecordT) -> RecordT:
        other = type(record)()
        other.CopyFrom(record)
        other.readers[:] = self.rng.choice(
            ([], [HIDDEN], [HIDDEN], ["public"], self.author.readers())
        )
        return other

    def _other_members(self) -> store_pb2.Batch:
        """Some join a group, some leave one."""
        now, rng, people = self.so_far.now, self.rng, self.author.people
        members = [edge_id for edge_id in self.author.edge_ids if edge_id.startswith("member")]
        left = [edge_id for edge_id in members if edge_id in now.edges and rng.random() < 0.4]
        batch = store_pb2.Batch(delete_edges=left)
        batch.put_edges.extend(
            self.author.edge(edge_id) for edge_id in rng.sample(members, rng.randint(0, 3))
        )
        for person in rng.sample(people.persons, rng.randint(0, 2)):
            batch.put_nodes.append(self.author.node(person))
        return batch

    def _deletes(self) -> store_pb2.Batch:
        """Rows and edges that are there go; at times an id comes back at once, for others."""
        now, rng = self.so_far.now, self.rng
        rows, edges = [*now.nodes, *now.passages], [*now.edges]
        batch = store_pb2.Batch(
            delete_nodes=rng.sample(rows, min(len(rows), rng.choice((0, 1, 1, 2)))),
            delete_edges=rng.sample(edges, min(len(edges), rng.choice((0, 1, 1, 3)))),
        )
        for row_id in batch.delete_nodes:
            if rng.random() < 0.3:
                batch.put_nodes.append(self.author.node(row_id))
        return batch

    def _update(self) -> Update:
        """One setting, or two, as another operator would have them."""
        rng, other = self.rng, self.author.settings()
        other.retain_versions = rng.choice((1, 2, 3, 8))
        usual: tuple[Setting, ...] = "default_readers", "fields", "ontology", "membership", "fields"
        seldom: tuple[Setting, ...] = (
            "users", "retain_versions", "description", "citation_fields",
        )  # fmt: skip
        names: list[Setting] = [*rng.sample(usual, 2)]
        if rng.random() < 0.2:
            names.append(rng.choice(seldom))
        if "fields" in names:
            del other.fields[:]
            other.fields.extend(self.so_far.now.settings.fields)
            for field in rng.sample([*other.fields], rng.randint(1, 3)):
                field.readers[:] = self.rng.choice(([], [HIDDEN], self.author.readers()))
        return Update(other, tuple(dict.fromkeys(names)))

    def _dropped_field(self) -> Iterator[Step]:
        """A field goes from every record, then from the settings: one with readers is not dropped while rows hold it."""
        now, rng = self.so_far.now, self.rng
        declared = [field for field in now.settings.fields if field.name in DROPPABLE]
        if not declared:
            yield self._update()
            return
        name = rng.choice(declared).name
        batch = store_pb2.Batch(
            put_nodes=_bare(now.nodes.values(), name),
            put_edges=_bare(now.edges.values(), name),
            put_passages=_bare(now.passages.values(), name),
        )
        yield batch
        other = store_pb2.Collection(
            fields=[field for field in now.settings.fields if field.name != name]
        )
        yield Update(other, ("fields",))


def _bare(records: Iterable[RecordT], name: str) -> list[RecordT]:
    """Those of the *records* that hold a property, without it."""
    bare: list[RecordT] = []
    for record in records:
        if name in record.properties:
            other = type(record)()
            other.CopyFrom(record)
            del other.properties[name]
            bare.append(other)
    return bare
