"""Random collections: settings, a caller, and the batches that a writer might send.

All comes from one `random.Random` and two sizes, so that a failing example is a seed and small numbers.
"""

from dataclasses import dataclass
from random import Random

from google.protobuf.internal.containers import MessageMap

from passageway.v1 import store_pb2, types_pb2
from tests.oracle import World
from tests.peers import Caller
from tests.properties.people import People
from tests.properties.words import (
    BELONGS_TO,
    CITABLE,
    COMMUNITY,
    DECLARED,
    DIMENSIONS,
    EDGE_KINDS,
    EDGE_TYPES,
    GUARDABLE,
    HIDDEN,
    LINK_FIELDS,
    NAME,
    NODE_KINDS,
    NODE_TYPES,
    ODD_IDS,
    ONLY_HIDDEN,
    PRINCIPALS,
    PROJECTS,
    STATUSES,
    TEXTS,
    WEIGHTS,
    WORDS,
    random_value,
)


@dataclass(frozen=True, slots=True)
class RandomWorld:
    """A collection as its batches, as the oracle's world, the callers who ask about it, and what may be written next."""

    settings: store_pb2.Collection
    batches: list[store_pb2.Batch]
    world: World
    callers: list[Caller]
    writes: list[store_pb2.Batch]


def random_world(seed: int, nodes: int, edges: int) -> RandomWorld:
    """The world of a seed, of about so many nodes and edge documents."""
    return Author(Random(seed), nodes, edges).world()


