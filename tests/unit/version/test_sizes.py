"""A commit past what a collection can number is refused whole."""

from collections.abc import Callable

import pytest

from passageway_server.errors import LimitExceeded
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version import sizes
from passageway_server.version.collection import Collection
from tests.unit.version.making import collection, records


def nodes(count: int) -> Batch:
    return Batch(put_nodes=tuple(NodeRecord(f"n{i}", name=f"{i}") for i in range(count)))


def edges(count: int) -> Batch:
    return Batch(put_edges=tuple(EdgeRecord(f"e{i}", "a", "b") for i in range(count)))


def links(count: int) -> Batch:
    return Batch(put_nodes=(NodeRecord("a", links={"to": tuple(f"n{i}" for i in range(count))}),))


def mentions(count: int) -> Batch:
    """Beside each mention there is what ties the span to its parent."""
    return Batch(put_passages=(PassageRecord("s", "a", mentions=tuple("bcdefgh"[: count - 1])),))


def keywords(count: int) -> Batch:
    return Batch(put_nodes=(NodeRecord("a", properties={"f": [f"{i}" for i in range(count)]}),))


@pytest.mark.parametrize(
    ("limit", "many", "beside"),
    [
        ("MOST_ROWS", nodes, 0),
        ("MOST_EDGES", edges, 0),
        ("MOST_EDGES", links, 0),
        ("MOST_EDGES", mentions, 0),
        ("MOST_STRINGS", nodes, 1),  # entry 0 is ""
        ("MOST_STRINGS", keywords, 0),
    ],
)
def test_a_commit_goes_up_to_what_can_be_numbered_and_not_past_it(
    monkeypatch: pytest.MonkeyPatch, limit: str, many: Callable[[int], Batch], beside: int
) -> None:
    monkeypatch.setattr(sizes, limit, 6)
    kept = collection()

    with pytest.raises(LimitExceeded) as refused:
        kept.apply(many(7 - beside))
    assert (refused.value.limit, refused.value.limit_reason) == (6, "COLLECTION_SIZE")
    assert (kept.current.identity.number, records(kept.current)) == (1, Batch())
    kept.apply(many(6 - beside))

    assert kept.current.identity.number == 2


def test_what_was_replaced_makes_room_once_it_is_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MOST_EDGES", 6)
    kept: Collection = collection()
    kept.apply(links(4))
    with pytest.raises(LimitExceeded):
        kept.apply(links(4))

    kept.merge()

    kept.apply(links(2))
    assert len(kept.current.links) == 6
