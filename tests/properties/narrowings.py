"""A version in other company: among rows that the caller could read in it, and may not today.

They are tightened, or tightened and then deleted; fields get readers; a parent is closed over its spans; others open that
were closed. What the caller may read of the version is put with them, and later changed as one may whose readers stay.
"""

from dataclasses import dataclass
from random import Random

from passageway.v1 import store_pb2, types_pb2
from tests.properties.histories import Step, Update
from tests.properties.rebuilds import Hiding, Put, PutT, with_other_hidden_fields


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A collection as it is made, the steps up to the version in question, and those since."""

    settings: store_pb2.Collection
    before: list[Step]
    since: list[Step]


def hidden_since(
    rng: Random, settings: store_pb2.Collection, visible: store_pb2.Batch, *, admin: bool
) -> Narrowed:
    """The *visible* rows in company that is hidden today; an *admin*, who reads all rows, has none of it."""
    opened, after = store_pb2.Collection(), store_pb2.Collection()
    opened.CopyFrom(settings)
    if admin:
        return Narrowed(opened, [visible], [_moved_on(rng, visible)])
    guarded, holding = with_other_hidden_fields(rng, settings, visible)
    after.CopyFrom(guarded)
    opened.CopyFrom(guarded)
    for field in opened.fields[len(settings.fields) :]:
        del field.readers[:]
    hiding = Hiding(rng, holding)
    nodes, edges, spans = hiding.nodes(), hiding.edges(), hiding.spans()
    puts: list[Put] = [_loose(rng, node) for node in nodes]
    puts += [_loose(rng, edge) for edge in edges]
    puts += [_loose(rng, span) for span in spans]
    closing = store_pb2.Batch(
        put_nodes=nodes,
        put_edges=edges,
        put_passages=[
            span for span in spans if span.parent_id not in hiding.hidden or rng.random() < 0.5
        ],
    )
    gone = store_pb2.Batch(
        delete_nodes=rng.sample([*hiding.hidden], rng.randint(0, len(hiding.hidden))),
        delete_edges=[edge.id for edge in edges if rng.random() < 0.5],
    )
    early = store_pb2.Batch(
        delete_nodes=[
            span.id for span in spans if span.parent_id in hiding.hidden and rng.random() < 0.3
        ]
    )
    between: list[Step] = [early, closing, gone, Update(after, ("fields",))]
    between.insert(rng.randint(0, len(between)), _moved_on(rng, visible))
    return Narrowed(opened, [hiding.mixed(puts)], between)


def _loose(rng: Random, put: PutT) -> PutT:
    """The same, for everybody; of edges and spans it may name nobody, a few nodes stay closed."""
    loose = type(put)()
    loose.CopyFrom(put)
    chance = rng.random()
    if isinstance(put, types_pb2.Node):
        if chance < 0.9:
            loose.readers[:] = ["public"]
    else:
        loose.readers[:] = [] if chance < 0.7 else ["public"]
    return loose


def _moved_on(rng: Random, visible: store_pb2.Batch) -> store_pb2.Batch:
    """Visible rows become others, for the same readers; some go."""
    batch = store_pb2.Batch(delete_edges=[e.id for e in visible.put_edges if rng.random() < 0.2])
    deleted = {node.id for node in visible.put_nodes if rng.random() < 0.1}
    batch.delete_nodes.extend(sorted(deleted))
    for node in visible.put_nodes:
        if node.id not in deleted and rng.random() < 0.2:
            batch.put_nodes.add(id=node.id, name="another", readers=node.readers)
    return batch
