"""What a batch does to the version that follows it."""

import pytest

from passageway_server.columns.nodes import SPAN
from passageway_server.values.collections import (
    CollectionSettings,
    EdgeType,
    Ontology,
)
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)
from tests.unit.version.making import collection, edges, node, records


def test_edges_stand_links_first_then_documents_then_edges_of_spans() -> None:
    kept = collection()

    kept.apply(
        Batch(
            put_nodes=(node("a", z=["b"], b=["b", "c"]), node("b"), node("c")),
            put_edges=(EdgeRecord("e2", "b", "a", "T"), EdgeRecord("e1", "a", "b", "T")),
            put_passages=(PassageRecord("p", "a", mentions=("c", "b")),),
        )
    )

    assert edges(kept.current) == [
        ("a", "b", "b"),
        ("a", "b", "c"),
        ("a", "z", "b"),
        ("b", "T", "a"),
        ("a", "T", "b"),
        ("p", "PART_OF", "a"),
        ("p", "MENTIONS", "c"),
        ("p", "MENTIONS", "b"),
    ]


@pytest.mark.parametrize(("order", "kept_edges"), [((1, 0), [("p", "T", "a")]), ((0, 1), [])])
def test_a_span_put_over_a_node_takes_along_the_spans_that_the_node_has_by_then(
    order: tuple[int, int], kept_edges: list[tuple[str, str, str]]
) -> None:
    kept = collection()
    over = (PassageRecord("p", "q"), PassageRecord("q", "a"))
    kept.apply(
        Batch(
            put_nodes=(node("a"), node("q")),
            put_edges=(EdgeRecord("e", "p", "a", "T"),),
            put_passages=(PassageRecord("p", "a"),),
        )
    )

    kept.apply(Batch(put_passages=tuple(over[place] for place in order)))
    kept.apply(Batch(put_passages=(PassageRecord("p", "a"),)))

    found = edges(kept.current)
    assert [edge for edge in found if edge[1] == "T"] == kept_edges


def test_an_edge_is_invisible_until_both_ends_exist() -> None:
    kept = collection()

    first = kept.apply(Batch(put_nodes=(node("a"),), put_edges=(EdgeRecord("e", "a", "b"),)))
    before = edges(kept.current)
    second = kept.apply(Batch(put_nodes=(node("b"),)))

    assert (first.dangling_edges, before) == (1, [])
    assert (second.dangling_edges, edges(kept.current)) == (0, [("a", "", "b")])


def test_a_span_of_a_span_and_a_span_without_parent_are_nobodys() -> None:
    kept = collection()

    kept.apply(
        Batch(
            put_nodes=(node("a"),),
            put_passages=(
                PassageRecord("p", "a"),
                PassageRecord("q", "p"),
                PassageRecord("r", "nowhere"),
            ),
        )
    )

    version = kept.current
    held = version.readers.held(frozenset({"public"}), admin=True)
    readable = {
        version.nodes.ids[row]: bool(held[version.gates.readers[version.gates.of[row]]])
        for row in range(len(version.nodes))
    }
    assert readable == {"a": True, "p": True, "q": False, "nowhere": False, "r": False}


def test_replacing_a_node_replaces_its_links_and_keeps_documents_and_spans() -> None:
    kept = collection()
    kept.apply(
        Batch(
            put_nodes=(node("a", old=["b"]), node("b")),
            put_edges=(EdgeRecord("e", "b", "a", "T"),),
            put_passages=(PassageRecord("p", "a"),),
        )
    )

    kept.apply(Batch(put_nodes=(node("a", new=["b"]),)))

    assert edges(kept.current) == [("a", "new", "b"), ("b", "T", "a"), ("p", "PART_OF", "a")]


def test_deleting_a_node_takes_its_links_documents_and_spans_but_not_its_id_elsewhere() -> None:
    kept = collection()
    kept.apply(
        Batch(
            put_nodes=(node("a", to=["b"]), node("b", back=["a"])),
            put_edges=(EdgeRecord("e", "b", "a"),),
            put_passages=(PassageRecord("p", "a"),),
        )
    )

    kept.apply(Batch(delete_nodes=("a", "never")))
    left = records(kept.current)

    assert [one.id for one in left.put_nodes] == ["b"]
    assert left.put_nodes[0].links == {"back": ("a",)}
    assert (left.put_edges, left.put_passages) == ((), ())


def test_a_node_that_comes_back_is_met_again_by_the_links_to_it() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(node("a"), node("b", back=["a"]))))
    kept.apply(Batch(delete_nodes=("a",)))

    kept.apply(Batch(put_nodes=(node("a"),)))

    assert edges(kept.current) == [("b", "back", "a")]


def test_a_passage_put_over_a_node_deletes_the_node_first() -> None:
    kept = collection()
    kept.apply(
        Batch(
            put_nodes=(node("a", to=["b"]), node("b")),
            put_edges=(EdgeRecord("e", "a", "b"),),
            put_passages=(PassageRecord("p", "a"),),
        )
    )

    kept.apply(Batch(put_passages=(PassageRecord("a", "b"),)))
    left = records(kept.current)

    assert edges(kept.current) == [("a", "PART_OF", "b")]
    assert [one.id for one in left.put_passages] == ["a"]
    assert left.put_edges == ()


