"""A million rows that the caller may not read, all with the words that it looks for, change nothing of what it is told."""

from dataclasses import replace

import numpy as np

from passageway_server.authz.callers import Caller
from passageway_server.service.search import search
from passageway_server.values.answers import SearchAnswer
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.columns import Coded, NodeColumns, PackedStrings
from passageway_server.values.queries import Facet, Query
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.values.requests import SearchRequest
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from tests.crash.sizes import scaled

HIDDEN = scaled(1_000_000, least=10_000)
CALLER = Caller.holding(("group:a",))
TEXTS = ("a chess engine", "a chess board", "engines of ships", "max_nodes of a graph", "")
QUERIES = (
    Query("chess engine"),
    Query("ches", max_edits=1),
    Query("max_nodes", types=("note",), rescore="score * 2"),
    Query("graph", filter="content:node", limit=2),
    Query(filter="name:a OR content:chess"),
)


def test_a_million_hidden_rows_with_the_words_change_nothing() -> None:
    store = Store.open()
    settings = CollectionSettings("c", fields=(FieldDeclaration("tag", Kind.KEYWORD),))
    collection = store.create(settings)
    collection.apply(
        Batch(
            put_nodes=tuple(
                NodeRecord(
                    f"n{place}",
                    type="note",
                    name=f"a {place}",
                    content=text,
                    readers=("group:a",),
                    properties={"tag": f"t{place % 2}"},
                )
                for place, text in enumerate(TEXTS)
            )
        )
    )
    before = told(store)

    hide(collection)

    assert len(collection.current.nodes) == HIDDEN + len(TEXTS)
    assert told(store) == before
    assert [answer.total for answer in before] == [3, 2, 1, 1, 5]


def told(store: Store) -> list[SearchAnswer]:
    """What the caller is told, but for the version and the time that it took."""
    answers = [
        search(store, CALLER, SearchRequest("c", query=query, facets={"tags": Facet("tag")}))
        for query in QUERIES
    ]
    return [replace(answer, version="", took_us=0) for answer in answers]


def hide(collection: Collection) -> None:
    """Put rows that nobody in the test reads."""
    numbers = np.arange(HIDDEN)
    none = np.zeros(HIDDEN, dtype=np.int64)
    ids = [f"hidden{number}".encode() for number in range(HIDDEN)]
    texts = [f"{text} chess engine nodes {place}".encode() for place, text in enumerate(TEXTS)]
    columns = NodeColumns(
        ids=packed(ids),
        types=Coded(("note", "other"), numbers % 2),
        names=packed([b"chess"] * HIDDEN),
        contents=packed([texts[number % len(texts)] for number in range(HIDDEN)]),
        projects=Coded(("",), none),
        statuses=Coded(("", "retracted"), numbers % 2),
        readers=Coded((("group:b",), ("group:a & group:b",)), numbers % 2),
    )
    collection.apply(Batch(node_columns=columns))


def packed(strings: list[bytes]) -> PackedStrings:
    heap = np.frombuffer(b"".join(strings), dtype=np.uint8)
    return PackedStrings(heap, np.fromiter(map(len, strings), np.int64, len(strings)))
