"""Lookup of edge documents, joins with them, and facets and metrics over all that matches."""

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.errors import InvalidRequest
from passageway_server.service.lookup import lookup
from passageway_server.values.answers import Bucket, LookupAnswer
from passageway_server.values.collections import CollectionSettings, EdgeType, Ontology
from passageway_server.values.queries import Facet, Metric, MetricOp, ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.values.requests import LookupKind, LookupRequest
from passageway_server.version.store import Store

EVERYBODY, EVE = Caller.holding(()), Caller.holding(["user:eve"])
ADMIN = Caller.holding((), roles=("admin",))
EDGES = LookupKind.EDGES
SECRET = ("user:eve",)
BATCH = Batch(
    put_nodes=(
        NodeRecord("a", "t", project="p", properties={"tag": ["x"]}, links={"owns": ("b",)}),
        NodeRecord("b", "t", project="p", properties={"tag": ["y"], "size": 2}),
        NodeRecord("old", "u", status="superseded", properties={"size": 1}),
        NodeRecord("s", "u", readers=SECRET, properties={"size": 0.5}),
    ),
    put_edges=(
        EdgeRecord("e2", "a", "b", "LIKES", 0.5, {"why": "x", "since": 3}),
        EdgeRecord("e1", "b", "a", "LIKES", None, {"why": ["y", "x"]}),
        EdgeRecord("e3", "a", "old", "KNOWS", None, {"why": "z", "since": 1}),
        EdgeRecord("to s", "a", "s", "KNOWS", None, {"hush": "a"}),
        EdgeRecord("own", "a", "b", "KNOWS", None, {"who": "b", "since": 0.5}, SECRET),
        EdgeRecord("loop", "a", "a", "LIKES", 2.0),
        EdgeRecord("dangles", "a", "nowhere", "LIKES", None, {"lost": "x"}),
    ),
    put_passages=(PassageRecord("p1", "a", mentions=("b",)),),
)


@pytest.fixture(scope="module")
def store() -> Store:
    made = Store.open()
    ontology = Ontology(edge_types=(EdgeType("LIKES", default_weight=0.25),))
    settings = CollectionSettings("c", default_readers=("public",), ontology=ontology)
    made.create(settings).apply(BATCH)
    return made


def shown(answer: LookupAnswer) -> list[str]:
    return [node.id for node in answer.nodes] + [edge.id for edge in answer.edges]


def ids(store: Store, request: LookupRequest, caller: Caller = EVERYBODY) -> list[str]:
    answer = lookup(store, caller, request)
    found = shown(answer)
    assert answer.total == len(found)
    return found


def faults(store: Store, request: LookupRequest, caller: Caller = EVERYBODY) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        lookup(store, caller, request)
    return [fault.field for fault in refused.value.faults]


def test_edge_documents_come_by_id_and_neither_links_nor_edges_of_spans(store: Store) -> None:
    asked = LookupRequest("c", kind=EDGES)

    assert ids(store, asked) == ["e1", "e2", "e3", "loop"]
    assert ids(store, asked, EVE) == ["e1", "e2", "e3", "loop", "own", "to s"]


def test_an_edge_goes_by_its_ends_in_scope(store: Store) -> None:
    assert ids(store, LookupRequest("c", ReadOptions(current=True), kind=EDGES)) == [
        "e1",
        "e2",
        "loop",
    ]
    assert ids(store, LookupRequest("c", ReadOptions(project="p"), kind=EDGES), EVE) == [
        "e1",
        "e2",
        "loop",
        "own",
    ]


def test_edges_are_filtered_sorted_and_shown_by_their_own_fields(store: Store) -> None:
    asked = LookupRequest(
        "c", kind=EDGES, filter="type = LIKES", sort=("-weight",), fields=("why", "id")
    )
    answer = lookup(store, ADMIN, asked)

    assert [(edge.id, edge.weight, edge.properties, edge.readers) for edge in answer.edges] == [
        ("loop", 2.0, {}, ()),
        ("e2", 0.5, {"why": "x"}, ()),
        ("e1", 0.25, {"why": ["y", "x"]}, ()),
    ]
    assert answer.nodes == []
    assert ids(store, LookupRequest("c", kind=EDGES, sort=("why",))) == ["e1", "e2", "e3", "loop"]
    assert ids(store, LookupRequest("c", kind=EDGES, sort=("-why",))) == ["e3", "e1", "e2", "loop"]
    assert ids(store, LookupRequest("c", kind=EDGES, sort=("-target", "-id"))) == [
        "e3",
        "e2",
        "loop",
        "e1",
    ]


def test_readers_of_edges_are_shown_to_admins_with_everything_alone(store: Store) -> None:
    asked = LookupRequest("c", kind=EDGES, filter="id = own")

    assert lookup(store, ADMIN, asked).edges[0].readers == SECRET
    assert lookup(store, EVE, asked).edges[0].readers == ()


