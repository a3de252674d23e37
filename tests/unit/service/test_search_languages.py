"""Words are found in the language of their field or collection, and changing it takes effect at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from passageway_server.authz.callers import OPERATOR
from passageway_server.errors import InvalidRequest
from passageway_server.service.collections import update
from passageway_server.service.search import search
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.queries import Query
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import SearchRequest
from passageway_server.version.store import Store

SETTINGS = CollectionSettings("c", fields=(FieldDeclaration("note", Kind.TEXT),))
NODES = (
    NodeRecord("a", content="viele Häuser", properties={"note": "une maison"}),
    NodeRecord("b", content="ein Haus", properties={"note": "des maisons"}),
    NodeRecord("c", content="a house", properties={"note": "houses"}),
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store.open(tmp_path)
    made.create(SETTINGS).apply(Batch(put_nodes=NODES))
    return made


def found(store: Store, text: str, **query: object) -> list[str]:
    asked = Query(text, **query)  # type: ignore[arg-type]
    answer = search(store, OPERATOR, SearchRequest("c", query=asked))
    return [hit.node.id for hit in answer.hits]


def test_the_language_of_a_collection_may_change(store: Store) -> None:
    assert found(store, "Haus") == ["b"]

    update(store, OPERATOR, replace(SETTINGS, language="german"), ("language",))

    assert sorted(found(store, "Haus")) == ["a", "b"]
    assert sorted(found(store, "houses", text_fields=("content",))) == ["c"]


def test_a_text_field_has_a_language_of_its_own(store: Store, tmp_path: Path) -> None:
    note = FieldDeclaration("note", Kind.TEXT, language="french")

    update(store, OPERATOR, replace(SETTINGS, fields=(note,)), ("fields",))

    assert sorted(found(store, "maisons")) == ["a", "b"]
    store.close()
    again = Store.open(tmp_path)
    assert sorted(found(again, "maisons")) == ["a", "b"]
    assert found(again, "Haus") == ["b"]
    again.close()


def test_a_weight_changes_the_order(store: Store) -> None:
    store.create(replace(SETTINGS, name="d")).apply(
        Batch(
            put_nodes=(
                NodeRecord("x", content="word other", properties={"note": "one two"}),
                NodeRecord("y", content="one other", properties={"note": "word two"}),
            )
        )
    )

    def first() -> str:
        return search(store, OPERATOR, SearchRequest("d", query=Query("word"))).hits[0].node.id

    light, heavy = (FieldDeclaration("note", Kind.TEXT, weight=weight) for weight in (0.5, 3.0))
    update(store, OPERATOR, replace(SETTINGS, name="d", fields=(light,)), ("fields",))
    assert first() == "x"
    update(store, OPERATOR, replace(SETTINGS, name="d", fields=(heavy,)), ("fields",))
    assert first() == "y"


def test_a_language_that_nobody_speaks_is_refused(store: Store) -> None:
    with pytest.raises(InvalidRequest, match="klingon"):
        update(store, OPERATOR, replace(SETTINGS, language="klingon"), ("language",))
