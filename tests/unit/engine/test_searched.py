"""Keyword fields are searched by whole values, and words meet those within a few edits: worked out by hand."""

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.excerpts import excerpts
from passageway_server.engine.lexical import idf, scored
from passageway_server.engine.searched import FieldPlan
from passageway_server.engine.sizes import Size
from passageway_server.errors import InvalidRequest
from passageway_server.planner.binding import Binding
from passageway_server.planner.words import plan_words
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
    NodeType,
    Ontology,
)
from passageway_server.values.queries import Bounds, Query, ReadOptions
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store

ANYONE, EVE = Caller.holding(()), Caller.holding(("user:eve",))
SETTINGS = CollectionSettings(
    "c",
    default_readers=("public",),
    fields=(
        FieldDeclaration("aliases", Kind.KEYWORD, repeated=True),
        FieldDeclaration("notes", Kind.TEXT),
        FieldDeclaration("size", Kind.INT),
        FieldDeclaration("content", Kind.TEXT),
        FieldDeclaration("none", Kind.KEYWORD),
        FieldDeclaration("pay", Kind.KEYWORD, readers=("user:eve",)),
    ),
    ontology=Ontology(node_types=(NodeType("log", indexed=False),)),
)
NODES = (
    NodeRecord("a", properties={"aliases": ["Ada Lovelace", "Countess"]}),
    NodeRecord("b", properties={"aliases": ["ADA LOVELACE"], "tag": "Ada Lovelace"}),
    NodeRecord("c", name="ada", properties={"aliases": ["Grace", "Hopper", "Ada"]}),
    NodeRecord("d", content="nothing"),
    NodeRecord("l", "log", properties={"aliases": ["ada lovelace"]}),
    NodeRecord("s", readers=("user:eve",), properties={"aliases": ["ada lovelace", "x", "y"]}),
)


def kept(*nodes: NodeRecord) -> Collection:
    collection = Store.open().create(SETTINGS)
    collection.apply(Batch(put_nodes=nodes))
    return collection


def planned(collection: Collection, query: Query, caller: Caller = ANYONE) -> list[FieldPlan]:
    version = collection.current
    gate = gates(version, caller, ReadOptions(), 0).read
    binding = Binding(version, gate, bounds=Bounds.REJECT, vars={})
    plan = plan_words(query, binding, path="query")
    binding.check()
    return list(plan or ())


def found(collection: Collection, query: Query, caller: Caller = ANYONE) -> dict[str, float]:
    version = collection.current
    scope = gates(version, caller, ReadOptions(), 0).scope
    rows, scores = scored(version, planned(collection, query, caller), scope)
    return dict(zip(version.nodes.ids.take(rows), scores.tolist(), strict=True))


def share(weight: float, count: int, length: int, average: float, *, rows: int, df: int) -> float:
    """What a word gives to a row that has it in one field."""
    amount = weight * count / (0.25 + 0.75 * length / average)
    return idf(rows, df) * amount / (1.2 + amount)


def test_a_keyword_field_meets_the_whole_text_whatever_its_case() -> None:
    collection = kept(*NODES)

    scores = found(collection, Query(text="ada lovelace", text_fields=("aliases",)))

    # Of four rows that are searched and read, three hold the field, with six values; two have this one.
    assert scores == {
        "a": share(1.0, 1, 2, 2.0, rows=4, df=2),
        "b": share(1.0, 1, 1, 2.0, rows=4, df=2),
    }
    assert set(found(collection, Query(text="ＡＤＡ lovelace", text_fields=("aliases",)))) == {
        "a",
        "b",
    }
    assert found(collection, Query(text="lovelace", text_fields=("aliases",))) == {}
    assert found(collection, Query(text="ada lovelace ", text_fields=("aliases",))) == {}


def test_rows_that_the_caller_reads_besides_count_for_it() -> None:
    scores = found(kept(*NODES), Query(text="ada lovelace", text_fields=("aliases",)), EVE)

    assert scores == {
        "a": share(1.0, 1, 2, 9 / 4, rows=5, df=3),
        "b": share(1.0, 1, 1, 9 / 4, rows=5, df=3),
        "s": share(1.0, 1, 3, 9 / 4, rows=5, df=3),
    }


def test_a_value_and_a_word_of_the_same_form_are_one_word() -> None:
    scores = found(kept(*NODES), Query(text="ada", text_fields=("name", "aliases")))

    amount = 2.0 * 1 / (0.25 + 0.75 * 1 / 1.0) + 1.0 * 1 / (0.25 + 0.75 * 3 / 2.0)
    assert scores == {"c": idf(4, 1) * amount / (1.2 + amount)}