def test_what_names_an_edge_field_knows_those_of_visible_edges(store: Store) -> None:
    asked = LookupRequest(
        "c",
        kind=EDGES,
        filter="hush:* OR lost:*",
        fields=("why", "who", "tag", "id"),
        sort=("tag", "since", "who"),
        facets={"f": Facet("hush")},
        metrics={"m": Metric("who", MetricOp.COUNT)},
    )

    found = faults(store, asked)
    measures = [path for path in found if "." in path]
    assert measures == ["facets.f.field", "metrics.m.field"]
    assert sorted({*found} - {*measures}) == [
        "fields[1]",
        "fields[2]",
        "filter",
        "sort[0]",
        "sort[2]",
    ]
    assert sorted(faults(store, asked, EVE)) == ["fields[2]", "filter", "sort[0]"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lookup(id, from_edges=(source = a), from_field=target)", ["a", "b", "old"]),
        ("lookup(id, from_edges=(why = x), from_field=source)", ["a", "b"]),
        ("lookup(tag, from_edges=(weight >= 0.5), from_field=why)", ["a"]),
        ("lookup(size, from_edges=(since = 1), from_field=since)", ["old"]),
        ("lookup(owns, from_edges=(id = e2), from_field=target)", ["a"]),
        (
            "lookup(id, from_edges=(lookup(source, from=(tag = y), from_field=id)), from_field=target)",
            ["a"],
        ),
        (
            "lookup(tag, from=(lookup(id, from_edges=(id = e1), from_field=source)), from_field=tag)",
            ["b"],
        ),
        ("NOT lookup(id, from_edges=(type = LIKES), from_field=target)", ["old", "p1"]),
    ],
)
def test_the_values_of_a_lookup_may_come_from_edges(
    store: Store, text: str, found: list[str]
) -> None:
    assert ids(store, LookupRequest("c", filter=text)) == found


def test_a_lookup_over_edges_takes_values_from_nodes_and_from_edges(store: Store) -> None:
    from_nodes = "lookup(target, from=(tag = y), from_field=id)"
    from_edges = "lookup(why, from_edges=(id = e1), from_field=why) AND NOT id = e1"

    assert ids(store, LookupRequest("c", kind=EDGES, filter=from_nodes)) == ["e2"]
    assert ids(store, LookupRequest("c", kind=EDGES, filter=from_edges)) == ["e2"]


def test_a_kept_lookup_is_of_those_who_see_the_same_edges() -> None:
    """The two see the same rows; what tells them apart are readers of an edge's own."""
    made = Store.open()
    put = (NodeRecord("a"), NodeRecord("b"))
    edge = EdgeRecord("e", "a", "b", "T", readers=("group:x",))
    made.create(CollectionSettings("c", default_readers=("public",))).apply(
        Batch(put_nodes=put, put_edges=(edge,))
    )
    inner = "lookup(id, from_edges=(id:*), from_field=target)"
    nested = f"lookup(id, from=({inner}), from_field=id)"
    member, other = Caller.holding(["group:x"]), Caller.holding(["group:y"])

    for text in (inner, nested):
        for _ in range(2):
            assert ids(made, LookupRequest("c", filter=text), member) == ["b"]
            assert ids(made, LookupRequest("c", filter=text), other) == []


def test_a_join_in_fields_of_its_own_takes_edges_on_either_side(store: Store) -> None:
    to_nodes = LookupRequest(
        "c", field="id", from_filter="type = KNOWS", from_field="target", from_kind=EDGES
    )
    to_edges = LookupRequest(
        "c", kind=EDGES, field="source", from_filter="tag = y", from_field="id"
    )
    edges_to_edges = LookupRequest(
        "c", kind=EDGES, field="source", from_filter="id = e1", from_field="target",
        from_kind=EDGES, filter="NOT type = KNOWS",
    )  # fmt: skip

    assert ids(store, to_nodes) == ["old"]
    assert ids(store, to_nodes, EVE) == ["b", "old", "s"]
    assert ids(store, to_edges) == ["e1"]
    assert ids(store, edges_to_edges) == ["e2", "loop"]


def test_a_kind_of_the_inner_query_asks_for_its_parts(store: Store) -> None:
    for kind in LookupKind:
        asked = LookupRequest("c", from_kind=kind)
        assert faults(store, asked) == ["field", "from_filter", "from_field"]
    mixed = LookupRequest(
        "c", field="why", from_filter="tag = x", from_field="tag", from_kind=EDGES
    )
    assert faults(store, mixed) == ["field", "from_field", "from_filter"]


def test_facets_and_metrics_are_over_all_matches_on_each_page(store: Store) -> None:
    facets = {"type": Facet("type"), "why": Facet("why", limit=1)}
    metrics = {"sum": Metric("weight", MetricOp.SUM), "last": Metric("since", MetricOp.MAX)}
    for size in (0, 1, 10):
        asked = LookupRequest("c", kind=EDGES, page_size=size, facets=facets, metrics=metrics)
        answer = lookup(store, EVERYBODY, asked)

        assert len(answer.edges) == min(size, 4)
        assert answer.facets == {
            "type": [Bucket("LIKES", 3), Bucket("KNOWS", 1)],
            "why": [Bucket("x", 2)],
        }
        assert answer.metrics == {"sum": 3.75, "last": 3}
        assert bool(answer.next_page_token) == (size == 1)


def test_measures_of_nodes_follow_what_the_caller_reads(store: Store) -> None:
    asked = LookupRequest(
        "c", facets={"f": Facet("size")}, metrics={"m": Metric("size", MetricOp.SUM)}
    )

    everybody, eve = lookup(store, EVERYBODY, asked), lookup(store, EVE, asked)

    assert everybody.facets == {"f": [Bucket("1", 1), Bucket("2", 1)]}
    assert everybody.metrics == {"m": 3}
    assert eve.facets == {"f": [Bucket("0.5", 1), Bucket("1", 1), Bucket("2", 1)]}
    assert eve.metrics == {"m": 3.5}
