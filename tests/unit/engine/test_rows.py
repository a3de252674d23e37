"""What an answer shows of rows and edges."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.gates import Gate
from passageway_server.engine.previews import cut
from passageway_server.engine.rows import edge_rows, node_rows
from passageway_server.engine.selection import EVERYTHING, Selection
from passageway_server.errors import LimitExceeded
from passageway_server.values.answers import EdgeRow, NodeRow, SpanPosition
from passageway_server.values.collections import (
    CollectionSettings,
    EdgeType,
    FieldDeclaration,
    Kind,
    Ontology,
)
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.oracle.shown import cut as slow_cut

ANYONE = Caller.holding(())
NOTHING = Batch()
NAMED = Selection(everything=False, builtins=frozenset({"name", "content"}))
SETTINGS = CollectionSettings(
    "c",
    default_readers=("public",),
    fields=(
        FieldDeclaration("description", Kind.TEXT),
        FieldDeclaration("seen", Kind.TIME, repeated=True),
    ),
    ontology=Ontology(edge_types=(EdgeType("KNOWS", default_weight=0.25),)),
)


def version(*nodes: NodeRecord, batch: Batch = NOTHING) -> Version:
    collection = Store.open().create(SETTINGS)
    collection.apply(Batch(put_nodes=nodes))
    collection.apply(batch)
    return collection.current


def read_gate(kept: Version, caller: Caller) -> Gate:
    return gates(kept, caller, ReadOptions(), 0).read


def shown(
    kept: Version,
    id: str,
    *,
    selection: Selection = EVERYTHING,
    max_chars: int | None = 500,
    caller: Caller = ANYONE,
) -> NodeRow:
    (row,) = node_rows(
        kept,
        read_gate(kept, caller),
        [kept.nodes.ids.find(id)],
        selection=selection,
        max_chars=max_chars,
        admin=caller.admin,
    )
    return row


@pytest.mark.parametrize(
    ("text", "budget", "expected"),
    [
        ("", 0, ""),
        ("ab", 2, "ab"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
        ("abc", 2, "a…"),
        ("ab cd ef", 7, "ab cd…"),
        ("a bcdefgh", 8, "a bcdef…"),
        ("abcd efgh", 9, "abcd efgh"),
        ("ab\u2003cdefg", 5, "ab…"),
        ("😀😀😀", 2, "😀…"),
    ],
)
def test_a_text_is_cut_at_white_space_in_its_second_half(
    text: str, budget: int, expected: str
) -> None:
    assert cut(text, budget) == (expected, expected != text)


@given(st.text(alphabet="ab \n\u2003\x1f😀", max_size=40), st.integers(0, 45))
def test_the_cut_is_that_of_the_slow_one(text: str, budget: int) -> None:
    shown_text, was_cut = cut(text, budget)

    assert (shown_text, was_cut) == (slow_cut(text, budget), len(text) > budget)


@given(st.text(alphabet="ab \n😀é", max_size=40), st.integers(0, 45))
def test_a_preview_is_the_cut_of_the_whole_text(text: str, budget: int) -> None:
    kept = version(NodeRecord("a", content=text))

    row = shown(kept, "a", selection=NAMED, max_chars=budget)

    assert (row.content, row.content_truncated) == cut(text, budget)
    assert len(row.content) <= budget


def test_everything_of_a_row_comes_back_as_it_was_put() -> None:
    noon = datetime(2025, 6, 1, 12, tzinfo=UTC)
    properties: Properties = {
        "n": [1, 2],
        "x": 1.5,
        "ok": True,
        "seen": [noon],
        "tags": ["b", "a"],
        "i": 2**53,
    }
    kept = version(
        NodeRecord(
            "a",
            type="t",
            name="A",
            content="text",
            project="p",
            readers=("public", "user:ada"),
            status="open",
            properties=dict(properties),
            links={"to": ("b", "a")},
            covered=True,
        ),
        NodeRecord("b"),
    )

    row = shown(kept, "a", max_chars=None)

    assert row == NodeRow(
        "a", "t", "A", "text", "p", (), "open", properties, {"to": ["b", "a"]}, True, False, None
    )


def test_only_what_is_named_is_shown_besides_id_type_and_span() -> None:
    kept = version(
        NodeRecord("a", type="t", name="A", content="c", status="s", properties={"x": 1, "y": 2})
    )

    row = shown(kept, "a", selection=Selection(everything=False, properties=("y",)))

    assert row == NodeRow("a", "t", properties={"y": 2})


def test_readers_are_shown_to_an_admin_alone_and_only_with_everything() -> None:
    kept = version(NodeRecord("a", readers=("user:ada", "public")), NodeRecord("b"))

    assert shown(kept, "a", caller=OPERATOR).readers == ("user:ada", "public")
    assert shown(kept, "b", caller=OPERATOR).readers == ()
    assert shown(kept, "a").readers == ()
    assert shown(kept, "a", caller=OPERATOR, selection=NAMED).readers == ()


def test_links_hold_only_ids_of_rows_that_are_there_and_open() -> None:
    kept = version(
        NodeRecord("a", links={"to": ("hidden", "b", "absent", "c"), "only": ("hidden",)}),
        NodeRecord("b"),
        NodeRecord("c"),
        NodeRecord("hidden", readers=("user:eve",)),
    )

    assert shown(kept, "a").links == {"to": ["b", "c"]}
    assert shown(kept, "a", caller=OPERATOR).links == {
        "to": ["hidden", "b", "c"],
        "only": ["hidden"],
    }
    assert shown(kept, "a", selection=Selection(everything=False, links=("only",))).links == {}


def test_a_span_has_its_position_its_parents_project_and_its_links() -> None:
    spans = Batch(
        put_passages=(
            PassageRecord(
                "s", "a", index=4, content="x", breadcrumb="A > B", mentions=("b",), total=9
            ),
            PassageRecord("u", "a"),
        )
    )
    kept = version(NodeRecord("a", project="p"), NodeRecord("b"), batch=spans)

    row = shown(kept, "s")

    assert row.span == SpanPosition("a", 4, 9, "A > B")
    assert (row.type, row.project) == ("passage", "p")
    assert row.links == {"PART_OF": ["a"], "MENTIONS": ["b"]}
    assert shown(kept, "u", selection=NAMED).span == SpanPosition("a", 0, None, "")


def test_a_row_without_content_previews_its_description_or_summary() -> None:
    kept = version(
        NodeRecord("both", properties={"description": "first words", "summary": "s"}),
        NodeRecord("second", properties={"description": "", "summary": "s"}),
        NodeRecord("list", properties={"summary": "s"}),
        NodeRecord("own", content="own", properties={"description": "d"}),
        NodeRecord("none"),
    )

    assert shown(kept, "both", max_chars=7)[3:4] == ("first…",)
    assert shown(kept, "both", max_chars=7).content_truncated
    assert shown(kept, "second").content == "s"
    assert shown(kept, "own").content == "own"
    assert shown(kept, "none").content == ""
    assert shown(kept, "both", max_chars=None).content == ""
    assert shown(kept, "both", selection=Selection(everything=False)).content == ""


def test_rows_come_in_the_order_asked_and_none_gives_none() -> None:
    kept = version(*(NodeRecord(id, content=id * 3) for id in "abc"))
    rows = kept.nodes.ids.find_all(["c", "a", "b"])

    answer = node_rows(
        kept, read_gate(kept, OPERATOR), rows, selection=EVERYTHING, max_chars=2, admin=True
    )

    assert [(row.id, row.content) for row in answer] == [("c", "c…"), ("a", "a…"), ("b", "b…")]
    for selection in (EVERYTHING, NAMED):
        none = node_rows(
            kept, read_gate(kept, OPERATOR), [], selection=selection, max_chars=2, admin=True
        )
        assert none == []


EDGES = Batch(
    put_edges=(
        EdgeRecord("e1", "a", "b", "KNOWS", properties={"since": 3, "x": "y"}),
        EdgeRecord("e2", "b", "a", "KNOWS", weight=0.0, readers=("public", "user:ada")),
    ),
    put_passages=(PassageRecord("s", "a", mentions=("b",)),),
)


def edges(selection: Selection = EVERYTHING, *, admin: bool = False) -> list[EdgeRow]:
    kept = version(NodeRecord("a", links={"to": ("b",)}), NodeRecord("b"), batch=EDGES)
    read = read_gate(kept, ANYONE)
    return edge_rows(kept, read, kept.edges.stored, selection=selection, admin=admin)


def test_an_edge_has_its_effective_weight_and_runs_in_its_stored_direction() -> None:
    assert edges() == [
        EdgeRow("", "a", "b", "to", 1.0),
        EdgeRow("e1", "a", "b", "KNOWS", 0.25, {"since": 3, "x": "y"}),
        EdgeRow("e2", "b", "a", "KNOWS", 0.0),
        EdgeRow("", "s", "a", "PART_OF", 1.0),
        EdgeRow("", "s", "b", "MENTIONS", 1.0),
    ]


def test_an_edges_properties_are_those_named() -> None:
    assert edges(Selection(everything=False, properties=("x",)))[1].properties == {"x": "y"}
    assert edges(Selection(everything=False))[1].properties == {}


def test_an_edges_readers_are_shown_to_an_admin_alone_and_only_with_everything() -> None:
    assert edges(admin=True)[2].readers == ("public", "user:ada")
    assert edges(admin=True)[1].readers == ()
    assert edges(Selection(everything=False), admin=True)[2].readers == ()


def test_an_answer_that_no_message_carries_is_refused_before_it_is_made() -> None:
    kept = Store.open().create(CollectionSettings("c", default_readers=("public",)))
    big = "x" * (2 << 20)
    kept.apply(Batch(put_nodes=tuple(NodeRecord(f"n{i}", content=big) for i in range(40))))
    version = kept.current
    open_gate = gates(version, OPERATOR, ReadOptions(), 0).read

    with pytest.raises(LimitExceeded) as refused:
        node_rows(version, open_gate, range(40), selection=EVERYTHING, max_chars=None, admin=True)

    assert refused.value.parameter == "content_max_chars"
    shown = node_rows(
        version, open_gate, range(40), selection=EVERYTHING, max_chars=500, admin=True
    )
    assert len(shown) == 40
