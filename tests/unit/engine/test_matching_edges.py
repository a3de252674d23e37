"""Edge documents that a caller sees and that meet a filter, found by a look at each or by their ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.authz.callers import Caller
from passageway_server.engine import matching_edges as module
from passageway_server.engine.filter import edge_matches
from passageway_server.engine.matching_edges import matching_edges
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.engine.bound import EVERYBODY, all_gates, compiled, version_of
from tests.unit.engine.drawn_filters import (
    EDGE_FIELDS,
    SETTINGS,
    both,
    everything_known,
    filters,
    graphs,
)

EVE = Caller.holding(["user:eve"])
GRAPH = Batch(
    put_nodes=(
        NodeRecord("a", links={"owns": ("b",)}),
        NodeRecord("b"),
        NodeRecord("s", readers=("user:eve",)),
    ),
    put_edges=(
        EdgeRecord("e3", "a", "b", "T", 0.5),
        EdgeRecord("e1", "b", "a", "T"),
        EdgeRecord("loop", "a", "a", "T"),
        EdgeRecord("own", "a", "b", "T", readers=("user:eve",)),
        EdgeRecord("into", "a", "s", "T"),
        EdgeRecord("dangles", "a", "nowhere", "T"),
        EdgeRecord("at a span", "p", "a", "T"),
    ),
    put_passages=(PassageRecord("p", "b", mentions=("a",)),),
)


def ids_of(version: Version, text: str | None, caller: Caller = EVERYBODY) -> list[str]:
    predicate = None if text is None else compiled(text, version, caller, over="edges")
    found = matching_edges(predicate, version, all_gates(version, caller).read)
    assert found.tolist() == sorted(found.tolist())
    return version.docs.ids.take(found)


@pytest.mark.parametrize("few", [0, 16])
def test_a_document_is_seen_by_who_holds_its_readers_and_reads_both_ends(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(module, "_FEW", few)
    version = version_of(GRAPH)

    assert ids_of(version, None) == ["e3", "e1", "loop", "at a span"]
    assert ids_of(version, None, EVE) == ["e3", "e1", "loop", "own", "into", "at a span"]
    assert ids_of(version, "source = a") == ["e3", "loop"]
    assert ids_of(version, "source = a", EVE) == ["e3", "loop", "own", "into"]
    assert ids_of(version, "target IN (a, nowhere, s)") == ["e1", "loop", "at a span"]
    assert ids_of(version, "source = p") == ["at a span"]
    assert ids_of(version, "id IN (own, e1, dangles, gone)") == ["e1"]
    assert ids_of(version, "id IN (own, e1, dangles, gone)", EVE) == ["e1", "own"]


@pytest.mark.parametrize("few", [0, 16])
def test_a_deleted_document_is_not_seen(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(module, "_FEW", few)
    kept = Store.open().create(SETTINGS)
    kept.apply(GRAPH)
    kept.apply(Batch(delete_edges=("e1", "e3"), delete_nodes=("p",)))
    version = kept.current

    assert ids_of(version, "id IN (e1, e3, loop)") == ids_of(version, None) == ["loop"]
    assert ids_of(version, "source = a") == ["loop"]


@given(graphs(), st.lists(filters(EDGE_FIELDS), min_size=1, max_size=4), st.sampled_from([0, 16]))
def test_whatever_it_begins_from_it_finds_what_a_look_at_each_finds(
    graph: Batch, texts: list[str], few: int
) -> None:
    version = version_of(both(graph, everything_known()))
    call = all_gates(version)
    seen = matching_edges(None, version, call.read)
    for text in texts:
        predicate = compiled(text, version, over="edges")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(module, "_FEW", few)

            found = matching_edges(predicate, version, call.read)

        assert found.tolist() == seen[edge_matches(predicate, version, seen)].tolist(), text
