"""Paths as a caller gets them: ids, evidence in stored direction, and every node on the way."""

from passageway_server.authz.callers import Caller
from passageway_server.service.paths import paths
from passageway_server.values.answers import PathsAnswer
from passageway_server.values.collections import CollectionSettings, Direction
from passageway_server.values.queries import EdgeSpec, ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import PathMode, PathsRequest
from passageway_server.version.store import Store

ADA = Caller.holding(("user:ada",))
EVE = Caller.holding(("user:eve",))


def village() -> Store:
    store = Store.open()
    collection = store.create(CollectionSettings("c", default_readers=("public",)))
    collection.apply(
        Batch(
            put_nodes=(
                NodeRecord("a", name="Ann", links={"knows": ("b",)}),
                NodeRecord("b", readers=("user:ada",)),
                NodeRecord("c", status="retracted"),
                NodeRecord("d", name="Dan"),
            ),
            put_edges=(
                EdgeRecord("d-b", "d", "b", "LIKES", 0.5, {"strength": 0.9}),
                EdgeRecord("a-c", "a", "c", "LIKES", 0.9),
                EdgeRecord("c-d", "c", "d", "LIKES", 0.9),
                EdgeRecord("a-d", "a", "d", "HATES", 0.1, readers=("user:ada",)),
            ),
        )
    )
    return store


def ask(caller: Caller, **parts: object) -> PathsAnswer:
    request = PathsRequest(**{"collection": "c", "sources": ("a",), "targets": ("d",), **parts})  # type: ignore[arg-type]
    return paths(village(), caller, request)


def ways(answer: PathsAnswer) -> list[str]:
    return [" ".join(path.node_ids) for path in answer.paths]


def test_each_caller_gets_the_paths_over_what_it_reads() -> None:
    assert ways(ask(ADA, k=9)) == ["a d", "a b d", "a c d"]
    assert ways(ask(EVE, k=9)) == ["a c d"]


def test_evidence_is_shown_in_its_stored_direction() -> None:
    path = ask(ADA, k=2).paths[1]

    assert [(edge.id, edge.source, edge.target, edge.type) for edge in path.edges] == [
        ("", "a", "b", "knows"),
        ("d-b", "d", "b", "LIKES"),
    ]
    assert (path.length, path.cost) == (2, 2.0)


def test_every_node_on_a_path_comes_once_with_the_fields_asked_for() -> None:
    answer = ask(ADA, k=9, fields=("name",))

    assert sorted(answer.nodes) == ["a", "b", "c", "d"]
    assert answer.nodes["d"].name == "Dan"


def test_a_retired_node_is_not_on_the_way_under_current() -> None:
    assert ways(ask(EVE, k=9, read=ReadOptions(current=True))) == []


def test_filters_hold_for_the_ends_and_for_edges() -> None:
    assert ways(ask(ADA, k=9, filter='NOT id = "a"')) == []
    assert ways(ask(ADA, k=9, filter='NOT id IN ("b", "c")')) == ["a d"]
    hated = (EdgeSpec(direction=Direction.BOTH, filter="type = HATES"),)
    assert ways(ask(ADA, k=9, edges=hated)) == ["a d"]


def test_a_weight_property_leaves_out_the_edges_without_it() -> None:
    specs = (
        EdgeSpec(types=("LIKES",), direction=Direction.BOTH, weight_property="strength"),
        EdgeSpec(types=("knows",), direction=Direction.BOTH),
    )

    assert ways(ask(ADA, k=9, edges=specs, weighted=True)) == ["a b d"]


def test_missing_and_repeated_ends_are_passed_over() -> None:
    answer = ask(ADA, sources=("nobody", "a", "a", ""), targets=("d", "nothing"))

    assert ways(answer) == ["a d"]
    assert ways(ask(EVE, sources=("b",), targets=("b",))) == []


def test_all_simple_paths_come_by_length_then_by_id() -> None:
    answer = ask(ADA, mode=PathMode.ALL_SIMPLE, min_depth=2, max_paths=1)

    assert ways(answer) == ["a b d"]
    assert answer.truncated
