"""Pages of a collection that is written between them: what the rule says, for any order, filter and size.

The rule: a page is the first rows, of those that match now, after the sort values and the id of the last
row shown. Rows that nobody touched come once, however many pages there are.
"""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cmp_to_key
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from passageway_server.authz.callers import Caller
from passageway_server.service.lookup import lookup
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, Properties
from passageway_server.values.requests import LookupKind, LookupRequest
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store

EXAMPLES = settings().max_examples
EVERYBODY = Caller.holding(())
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
IDS = [f"{letter}{i}" for letter in ("a", "Z", "\u00e9", "\U0001f600") for i in range(9)]
FIELDS = ["size", "tag", "name", "done", "type", "id"]
FILTERS: dict[str, Callable[["Plain"], bool]] = {
    "": bool,
    "size:*": lambda row: "size" in row,
    "NOT size > 2": lambda row: not any(value > 2 for value in row.get("size", [])),
    "tag = x OR done = true": lambda row: "x" in row.get("tag", []) or row.get("done") == [True],
}

Plain = Mapping[str, list[Any]]
Order = tuple[tuple[str, bool], ...]
"""Fields to sort by, each with whether it descends."""


@dataclass
class Clock:
    now: int = 1_000_000

    def __call__(self) -> int:
        return self.now


def properties(random: random.Random) -> Properties:
    drawn: Properties = {}
    if random.random() < 0.7:
        sizes: list[int | float] = [0, 1, 2, 2.0, 3, -1, 0.5, 2**53 + 1, float(2**53)]
        chosen = random.choices(sizes, k=random.choice([1, 1, 2]))
        drawn["size"] = chosen[0] if len(chosen) == 1 else [float(one) for one in chosen]
    if random.random() < 0.7:
        drawn["tag"] = random.choices(["x", "xy", "", "\uffff", "\U0001f600"], k=2)
    if random.random() < 0.5:
        drawn["done"] = random.random() < 0.5
    return drawn


def node(random: random.Random, id: str) -> NodeRecord:
    held = properties(random)
    if random.random() < 0.2:
        held["expires_at"] = EPOCH + timedelta(microseconds=random.randrange(1_000_000, 1_000_050))
    return NodeRecord(
        id,
        type=random.choice(["", "t", "u"]),
        name=random.choice(["", "n", "N", "nn"]),
        readers=random.choice([(), (), (), ("user:eve",)]),
        properties=held,
    )


def edge(random: random.Random, id: str) -> EdgeRecord:
    source, target = random.choices(IDS, k=2)
    readers = random.choice([(), (), (), ("user:eve",)])
    return EdgeRecord(id, source, target, random.choice("tu"), None, properties(random), readers)


class World:
    """A collection, and the same as plain dicts."""

    def __init__(self, random: random.Random, clock: Clock) -> None:
        self._random = random
        self.store = Store.open(now=clock)
        self._collection: Collection = self.store.create(
            CollectionSettings("c", default_readers=("public",))
        )
        self.nodes: dict[str, NodeRecord] = {}
        self.edges: dict[str, EdgeRecord] = {}
        self.touched: set[str] = set()
        self.write(share=0.8)
        known = NodeRecord("known", "k", "k", properties={"size": 0.5, "tag": "k", "done": False})
        loop = EdgeRecord("known", "known", "known", "k", None, known.properties)
        self._apply(Batch(put_nodes=(known,), put_edges=(loop,)))
        self.touched.clear()

    def write(self, *, share: float) -> None:
        """Delete some rows, put some anew, add some."""
        chosen = [id for id in IDS if self._random.random() < share]
        gone = [id for id in chosen if self._random.random() < 0.3]
        put = [id for id in chosen if id not in gone]
        self.touched.update(chosen)
        self._apply(
            Batch(
                delete_edges=tuple(gone),
                delete_nodes=tuple(gone[::2]),
                put_nodes=tuple(node(self._random, id) for id in put[::2]),
                put_edges=tuple(edge(self._random, id) for id in put),
            )
        )

    def _apply(self, batch: Batch) -> None:
        self._collection.apply(batch)
        for id in batch.delete_edges:
            self.edges.pop(id, None)
        for id in batch.delete_nodes:
            if self.nodes.pop(id, None) is not None:
                at = [e.id for e in self.edges.values() if id in (e.source, e.target)]
                self.touched.update(at)
                for one in at:
                    del self.edges[one]
        self.nodes |= {record.id: record for record in batch.put_nodes}
        self.edges |= {record.id: record for record in batch.put_edges}
        ends = {record.id for record in batch.put_nodes}
        self.touched |= {e.id for e in self.edges.values() if ends & {e.source, e.target}}

    def seen(self, kind: LookupKind, now: int) -> dict[str, Plain]:
        """What everybody sees that is current at *now*, by id."""
        nodes = {
            record.id: plain(record.id, record.type, record.name, record.properties)
            for record in self.nodes.values()
            if not record.readers and not expired(record, now)
        }
        if kind is LookupKind.NODES:
            return nodes
        return {
            record.id: plain(record.id, record.type, "", record.properties)
            for record in self.edges.values()
            if not record.readers and record.source in nodes and record.target in nodes
        }


