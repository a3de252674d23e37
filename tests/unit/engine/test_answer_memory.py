"""What an answer of very many values costs in memory: it is refused before they are made.

The bound is lowered; memory is what Python and numpy ask for, in bytes.
"""

import tracemalloc
from collections.abc import Callable

import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.gates import gates
from passageway_server.engine import sizes
from passageway_server.engine.rows import edge_rows, node_rows
from passageway_server.engine.selection import EVERYTHING
from passageway_server.engine.slice import text_of
from passageway_server.errors import LimitExceeded
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PropertyValue
from passageway_server.version.revisions import revision_of
from passageway_server.version.store import Store
from passageway_server.version.version import Version

BOUND = 1 << 20
VALUES = 60_000  # of each row
ROWS = 10
SETTINGS = CollectionSettings(
    "c", fields=(FieldDeclaration("prose", Kind.TEXT, repeated=True),), default_readers=("public",)
)


def version_of(batch: Batch) -> Version:
    collection = Store.open().create(SETTINGS)
    collection.apply(batch)
    return collection.current


def nodes(version: Version, caller: Caller = OPERATOR) -> Callable[[], object]:
    """Asks for all nodes of *version*, with everything."""
    gate = gates(version, caller, ReadOptions(), 0).read
    return lambda: node_rows(
        version,
        gate,
        range(len(version.nodes)),
        selection=EVERYTHING,
        max_chars=None,
        admin=caller.admin,
    )


def edges(version: Version) -> Callable[[], object]:
    """Asks for all edges of *version*, with everything."""
    gate = gates(version, OPERATOR, ReadOptions(), 0).read
    keys = range(len(version.docs))
    return lambda: edge_rows(version, gate, keys, selection=EVERYTHING, admin=True)


def peak_of(ask: Callable[[], object]) -> int:
    """The most memory that *ask* has at a time, in bytes."""
    tracemalloc.start()
    try:
        ask()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(ask: Callable[[], object]) -> Callable[[], object]:
    """*ask*, which is refused for the bytes of its answer."""

    def asked() -> None:
        with pytest.raises(LimitExceeded) as raised:
            ask()
        assert raised.value.limit_reason == "ANSWER_BYTES"

    return asked


LISTS: dict[str, tuple[str, PropertyValue]] = {
    "empty keywords": ("k", [""] * VALUES),
    "short keywords": ("k", ["a"] * VALUES),
    "longer keywords": ("k", ["a word"] * VALUES),
    "texts": ("prose", ["a"] * VALUES),
    "bools": ("k", [True] * 2 * VALUES),
    "small numbers": ("k", [1] * 2 * VALUES),
    "doubles": ("k", [0.5] * VALUES),
}


@pytest.mark.parametrize("kind", LISTS)
def test_lists_of_short_values_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    name, value = LISTS[kind]
    version = version_of(
        Batch(put_nodes=tuple(NodeRecord(f"n{i}", properties={name: value}) for i in range(ROWS)))
    )
    monkeypatch.setattr(sizes, "MOST_BYTES", BOUND)

    assert peak_of(refused(nodes(version))) < BOUND


def test_those_of_edges_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    put = tuple(
        EdgeRecord(f"e{i}", source="a", target="b", type="T", properties={"k": [""] * VALUES})
        for i in range(ROWS)
    )
    version = version_of(Batch(put_nodes=(NodeRecord("a"), NodeRecord("b")), put_edges=put))
    monkeypatch.setattr(sizes, "MOST_BYTES", BOUND)

    assert peak_of(refused(edges(version))) < BOUND


def test_long_values_are_measured_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["a word of some length"] * VALUES
    version = version_of(
        Batch(put_nodes=tuple(NodeRecord(f"n{i}", properties={"k": words}) for i in range(ROWS)))
    )
    monkeypatch.setattr(sizes, "MOST_BYTES", 8 * BOUND)  # more than the frames of all take

    assert peak_of(refused(nodes(version))) < 4 * BOUND


@pytest.fixture(scope="module")
def linked() -> Version:
    """Nodes with many links to others that eve alone may read."""
    ids = tuple(f"t{number}" for number in range(VALUES // ROWS))
    targets = tuple(NodeRecord(id, readers=("user:eve",)) for id in ids)
    return version_of(
        Batch(
            put_nodes=tuple(NodeRecord(f"n{i}", links={"l": ids}) for i in range(4 * ROWS))
            + targets
        )
    )


def test_many_links_are_refused_before_their_ids_are_made(
    monkeypatch: pytest.MonkeyPatch, linked: Version
) -> None:
    ask = nodes(linked)
    monkeypatch.setattr(sizes, "MOST_BYTES", BOUND)

    assert peak_of(refused(ask)) < 8 * BOUND


def test_links_that_are_hidden_are_looked_at_some_at_a_time(linked: Version) -> None:
    gate = gates(linked, Caller.holding(()), ReadOptions(), 0).read
    rows = linked.nodes.ids.find_all([f"n{i}" for i in range(4 * ROWS)])

    def ask() -> None:
        shown = node_rows(linked, gate, rows, selection=EVERYTHING, max_chars=None, admin=False)
        assert not any(row.links for row in shown)

    assert peak_of(ask) < 2 * BOUND


def test_revisions_cost_the_memory_of_some_rows() -> None:
    words = [""] * VALUES
    version = version_of(
        Batch(put_nodes=tuple(NodeRecord(f"n{i}", properties={"k": words}) for i in range(ROWS)))
    )

    one = peak_of(lambda: revision_of(version, [0], frozenset()))

    assert peak_of(lambda: revision_of(version, range(ROWS), frozenset())) < 2 * one


def test_a_list_is_no_text_and_is_not_made_to_see_it() -> None:
    version = version_of(Batch(put_nodes=(NodeRecord("n", properties={"k": [""] * VALUES}),)))

    def ask() -> None:
        assert text_of(version, 0, "k") is None

    assert peak_of(ask) < VALUES