def test_recut_keeps_documents_at_spans_whose_id_comes_again() -> None:
    kept = collection()
    kept.apply(
        Batch(
            put_nodes=(node("a"),),
            put_passages=(PassageRecord("p0", "a", 0), PassageRecord("p1", "a", 1)),
            put_edges=(EdgeRecord("e0", "p0", "a"), EdgeRecord("e1", "p1", "a")),
        )
    )

    kept.apply(
        Batch(recut_parents=("a",), put_passages=(PassageRecord("p1", "a", 0, content="new"),))
    )
    left = records(kept.current)

    assert [one.content for one in left.put_passages] == ["new"]
    assert [one.id for one in left.put_edges] == ["e1"]


def test_an_edge_document_keeps_the_place_of_its_first_put_until_it_is_deleted() -> None:
    kept = collection()
    kept.apply(
        Batch(
            put_nodes=(node("a"), node("b")),
            put_edges=(EdgeRecord("e1", "a", "b"), EdgeRecord("e2", "a", "b")),
        )
    )

    kept.apply(Batch(put_edges=(EdgeRecord("e1", "b", "a"),)))
    replaced = [one.id for one in records(kept.current).put_edges]
    kept.apply(Batch(delete_edges=("e1",), put_edges=(EdgeRecord("e1", "b", "a"),)))
    anew = [one.id for one in records(kept.current).put_edges]

    assert (replaced, anew) == (["e1", "e2"], ["e2", "e1"])


def test_of_one_id_in_a_list_the_last_wins() -> None:
    kept = collection()

    kept.apply(
        Batch(put_nodes=(NodeRecord("a", name="old"), NodeRecord("b"), NodeRecord("a", name="new")))
    )

    assert [(one.id, one.name) for one in records(kept.current).put_nodes] == [
        ("b", ""),
        ("a", "new"),
    ]


def test_a_version_that_was_taken_stays_as_it_is_while_others_are_committed() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=tuple(NodeRecord(f"n{i}", content=f"text {i}") for i in range(50))))
    taken = kept.current
    before = records(taken)

    for i in range(50):
        kept.apply(
            Batch(
                delete_nodes=(f"n{i}",),
                put_nodes=(NodeRecord(f"m{i}", content="x" * i, properties={"k": ["v", str(i)]}),),
            )
        )

    assert records(taken) == before
    assert len(records(kept.current).put_nodes) == 50


def test_numbers_come_back_as_they_were_put() -> None:
    values: Properties = {"i": (1 << 63) - 1, "f": 1.0, "many": [1, 2], "one": [1.5], "b": True}
    kept = collection()

    kept.apply(Batch(put_nodes=(NodeRecord("a", properties=values),)))
    back = records(kept.current).put_nodes[0].properties

    assert back == values
    assert {name: type(value) for name, value in back.items()} == {
        name: type(value) for name, value in values.items()
    }


def test_spans_follow_their_parents_readers_as_these_stand_now() -> None:
    kept = collection()
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a", readers=("public",)),),
            put_passages=(PassageRecord("p", "a"), PassageRecord("q", "a", readers=("group:q",))),
        )
    )

    def readable(*principals: str) -> list[str]:
        version = kept.current
        held = version.readers.held(frozenset(principals), admin=False)
        sets = version.gates.readers[version.gates.of]
        held = version.readers.held(frozenset(principals), admin=False)
        return [version.nodes.ids[row] for row in range(len(sets)) if held[sets[row]]]

    assert readable("public") == ["a", "p"]
    assert readable("public", "group:q") == ["a", "p", "q"]
    kept.apply(Batch(put_nodes=(NodeRecord("a", readers=("user:eve",)),)))
    assert readable("public", "group:q") == []
    assert readable("user:eve") == ["a", "p"]


def test_a_default_weight_of_the_ontology_orders_the_edges_that_have_none() -> None:
    ontology = Ontology(edge_types=(EdgeType("T", default_weight=3.0),))
    kept = collection(CollectionSettings("c", ontology=ontology))

    kept.apply(
        Batch(
            put_nodes=(node("a"), node("b")),
            put_edges=(
                EdgeRecord("e1", "a", "b", "S"),
                EdgeRecord("e2", "a", "b", "T"),
                EdgeRecord("e3", "a", "b", "T", weight=2.0),
            ),
        )
    )

    assert kept.current.out.weights.tolist() == [3.0, 2.0, 1.0]
    assert records(kept.current).put_edges[1].weight is None


def test_a_version_survives_its_form_as_arrays() -> None:
    from passageway_server.version import persist

    kept = collection()
    kept.apply(
        Batch(
            put_nodes=(
                node("a", to=["b", "c"]),
                NodeRecord("b", readers=("x & y",), status="open"),
            ),
            put_edges=(EdgeRecord("e", "a", "b", "T", 0.5, {"since": 3}, ("group:g",)),),
            put_passages=(PassageRecord("p", "a", 3, total=9, mentions=("b",)),),
        )
    )

    again = persist.from_arrays(*persist.to_arrays(kept.current))

    assert records(again) == records(kept.current)
    assert edges(again) == edges(kept.current)
    assert again.token == kept.current.token
    assert again.nodes.kind.whole.tolist().count(SPAN) == 1


@pytest.mark.parametrize("array", ["derived.out.classes", "edge_classes.types"])
def test_stored_edges_of_a_class_or_type_that_is_not_there_are_refused(array: str) -> None:
    from passageway_server.version import persist

    kept = collection()
    kept.apply(Batch(put_nodes=(node("a", to=["b"]), node("b"))))
    arrays, meta = persist.to_arrays(kept.current)

    with pytest.raises(ValueError, match="not there"):
        persist.from_arrays(arrays | {array: arrays[array] + 9}, meta)