def expired(record: NodeRecord, now: int) -> bool:
    expires = record.properties.get("expires_at")
    return isinstance(expires, datetime) and (expires - EPOCH) // timedelta(microseconds=1) <= now


def plain(id: str, type: str, name: str, properties: Properties) -> Plain:
    built_in = {"id": id, "type": type, "name": name}
    row: dict[str, list[Any]] = {field: [value] for field, value in built_in.items() if value}
    for field, value in properties.items():
        row[field] = list(value) if isinstance(value, list) else [value]
    return row


def counted(row: Plain, order: Order) -> tuple[Any, ...]:
    """What *row* is ordered by: of several values the smallest, descending the largest."""
    return tuple(
        None if field not in row else max(row[field]) if descends else min(row[field])
        for field, descends in order
    )


def compare(order: Order) -> Callable[[tuple[Any, ...], tuple[Any, ...]], int]:
    """Compares the sort values of two rows, with their ids last."""

    def compared(one: tuple[Any, ...], other: tuple[Any, ...]) -> int:
        for (_, descends), a, b in zip(order, one, other, strict=False):
            if a == b:
                continue
            if a is None or b is None:
                return 1 if a is None else -1
            return -1 if (a < b) != descends else 1
        return int(one[-1] > other[-1]) - int(one[-1] < other[-1])

    return compared


def in_order(rows: Iterable[Plain], order: Order) -> list[tuple[Any, ...]]:
    return sorted(
        ((*counted(row, order), row["id"][0]) for row in rows), key=cmp_to_key(compare(order))
    )


def drawn_order(random: random.Random, kind: LookupKind) -> Order:
    fields = FIELDS if kind is LookupKind.NODES else [name for name in FIELDS if name != "name"]
    chosen = random.sample(fields, random.randrange(3))
    return tuple((field, random.random() < 0.5) for field in chosen)


@settings(max_examples=3 * EXAMPLES)
@given(st.integers(0, 2**32 - 1), st.sampled_from(LookupKind))
def test_pages_under_writes_are_what_the_rule_says(seed: int, kind: LookupKind) -> None:
    drawn = random.Random(seed)
    clock = Clock()
    world = World(drawn, clock)
    order, begun = drawn_order(drawn, kind), clock.now
    text = drawn.choice(sorted(FILTERS))
    request = LookupRequest(
        "c",
        ReadOptions(current=True),
        kind=kind,
        filter=text,
        sort=tuple(f"{'-' if descends else ''}{field}" for field, descends in order),
        fields=("id",),
    )
    first = {id for id, row in world.seen(kind, begun).items() if FILTERS[text](row)}
    shown: list[str] = []
    last: tuple[Any, ...] | None = None
    token = ""
    while True:
        size = drawn.randrange(1, 8)
        answer = lookup(world.store, EVERYBODY, replace(request, page_size=size, page_token=token))

        rows = [row for row in world.seen(kind, begun).values() if FILTERS[text](row)]
        ordered = in_order(rows, order)
        rest = [key for key in ordered if last is None or compare(order)(key, last) > 0]
        page = [node.id for node in answer.nodes] + [edge.id for edge in answer.edges]
        assert page == [key[-1] for key in rest[:size]]
        assert answer.total == len(rows)
        assert bool(answer.next_page_token) == (len(rest) > size)
        shown += page
        token = answer.next_page_token
        if not token:
            break
        last = rest[size - 1]
        clock.now += drawn.randrange(20)
        world.write(share=drawn.choice([0.0, 0.1, 0.4]))

    stayed = first - world.touched
    assert sorted(id for id in shown if id not in world.touched) == sorted(stayed)