class Author:
    """Who writes a random collection: what it puts is valid, whatever was put before."""

    def __init__(self, rng: Random, nodes: int, edges: int) -> None:
        self.rng = rng
        self.people = People(rng)
        self.main = self.people.main
        ids = [f"n{place}" for place in range(nodes)]
        for odd in rng.sample(ODD_IDS, rng.randint(0, min(4, nodes))):
            ids[rng.randrange(nodes)] = odd
        self.communities = rng.choice(([], ["community:0", "community:1"]))
        self.ids = list(dict.fromkeys([*ids, *self.people.ids, *self.communities]))
        self.missing = [f"missing{place}" for place in range(2)]
        self.span_ids = [f"s{place}" for place in range(rng.randint(0, max(1, nodes // 2)))]
        self.edge_ids = [f"e{place}" for place in range(edges)]
        self.edge_ids += [f"member{place}" for place in range(2 * len(self.people.ids))]
        self.edge_ids += [f"belongs{place}" for place in range(4 * len(self.communities))]
        self.repeats = rng.choice((1, 1, 1, 12))  # of texts: in some collections they are long
        self.hub = rng.choice(self.ids)
        self.few = self.rng.sample(self.ids, min(len(self.ids), 4))

    def world(self) -> RandomWorld:
        settings = self.settings()
        batches = [*self.first(), *(self.later() for _ in range(self.rng.randint(0, 3)))]
        world = World.of(settings, batches)
        callers = self.people.callers()
        return RandomWorld(settings, batches, world, callers, [self.later() for _ in range(3)])

    def settings(self) -> store_pb2.Collection:
        rng = self.rng
        settings = store_pb2.Collection(name=NAME, description=rng.choice(("", "a map")))
        settings.default_readers.extend(rng.choice(([], [], ["public"], ["group:eng"])))
        guarding = rng.random() < 0.5
        guardable = rng.sample(sorted(GUARDABLE), rng.randint(0, 4) if guarding else 0)
        for name, (kind, repeated) in (
            *DECLARED.items(),
            *((name, GUARDABLE[name]) for name in guardable),
        ):
            field = settings.fields.add(name=name, kind=kind, repeated=repeated)
            if kind == types_pb2.FIELD_KIND_TEXT and rng.random() < 0.4:
                field.weight = rng.choice((0.5, 3.0))
                field.language = rng.choice(("", "spanish"))
            if kind == types_pb2.FIELD_KIND_VECTOR:
                field.dimensions = DIMENSIONS
                field.similarity = rng.choice(store_pb2.Similarity.values())
            if guarding and rng.random() < 0.5:
                field.readers.extend(self.readers() or [HIDDEN])
        membership = self.people.membership()
        if membership is not None:
            settings.membership.CopyFrom(membership)
        if rng.random() < 0.2:
            settings.language = rng.choice(("english", "german"))
        if rng.random() < 0.4:
            settings.ontology.node_types.add(name="doc", indexed=rng.random() < 0.5)
        for name in rng.sample(EDGE_TYPES[:-1], rng.randint(0, 4)):
            edge_type = settings.ontology.edge_types.add(
                name=name, agents_walk=rng.choice(types_pb2.Direction.values())
            )
            if rng.random() < 0.6:
                edge_type.default_weight = rng.choice((0.0, 0.3, 0.5, 2.0))
        if rng.random() < 0.2:
            settings.citation_fields.extend(rng.sample(CITABLE, 3))
        if rng.random() < 0.5:
            settings.ontology.node_types.add(name="service", prefix="SVC", description="runs")
            settings.ontology.routes.add(
                source_type="team", target_types=["service"], edge_types=["OWNS"]
            )
        if rng.random() < 0.05:
            settings.users.append(rng.choice(("public", "group:eng")))
        return settings

    def first(self) -> list[store_pb2.Batch]:
        """Every record once, in one batch or in several, edges before their ends or after."""
        rng = self.rng
        puts: list[types_pb2.Node | types_pb2.Edge | types_pb2.Passage] = [
            *(self.node(row_id) for row_id in self.ids),
            *(self.edge(edge_id) for edge_id in self.edge_ids),
            *(self.passage(span_id) for span_id in self.span_ids),
        ]
        if rng.random() < 0.5:
            rng.shuffle(puts)
        batches = [store_pb2.Batch() for _ in range(rng.choice((1, 1, 2, 3)))]
        for put in puts:
            _add(rng.choice(batches), put)
        return batches

    def later(self) -> store_pb2.Batch:
        """Replacements, deletes and recuts."""
        rng = self.rng
        batch = store_pb2.Batch()
        for _ in range(rng.randint(0, 4)):
            match rng.randrange(8):
                case 0:
                    batch.delete_nodes.append(rng.choice([*self.ids, *self.missing]))
                case 1:
                    batch.delete_edges.append(rng.choice([*self.edge_ids, "none"]))
                case 2:
                    batch.recut_parents.append(rng.choice([*self.ids, *self.few]))
                    self._spans(batch)
                case 3 | 4:
                    batch.put_nodes.append(self.node(rng.choice(self.ids)))
                case 5:
                    batch.put_edges.append(self.edge(rng.choice([*self.edge_ids, "extra"])))
                case 6:
                    batch.put_passages.append(self.passage(rng.choice([*self.span_ids, "extra"])))
                case _:
                    batch.put_nodes.append(self.node(rng.choice([*self.span_ids, "back"])))
        return batch

    def _spans(self, batch: store_pb2.Batch) -> None:
        for span_id in self.rng.sample(self.span_ids, min(2, len(self.span_ids))):
            batch.put_passages.append(self.passage(span_id))

    def readers(self) -> list[str]:
        """Three times of four, readers of whom the main caller is one."""
        rng = self.rng
        if rng.random() < 0.75:
            held = sorted(self.main.held if rng.random() < 0.5 else self.people.may_hold)
            mine = rng.choice(held)
            if rng.random() < 0.2:
                mine = f"{rng.choice(held)} & {rng.choice(held)}"
            return rng.sample([mine, rng.choice(PRINCIPALS)], 2)
        return rng.choice(
            ([], [HIDDEN], [rng.choice(PRINCIPALS)], [f"{rng.choice(PRINCIPALS)}&{HIDDEN}"])
        )

    def text(self) -> str:
        """Mostly a short text."""
        text = self.rng.choice(TEXTS)
        return ". ".join([text] * self.repeats) if text else text

    def own_readers(self) -> list[str]:
        """Mostly none, as edges and spans have."""
        return [] if self.rng.random() < 0.7 else self.readers()

    def end(self) -> str:
        """An id for an edge to lead to: of a few often, of what does not exist seldom."""
        rng = self.rng
        chance = rng.random()
        if chance < 0.15:
            return self.hub
        if chance < 0.4:
            return rng.choice(self.few)
        if chance < 0.45:
            return rng.choice(self.missing)
        if chance < 0.55 and self.span_ids:
            return rng.choice(self.span_ids)
        return rng.choice(self.ids)

    def node(self, row_id: str) -> types_pb2.Node:
        rng = self.rng
        readers = self.readers()
        node = types_pb2.Node(
            id=row_id,
            type=rng.choice(NODE_TYPES),
            name=rng.choice(("", rng.choice(WORDS), row_id[:20])),
            content=self.text(),
            project=rng.choice(PROJECTS),
            status=rng.choice(STATUSES),
            readers=readers,
            covered=rng.random() < 0.6,
        )
        self._properties(node.properties, NODE_KINDS, 5, readers)
        for name in rng.sample(LINK_FIELDS, rng.choice((0, 0, 1, 2))):
            ends = [self.end() for _ in range(rng.randint(1, 3))]
            node.links[name].values.extend(dict.fromkeys(ends))
            if rng.random() < 0.1:
                node.links[name].values.append(ends[0])
        self.people.add_groups(node)
        if row_id in self.communities:
            node.type = COMMUNITY
        return node

    def edge(self, edge_id: str) -> types_pb2.Edge:
        rng = self.rng
        readers = self.own_readers()
        source = self.end()
        edge = types_pb2.Edge(
            id=edge_id,
            source=source,
            target=source if rng.random() < 0.05 else self.end(),
            type=rng.choice(EDGE_TYPES),
            weight=rng.choice(WEIGHTS),
            readers=readers,
        )
        if edge_id.startswith("member"):
            self.people.member_of(edge)
        if edge_id.startswith("belongs"):
            edge.target, edge.type = rng.choice(self.communities), BELONGS_TO
        self._properties(edge.properties, EDGE_KINDS, 3, readers or ["public"])
        if rng.random() < 0.4:
            edge.properties["strength"].CopyFrom(random_value(rng, "number"))
        return edge

    def passage(self, span_id: str) -> types_pb2.Passage:
        rng = self.rng
        readers = self.own_readers()
        passage = types_pb2.Passage(
            id=span_id,
            parent_id=self.end() if rng.random() < 0.2 else rng.choice(self.few[:2]),
            index=rng.choice((0, 1, 2, rng.randint(0, 7))),
            name=rng.choice(WORDS),
            content=self.text(),
            breadcrumb=rng.choice(("", "top > part")),
            mentions=[self.end() for _ in range(rng.choice((0, 0, 1, 2)))],
            type=rng.choice(("", "", "quote")),
            readers=readers,
            total=rng.choice((None, 1, 3, 3, 3, 3)),
        )
        self._properties(passage.properties, NODE_KINDS, 2, readers or ["public"])
        return passage

    def _properties(
        self,
        properties: "MessageMap[str, types_pb2.Value]",
        kinds: dict[str, str],
        most: int,
        readers: list[str],
    ) -> None:
        rng = self.rng
        chosen = {name: kinds[name] for name in rng.sample(sorted(kinds), rng.randint(0, most))}
        if self.people.may_hold.isdisjoint(readers) and "&" not in "".join(readers):
            chosen |= ONLY_HIDDEN
        for name, holds in chosen.items():
            properties[name].CopyFrom(random_value(rng, holds))


def _add(batch: store_pb2.Batch, put: types_pb2.Node | types_pb2.Edge | types_pb2.Passage) -> None:
    match put:
        case types_pb2.Node():
            batch.put_nodes.append(put)
        case types_pb2.Edge():
            batch.put_edges.append(put)
        case types_pb2.Passage():
            batch.put_passages.append(put)
