"""Expand with edges made of two: what is shown of them, and what of a request holds for them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.errors import InvalidRequest
from passageway_server.service.expand import expand
from passageway_server.values.answers import EdgeRow, ExpandAnswer, Hit
from passageway_server.values.collections import (
    CollectionSettings,
    Direction,
    EdgeType,
    FieldDeclaration,
    Kind,
    Ontology,
)
from passageway_server.values.queries import EdgeSpec, ReadOptions
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)
from passageway_server.values.requests import (
    Budget,
    ExpandRequest,
    Hop,
    PageRank,
    Rank,
    SeedGroup,
    Shared,
)
from passageway_server.version.store import Store

ANYONE = Caller.holding(())
NOTHING = Batch()
SETTINGS = CollectionSettings(
    "c",
    default_readers=("public",),
    fields=(FieldDeclaration("expires_at", Kind.TIME),),
    ontology=Ontology(edge_types=(EdgeType("IN", agents_walk=Direction.IN),)),
)
PUBLIC = (
    NodeRecord("g1", type="group"),
    NodeRecord("ada", project="p"),
    NodeRecord("bob", project="p"),
    NodeRecord("cy", project="q"),
)
KNOWS = EdgeRecord("k", "ada", "bob", "KNOWS", 0.5, {"through": "school", "strength": 3})


def belongs(*members: str, to: str = "g1") -> tuple[EdgeRecord, ...]:
    return tuple(EdgeRecord(f"{one} in {to}", one, to, "IN") for one in members)


def store(*edges: EdgeRecord, nodes: tuple[NodeRecord, ...] = (), batch: Batch = NOTHING) -> Store:
    kept = Store.open()
    collection = kept.create(SETTINGS)
    collection.apply(
        replace(
            batch,
            put_nodes=PUBLIC + nodes,
            put_edges=belongs("ada", "bob", "cy") + edges,
        )
    )
    return kept


SHARES = Shared("SHARES", "IN", "group")
HOP = Hop(EdgeSpec(("KNOWS",)), shared=(SHARES,))
ASKED = ExpandRequest(
    "c", seeds=(SeedGroup(("ada",)),), hops=(HOP,), with_edges=True, with_subgraph=True
)


def ask(kept: Store, caller: Caller = ANYONE, **changes: object) -> ExpandAnswer:
    return expand(kept, caller, replace(ASKED, **changes))  # type: ignore[arg-type]


def every_hit(answer: ExpandAnswer) -> list[Hit]:
    assert isinstance(answer.hits, list)
    return answer.hits


def hits(answer: ExpandAnswer) -> list[Hit]:
    """Those that are no seeds."""
    return [hit for hit in every_hit(answer) if hit.hop]


def ids(answer: ExpandAnswer) -> set[str]:
    return {hit.node.id for hit in hits(answer)}


def made(source: str, target: str, through: str | None = "g1", weight: float = 1.0) -> EdgeRow:
    properties: Properties = {} if through is None else {"through": through}
    return EdgeRow("", source, target, "SHARES", weight, properties)


def test_a_made_edge_is_shown_with_its_type_its_weight_and_the_node_between() -> None:
    for caller in (ANYONE, OPERATOR):
        answer = ask(store(), caller)

        assert [(hit.node.id, hit.via, hit.edge, hit.direction) for hit in hits(answer)] == [
            ("bob", "ada", made("ada", "bob"), Direction.OUT),
            ("cy", "ada", made("ada", "cy"), Direction.OUT),
        ]
        assert [(one.edge, one.hop) for one in answer.subgraph] == [
            (made("ada", "bob"), 1),
            (made("ada", "cy"), 1),
        ]


def test_stored_and_made_edges_come_in_one_list() -> None:
    hop = replace(HOP, shared=(replace(SHARES, weight=0.25),))
    answer = ask(store(KNOWS), hops=(hop, hop))

    assert [one.edge for one in answer.subgraph if one.hop == 1] == [
        EdgeRow("k", "ada", "bob", "KNOWS", 0.5, KNOWS.properties),
        made("ada", "bob", weight=0.25),
        made("ada", "cy", weight=0.25),
    ]
    ends = [(one.edge.source, one.edge.target) for one in answer.subgraph if one.hop == 2]
    assert ends == [("bob", "ada"), ("bob", "cy"), ("cy", "ada"), ("cy", "bob")]
    assert [(hit.node.id, hit.score) for hit in hits(answer)] == [("bob", 0.75), ("cy", 0.25)]


@pytest.mark.parametrize(
    ("asked", "through", "of_stored"),
    [
        ((), "g1", {"through": "school", "strength": 3}),
        (("weight",), None, {}),
        (("through",), "g1", {"through": "school"}),
        (("properties.through", "strength"), "g1", {"through": "school", "strength": 3}),
    ],
)
def test_the_node_between_is_a_field_like_the_others(
    asked: tuple[str, ...], through: str | None, of_stored: dict[str, object]
) -> None:
    answer = ask(store(KNOWS), edge_fields=asked)

    stored, *others = (one.edge for one in answer.subgraph)
    assert others == [made("ada", "cy", through), made("ada", "bob", through)][::-1]
    assert stored.properties == of_stored


def test_the_node_between_is_a_known_field_where_edges_are_made_alone() -> None:
    assert ask(store(), edge_fields=("through",)).subgraph[0].edge == made("ada", "bob")
    with pytest.raises(InvalidRequest):
        ask(store(), edge_fields=("through",), hops=(Hop(),))


def test_rows_outside_of_the_project_or_retired_neither_lead_nor_are_led_to() -> None:
    kept = store(
        *belongs("ada", "bob", "old", to="g2"),
        nodes=(
            NodeRecord("g2", type="group", project="p"),
            NodeRecord(
                "old", project="p", properties={"expires_at": datetime(1971, 1, 1, tzinfo=UTC)}
            ),
        ),
    )
    most = (replace(HOP, shared=(replace(SHARES, max_members=2),)),)

    assert ids(ask(kept, read=ReadOptions(project="p"))) == {"bob", "old"}
    assert ids(ask(kept, read=ReadOptions(project="p", current=True))) == {"bob"}
    assert ids(ask(kept, read=ReadOptions(project="p"), hops=most)) == set()
    current = ask(kept, read=ReadOptions(project="p", current=True), hops=most)
    assert [hit.edge for hit in hits(current)] == [made("ada", "bob", "g2")]


def test_what_the_caller_may_not_read_makes_no_edge() -> None:
    eve = ("user:eve",)
    kept = store(
        *belongs("ada", "dan", to="g2"),
        *belongs("ada", "bob", to="g0"),
        *(replace(edge, readers=eve) for edge in belongs("fay")),
        nodes=(
            NodeRecord("dan", readers=eve),
            NodeRecord("fay"),
            NodeRecord("g0", type="group", readers=eve),
            NodeRecord("g2", type="group"),
        ),
    )

    assert ids(ask(kept)) == {"bob", "cy"}
    assert hits(ask(kept))[0].edge == made("ada", "bob")
    seen = ask(kept, Caller.holding(eve))
    assert ids(seen) == {"bob", "cy", "dan", "fay"}
    assert hits(seen)[0].edge == made("ada", "bob", "g0")


def test_the_ways_that_agents_walk_and_the_weight_property_are_of_stored_edges() -> None:
    weighted = replace(HOP, edges=EdgeSpec(weight_property="strength"))
    answer = ask(store(KNOWS), hops=(weighted,), walk_as_declared=True)

    assert [(hit.node.id, hit.score) for hit in hits(answer)] == [("bob", 4.0), ("cy", 1.0)]


def test_links_and_spans_lead_and_are_led_through_like_others() -> None:
    kept = store(
        nodes=(
            NodeRecord("doc", type="memory"),
            NodeRecord("eli", links={"IN": ("s1",)}),
            NodeRecord("fay", links={"IN": ("s1",)}),
        ),
        batch=Batch(put_passages=(PassageRecord("s1", "doc"), PassageRecord("s2", "doc"))),
    )

    def reached(seed: str, shared: Shared) -> list[EdgeRow | None]:
        answer = ask(kept, seeds=(SeedGroup((seed,)),), hops=(replace(HOP, shared=(shared,)),))
        return [hit.edge for hit in hits(answer)]

    assert reached("eli", Shared("SHARES", "IN", "passage")) == [made("eli", "fay", "s1")]
    assert reached("s2", Shared("SHARES", "PART_OF", "memory")) == [made("s2", "s1", "doc")]


def test_a_budget_and_a_rank_take_made_edges_like_stored_ones() -> None:
    kept = store(KNOWS)
    budget = ask(kept, hops=(HOP, HOP), budget=Budget(edges=2))

    assert [hit.edge for hit in hits(budget)] == [made("ada", "bob"), made("ada", "cy")]
    ranked = ask(kept, hops=(HOP, HOP), rank=Rank.PPR, ppr=PageRank(tolerance=0.0, iterations=200))
    assert ids(ranked) == {"bob", "cy"}
    scores = [hit.score or 0.0 for hit in every_hit(ranked)]
    assert sum(scores) == pytest.approx(1.0, abs=1e-9)