def test_a_value_that_stands_there_twice_counts_twice() -> None:
    collection = kept(NodeRecord("a", properties={"aliases": ["Red", "red", "blue"]}))

    scores = found(collection, Query(text="RED", text_fields=("aliases",)))

    assert scores == {"a": share(1.0, 2, 3, 3.0, rows=1, df=1)}


def test_a_field_that_nobody_holds_and_one_put_later_are_searched() -> None:
    collection = kept(*NODES)
    asked = Query(text="x", text_fields=("none", "tag"))
    assert found(collection, asked) == {}

    collection.apply(Batch(put_nodes=(NodeRecord("z", properties={"tag": "X"}),)))

    assert set(found(collection, asked)) == {"z"}


def test_words_that_one_meets_count_as_that_one() -> None:
    collection = kept(
        NodeRecord("a", content="retry retri rtery other"),
        NodeRecord("b", content="rety"),
        NodeRecord("c", content="etry"),
        NodeRecord("s", content="retryy retty", readers=("user:eve",)),
    )

    scores = found(collection, Query(text="retry", text_fields=("content",), max_edits=1))

    # Of "retry" and "retri" the stem is the same; the average of three texts is two words.
    assert scores == {
        "a": share(1.0, 3, 4, 2.0, rows=3, df=2),
        "b": share(1.0, 1, 1, 2.0, rows=3, df=2),
    }
    assert set(found(collection, Query(text="retry", max_edits=0))) == {"a"}
    assert set(found(collection, Query(text="retry", max_edits=1), EVE)) == {"a", "b", "s"}


def test_edits_of_a_keyword_field_are_those_of_the_whole_value() -> None:
    collection = kept(*NODES)

    def ids(text: str, edits: int) -> set[str]:
        return {*found(collection, Query(text=text, text_fields=("aliases",), max_edits=edits))}

    assert ids("ADA LOVLACE", 0) == set()
    assert ids("ADA LOVLACE", 1) == {"a", "b"}
    assert ids("ada olvelcae", 1) == set()
    assert ids("ada olvelcae", 2) == {"a", "b"}
    assert ids("dada lovelace", 2) == set()
    assert ids("ad", 1) == {"c"}


@pytest.mark.parametrize(
    ("query", "fault", "said"),
    [
        (Query(text="x", text_fields=("alias",)), "query.text_fields[0]", "near names: aliases"),
        (Query(text="x", text_fields=("name", "size")), "query.text_fields[1]", "of kind int"),
        (Query(text="x", text_fields=("type",)), "query.text_fields[0]", "built in"),
        (Query(text="x", text_fields=("id",)), "query.text_fields[0]", "built in"),
        (Query(text="x", text_fields=("pay",)), "query.text_fields[0]", "no field"),
        (
            Query(text="x", text_fields=("properties.content",)),
            "query.text_fields[0]",
            "hidden behind",
        ),
        (Query(text="x", max_edits=3), "query.max_edits", "at most 2"),
        (Query(filter="id:*", max_edits=1), "query.max_edits", "goes with text"),
        (Query(text="... — !"), "query.text", "no word"),
        (Query(text="x" * 65_537), "query.text", "more than 65536 bytes"),
        (
            Query(text=" ".join(map(str, range(513)))),
            "query.text",
            "513 different words; at most 512",
        ),
    ],
)
def test_what_cannot_be_looked_for_is_a_fault(query: Query, fault: str, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        planned(kept(*NODES), query)

    ((path, message),) = [(one.field, one.message) for one in refused.value.faults]
    assert (path, said in message) == (fault, True), message


def test_common_words_and_a_text_of_64_kib_are_looked_for() -> None:
    collection = kept(NodeRecord("a", content="the house of the rising sun"))

    assert set(found(collection, Query(text="the of"))) == {"a"}
    assert set(found(collection, Query(text="the " * 16_384))) == {"a"}
    assert set(found(collection, Query(text="-", text_fields=("aliases",)))) == set()


def test_an_excerpt_is_where_words_are_met() -> None:
    collection = kept(NodeRecord("a", content="A first one. Rettries follow. The end."))
    version = collection.current
    (plan,) = planned(collection, Query(text="retry", text_fields=("content",), max_edits=2))

    gate = gates(version, ANYONE, ReadOptions(), 0).read
    (piece,) = excerpts(version, version.nodes.ids.find_all(["a"]), plan, 16, gate, size=Size())

    assert piece is not None
    assert piece.text == "Rettries follow."
