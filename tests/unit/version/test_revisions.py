"""A revision is the digest of what a row says by itself, for those who know its fields."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.version.revisions import revision_of
from passageway_server.version.version import Version
from tests.unit.version.making import collection

NOW = datetime(2025, 6, 1, 12, 0, 0, 250_000, tzinfo=UTC)
SETTINGS = CollectionSettings(
    "c",
    default_readers=("public",),
    fields=(
        FieldDeclaration("due", Kind.TIME, repeated=True),
        FieldDeclaration("salary", Kind.INT, readers=("group:hr",)),
        FieldDeclaration("note", Kind.TEXT),
    ),
)
NONE: frozenset[str] = frozenset()
ADA = NodeRecord(
    "ada",
    type="person",
    name="Adä",
    content="Monday.\n😀",
    project="p",
    status="open",
    properties={
        "due": [NOW],
        "flag": True,
        "note": 'a "note"',
        "salary": 7,
        "size": 1.0,
        "whole": [1, 2],
    },
)


def made(*batches: Batch) -> Version:
    kept = collection(SETTINGS)
    for batch in batches:
        kept.apply(batch)
    return kept.current


def of(version: Version, id: str, hidden: frozenset[str] = NONE) -> str:
    (found,) = revision_of(version, [version.nodes.ids.find(id)], hidden)
    return found


def revision(record: NodeRecord) -> str:
    return of(made(Batch(put_nodes=(record,))), record.id)


def test_it_is_the_digest_of_one_canonical_text() -> None:
    text = (
        '{"content":"Monday.\\n😀","name":"Adä","project":"p","properties":{"due":[{"t":1748779200250000}],'
        '"flag":true,"note":"a \\"note\\"","salary":7,"size":1.0,"whole":[1,2]},"status":"open","type":"person"}'
    )

    assert revision(ADA) == hashlib.sha256(text.encode()).hexdigest()


def test_what_a_row_says_changes_it_and_nothing_else_does() -> None:
    first = revision(ADA)
    others = [
        replace(ADA, type="x"),
        replace(ADA, name="Ada"),
        replace(ADA, content=""),
        replace(ADA, project=""),
        replace(ADA, status="closed"),
        replace(ADA, properties={**ADA.properties, "size": 1}),
        replace(ADA, properties={**ADA.properties, "whole": 1}),
        replace(ADA, properties={**ADA.properties, "more": "x"}),
    ]
    same = [
        replace(ADA, readers=("group:eng",)),
        replace(ADA, links={"KNOWS": ("bob",)}),
        replace(ADA, covered=True),
        replace(ADA, properties=dict(reversed(ADA.properties.items()))),
        replace(ADA, properties={**ADA.properties, "empty": []}),
        replace(ADA, id="bob"),
    ]

    assert len({first, *map(revision, others)}) == 1 + len(others)
    assert set(map(revision, same)) == {first}


def test_content_that_is_put_back_brings_its_revision_back() -> None:
    changed = replace(ADA, content="Tuesday.")
    put = [Batch(put_nodes=(record,)) for record in (ADA, changed, ADA)]

    assert of(made(*put), "ada") == of(made(put[0]), "ada") != of(made(*put[:2]), "ada")


def test_hidden_fields_are_no_part_of_it() -> None:
    richer = replace(ADA, properties={**ADA.properties, "salary": 9})
    poorer = replace(ADA, properties={k: v for k, v in ADA.properties.items() if k != "salary"})
    hidden = frozenset({"salary"})
    seen = [of(made(Batch(put_nodes=(each,))), "ada", hidden) for each in (ADA, richer, poorer)]

    assert len(set(seen)) == 1
    assert seen[0] == revision(poorer) != revision(ADA)


def test_a_span_has_neither_project_nor_status_of_its_own() -> None:
    span = PassageRecord("s", "ada", 0, name="n", content="x", breadcrumb="b", mentions=("ada",))
    moved = replace(span, index=3, breadcrumb="", mentions=(), total=9, readers=("group:eng",))
    put = Batch(put_nodes=(ADA,), put_passages=(span,))
    alone = made(Batch(put_passages=(moved,)))  # it waits for its parent
    plain = NodeRecord("s", type="passage", name="n", content="x")

    assert of(made(put), "s") == of(alone, "s") == revision(plain)
    was_node = Batch(put_nodes=(replace(plain, project="p", status="open"),))
    assert of(made(was_node, put), "s") == revision(plain)


def test_many_rows_come_in_their_order() -> None:
    records = [replace(ADA, id=f"n{i}", content=str(i % 3)) for i in range(9)]
    version = made(Batch(put_nodes=tuple(records)))
    rows = version.nodes.ids.find_all([record.id for record in reversed(records)])

    assert revision_of(version, rows, NONE) == [revision(each) for each in reversed(records)]
    assert revision_of(version, [], NONE) == []
