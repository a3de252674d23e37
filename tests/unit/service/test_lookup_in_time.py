"""A Lookup whose time is spent answers with the rows judged by then, and says so."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.columns.gates import Gate
from passageway_server.columns.remembered import Remembered
from passageway_server.engine import filter, matching, semijoin
from passageway_server.engine.semijoin import joined_values
from passageway_server.errors import Cancelled, DeadlineExceeded
from passageway_server.service.lookup import lookup
from passageway_server.values.answers import Bucket
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.queries import Facet, Metric, MetricOp
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import LookupKind, LookupRequest
from passageway_server.version.store import Store

EVERYBODY = Caller.holding(())
IDS = [f"n{i:02}" for i in range(20)]
LONG = 60_000  # milliseconds, which no test takes
ASKED = LookupRequest(
    "c",
    filter="size >= 0",
    page_size=3,
    timeout_ms=LONG,
    facets={"f": Facet("type")},
    metrics={"m": Metric("size", MetricOp.COUNT)},
)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    """Twenty nodes with an edge document each, judged four at a time."""
    monkeypatch.setattr(matching, "_AT_ONCE", 4)
    made = Store.open(now=lambda: 1)
    kept = made.create(CollectionSettings("c", default_readers=("public",)))
    nodes = tuple(NodeRecord(id, "t", properties={"size": i}) for i, id in enumerate(IDS))
    edges = tuple(
        EdgeRecord(id, id, IDS[0], "t", properties={"size": i}) for i, id in enumerate(IDS)
    )
    kept.apply(Batch(put_nodes=nodes, put_edges=edges))
    return made


def after_parts(parts: int, stop: Callable[[], None], judge: Callable[..., Any]) -> Any:
    """*judge*, which calls *stop* in the middle of the part after the first *parts*."""
    calls = iter(range(10**6))

    def judged(*arguments: Any, **named: Any) -> Any:
        if next(calls) == parts:
            stop()
        return judge(*arguments, **named)

    return judged


@pytest.mark.parametrize("kind", LookupKind)
@pytest.mark.parametrize("parts", [0, 1, 3])
def test_the_rows_judged_by_then_are_the_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch, parts: int, kind: LookupKind
) -> None:
    halt = Halt()
    name = "matches" if kind is LookupKind.NODES else "edge_matches"
    real = getattr(matching, name)
    monkeypatch.setattr(matching, name, after_parts(parts, halt.time_out, real))

    answer = lookup(store, EVERYBODY, replace(ASKED, kind=kind), halt)

    count = 4 * parts
    assert answer.timed_out
    assert answer.next_page_token == ""
    assert answer.total == count
    ids = [node.id for node in answer.nodes] + [edge.id for edge in answer.edges]
    assert ids == IDS[: min(count, 3)]
    assert answer.facets == {"f": [Bucket("t", count)] if count else []}
    assert answer.metrics == ({"m": count} if count else {})


@pytest.mark.parametrize("kind", LookupKind)
def test_with_time_left_the_answer_is_that_of_a_call_without_a_bound(
    store: Store, kind: LookupKind
) -> None:
    asked = replace(ASKED, kind=kind)
    bounded = lookup(store, EVERYBODY, asked)
    unbounded = lookup(store, EVERYBODY, replace(asked, timeout_ms=0))

    assert bounded == unbounded
    assert (bounded.total, bounded.timed_out) == (20, False)
    assert bounded.next_page_token


@pytest.mark.parametrize(
    ("stop", "error"), [(Halt.expire, DeadlineExceeded), (Halt.cancel, Cancelled)]
)
def test_a_call_that_is_over_answers_nothing(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    stop: Callable[[Halt], None],
    error: type[Exception],
) -> None:
    halt = Halt()
    stopping = after_parts(1, lambda: stop(halt), filter.matches)
    monkeypatch.setattr(matching, "matches", stopping)

    with pytest.raises(error):
        lookup(store, EVERYBODY, ASKED, halt)


@pytest.mark.parametrize("text", ["%s", "NOT %s"])
def test_an_inner_query_that_is_cut_short_lets_nothing_through_and_is_not_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    halt = Halt()
    asked = replace(ASKED, filter=text % "lookup(id, from=(size < 7), from_field=id)")
    with monkeypatch.context() as stopped:
        stopping = after_parts(0, halt.time_out, filter.matching_rows)
        stopped.setattr(semijoin, "matching_rows", stopping)

        answer = lookup(store, EVERYBODY, asked, halt)

    assert (answer.total, answer.timed_out, answer.nodes) == (0, True, [])
    version = store.collection("c").current
    assert len(cast(Remembered[bytes, object], version.known[joined_values])) == 0
    assert lookup(store, EVERYBODY, asked, halt).total == (7 if text == "%s" else 13)


def test_a_call_that_nobody_halts_has_a_bound_of_its_own(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Gate] = []

    def matches(predicate: Any, version: Any, rows: Any, gate: Gate) -> Any:
        seen.append(gate)
        return filter.matches(predicate, version, rows, gate)

    monkeypatch.setattr(matching, "matches", matches)
    lookup(store, EVERYBODY, ASKED)

    assert seen
    assert all(gate.halt is not UNHALTED for gate in seen)
