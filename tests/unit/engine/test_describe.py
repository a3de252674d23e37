"""Types, routes and fields are those of the rows that the caller may see."""

from datetime import UTC, datetime

from passageway_server.authz.callers import Caller
from passageway_server.service.describe import describe, ontology_revision
from passageway_server.values.answers import DescribeAnswer
from passageway_server.values.collections import (
    CollectionSettings,
    EdgeType,
    FieldDeclaration,
    Kind,
    NodeType,
    Ontology,
)
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.values.requests import DescribeRequest
from passageway_server.version.store import Store

ONTOLOGY = Ontology((NodeType("team"),), (EdgeType("OWNS", default_weight=0.5),))
SETTINGS = CollectionSettings(
    "c",
    description="Teams",
    fields=(FieldDeclaration("since", Kind.TIME, repeated=True),),
    ontology=ONTOLOGY,
    default_readers=("public",),
)
SECRET = ("user:eve",)
EVERYBODY, EVE = Caller.holding(()), Caller.holding(SECRET)
PAST = datetime(1970, 1, 2, tzinfo=UTC)
GRAPH = Batch(
    put_nodes=(
        NodeRecord("a", "team", project="p", properties={"size": 1, "tag": "x"}),
        NodeRecord("b", "team", properties={"size": 2}, links={"OWNS": ("a", "s", "b")}),
        NodeRecord("s", "spy", readers=SECRET, properties={"size": [0.5], "code": "x"}),
        NodeRecord("old", properties={"expires_at": PAST}, links={"KNOWS": ("s",)}),
    ),
    put_edges=(
        EdgeRecord("e1", "a", "b", "OWNS", properties={"tag": ["x"]}),
        EdgeRecord("e2", "a", "a", "SELF"),
        EdgeRecord("e3", "a", "b", "HIDDEN", readers=SECRET, properties={"why": True}),
        EdgeRecord("e4", "a", "nowhere", "LOOSE", properties={"loose": True}),
    ),
    put_passages=(PassageRecord("p1", "a", mentions=("b",)), PassageRecord("p2", "s")),
)


def described(caller: Caller, read: ReadOptions | None = None) -> DescribeAnswer:
    store = Store.open(now=lambda: 2 * 86_400_000_000)
    store.create(SETTINGS).apply(GRAPH)
    return describe(store, caller, DescribeRequest("c", read or ReadOptions()))


def types(answer: DescribeAnswer) -> list[tuple[str, int]]:
    return [(seen.name, seen.count) for seen in answer.types]


def routes(answer: DescribeAnswer) -> list[tuple[str, str, str, int]]:
    return [
        (route.source_type, route.edge_type, route.target_type, route.count)
        for route in answer.routes
    ]


def test_types_are_counted_over_readable_rows_spans_too() -> None:
    assert types(described(EVERYBODY)) == [("", 1), ("passage", 1), ("team", 2)]
    assert types(described(EVE)) == [("", 1), ("passage", 2), ("spy", 1), ("team", 2)]


def test_routes_are_those_of_visible_edges_self_loops_too() -> None:
    everybody = [
        ("passage", "MENTIONS", "team", 1),
        ("passage", "PART_OF", "team", 1),
        ("team", "OWNS", "team", 3),
        ("team", "SELF", "team", 1),
    ]
    assert routes(described(EVERYBODY)) == everybody
    assert set(routes(described(EVE))) - set(everybody) == {
        ("", "KNOWS", "spy", 1),
        ("passage", "PART_OF", "spy", 1),
        ("team", "HIDDEN", "team", 1),
        ("team", "OWNS", "spy", 1),
    }


def test_fields_are_as_the_caller_s_rows_hold_them() -> None:
    everybody = [
        ("MENTIONS", Kind.LINK, True, False),
        ("OWNS", Kind.LINK, True, False),
        ("PART_OF", Kind.LINK, True, False),
        ("expires_at", Kind.TIME, False, False),
        ("since", Kind.TIME, True, True),
        ("size", Kind.INT, False, False),
        ("tag", Kind.KEYWORD, False, False),
        ("tag", Kind.KEYWORD, True, False),
    ]
    assert described(EVERYBODY).fields == everybody
    assert set(described(EVE).fields) ^ set(everybody) == {
        ("KNOWS", Kind.LINK, True, False),
        ("code", Kind.KEYWORD, False, False),
        ("size", Kind.FLOAT, True, False),
        ("size", Kind.INT, False, False),
        ("why", Kind.BOOL, False, False),
    }


def test_project_and_evidence_act_like_the_gate() -> None:
    scoped = described(EVERYBODY, ReadOptions(project="p"))
    current = described(EVERYBODY, ReadOptions(current=True))

    assert types(scoped) == [("passage", 1), ("team", 1)]
    assert routes(scoped) == [("passage", "PART_OF", "team", 1), ("team", "SELF", "team", 1)]
    assert types(current) == [("passage", 1), ("team", 2)]
    assert "expires_at" not in [field.name for field in current.fields]


def test_the_declared_map_is_the_same_for_all() -> None:
    for caller in (EVERYBODY, EVE):
        answer = described(caller)
        assert (answer.collection, answer.description, answer.ontology) == ("c", "Teams", ONTOLOGY)
        assert answer.revision == ontology_revision(ONTOLOGY)


def test_an_unchanged_ontology_comes_back_as_its_revision_alone() -> None:
    store = Store.open()
    store.create(SETTINGS)
    revision = ontology_revision(ONTOLOGY)

    same = describe(store, EVERYBODY, DescribeRequest("c", if_revision=revision))
    other = describe(store, EVERYBODY, DescribeRequest("c", if_revision="0" * 64))

    assert same == DescribeAnswer(revision=revision)
    assert other.revision == revision
    assert other.collection == "c"


def test_a_revision_changes_with_the_ontology() -> None:
    assert ontology_revision(ONTOLOGY) != ontology_revision(Ontology())


def test_without_a_collection_the_usable_ones_are_listed() -> None:
    store = Store.open()
    for name, users in (("open", ()), ("eves", SECRET), ("also", ())):
        store.create(CollectionSettings(name, users=users))

    assert describe(store, EVERYBODY, DescribeRequest()).collections == ["also", "open"]
    assert describe(store, EVE, DescribeRequest()).collections == ["also", "eves", "open"]


def test_an_empty_collection_has_nothing_to_see() -> None:
    store = Store.open()
    store.create(CollectionSettings("c"))

    answer = describe(store, EVERYBODY, DescribeRequest("c"))

    assert (answer.types, answer.routes, answer.fields) == ([], [], [])
