"""Filters over columns agree with filters over plain dicts, for few candidates and for all rows."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passageway_server.authz.callers import Caller
from passageway_server.columns.stored import are_docs
from passageway_server.engine import meeting
from passageway_server.engine.filter import edge_matches, matches, matching_rows
from passageway_server.engine.matching_edges import matching_edges
from passageway_server.planner.parse import parse
from passageway_server.values.records import Batch, NodeRecord
from tests.unit.engine.bound import all_gates, compiled, ids_of, version_of
from tests.unit.engine.drawn_filters import (
    EDGE_FIELDS,
    NODE_FIELDS,
    both,
    everything_known,
    filters,
    graphs,
    visible,
)
from tests.unit.engine.plain_filter import meets

EXAMPLES = settings().max_examples


@settings(max_examples=3 * EXAMPLES)
@given(graphs(), st.lists(filters(NODE_FIELDS), min_size=1, max_size=4))
def test_columns_agree_with_plain_rows(graph: Batch, texts: list[str]) -> None:
    graph = both(graph, everything_known())
    version = version_of(graph)
    rows, edges = visible(graph)
    call = all_gates(version)
    numbers = version.nodes.ids.find_all(sorted(rows))
    for text in texts:
        tree, predicate = parse(text), compiled(text, version)
        expected = [meets(tree, rows[id], rows, edges) for id in sorted(rows)]

        over_all = matches(predicate, version, None, call.read)[numbers]
        one_by_one = [
            bool(matches(predicate, version, numbers[i : i + 1], call.read)[0])
            for i in range(len(numbers))
        ]
        selected = matching_rows(predicate, version, read=call.read, scope=call.scope)

        assert over_all.tolist() == expected, text
        assert one_by_one == expected, text
        chosen = [id for id, met in zip(sorted(rows), expected, strict=True) if met]
        assert sorted(version.nodes.ids.take(selected)) == chosen, text


@settings(max_examples=2 * EXAMPLES)
@given(graphs(), st.lists(filters(EDGE_FIELDS), min_size=1, max_size=4))
def test_columns_agree_with_plain_edges(graph: Batch, texts: list[str]) -> None:
    graph = both(graph, everything_known())
    version = version_of(graph)
    rows, edges = visible(graph)
    keys = version.edges.stored
    are_seen = are_docs(keys)
    are_seen[are_seen] = [id in edges for id in version.docs.ids.take(keys[are_seen])]
    for text in texts:
        tree, predicate = parse(text), compiled(text, version, over="edges")

        found = edge_matches(predicate, version, keys)
        selected = matching_edges(predicate, version, all_gates(version).read)

        assert selected.tolist() == keys[found & are_seen].tolist(), text
        ids = version.docs.ids.take(keys[are_seen])
        for id, met in zip(ids, found[are_seen].tolist(), strict=True):
            assert met == meets(tree, edges[id], rows, edges), (text, id)


def test_an_edge_of_a_link_has_a_type_and_ends_but_neither_id_nor_properties() -> None:
    version = version_of(
        Batch(put_nodes=(NodeRecord("a", links={"owns": ("b",)}), NodeRecord("b")))
    )

    def met(text: str) -> list[bool]:
        predicate = compiled(text, version, over="edges")
        found = edge_matches(predicate, version, version.edges.stored)
        return list(map(bool, found))

    assert met("type = owns AND source = a AND target = b AND weight = 1") == [True]
    assert met("id:*") == [False]
    assert met("NOT note:*") == [True]


def test_a_link_to_a_hidden_or_missing_row_is_no_value() -> None:
    version = version_of(
        Batch(
            put_nodes=(
                NodeRecord("a", links={"owns": ("secret", "gone")}),
                NodeRecord("b", links={"owns": ("c", "secret")}),
                NodeRecord("c"),
                NodeRecord("secret", readers=("user:eve",)),
            )
        )
    )

    assert ids_of(version, "owns:*") == ["b"]
    assert ids_of(version, "owns:secret") == []
    assert ids_of(version, "lookup(id, from=(id:*), from_field=owns)") == ["c"]
    assert ids_of(version, "owns:secret", Caller.holding(["user:eve"])) == ["a", "b"]


def test_two_hops_of_lookup_are_a_lookup_in_a_lookup() -> None:
    version = version_of(
        Batch(
            put_nodes=(
                NodeRecord("ada", properties={"groups": ["eng"]}),
                NodeRecord("eng", properties={"groups": ["all"]}),
                NodeRecord("x", properties={"acl": ["all"]}),
                NodeRecord("y", properties={"acl": ["eng"]}),
            )
        )
    )
    inner = "lookup(id, from=(id = $user), from_field=groups)"

    assert ids_of(version, "lookup(acl, from=(id = $user), from_field=groups)", user="ada") == ["y"]
    assert ids_of(version, f"lookup(acl, from=({inner}), from_field=groups)", user="ada") == ["x"]


def test_ints_join_ints_and_times_join_times() -> None:
    day = datetime(2025, 6, 1, tzinfo=UTC)
    version = version_of(
        Batch(
            put_nodes=(
                NodeRecord("a", properties={"count": 5, "since": day}),
                NodeRecord("b", properties={"number": [4, 5], "since": [day]}),
            )
        )
    )

    assert ids_of(version, "lookup(count, from=(id = b), from_field=number)") == ["a"]
    assert ids_of(version, "lookup(since, from=(id = a), from_field=since)") == ["a", "b"]


def test_a_list_of_vars_is_met_by_any_of_them() -> None:
    version = version_of(Batch(put_nodes=(NodeRecord("a", type="t"), NodeRecord("b", type="u"))))

    assert ids_of(version, "type IN $types", types=["t", "u"]) == ["a", "b"]
    assert ids_of(version, "type:$types", types=["u"]) == ["b"]
    assert ids_of(version, "type IN $types", types=[]) == []


@pytest.mark.parametrize("candidates", [1, 2000])
def test_few_and_many_candidates_get_the_same_verdicts(candidates: int) -> None:
    put = tuple(
        NodeRecord(f"n{i}", properties={"size": i % 7, "tag": [f"t{i % 5}", "x"]})
        for i in range(2000)
    )
    version = version_of(Batch(put_nodes=put))
    predicate = compiled('size >= 3 AND (tag:t1 OR contains(tag, "3"))', version)
    rows = np.arange(0, 2000, 2000 // candidates, dtype=np.int32)

    found = matches(predicate, version, rows, all_gates(version).read)

    expected = [i % 7 >= 3 and i % 5 in (1, 3) for i in rows.tolist()]
    assert found.tolist() == expected


def test_a_list_of_dates_is_met_by_any_day_of_them() -> None:
    days = [datetime(2025, 6, day, hour, tzinfo=UTC) for day in range(1, 8) for hour in (0, 23)]
    put = [NodeRecord(f"{day:%d-%H}", properties={"since": day}) for day in days]
    version = version_of(Batch(put_nodes=tuple(put)))
    wanted = ["2025-06-02", days[3], "2025-06-05", "2025-06-04", days[-1], "2025-06-05"]

    assert ids_of(version, "since IN $days", days=wanted) == [
        *("02-00", "02-23", "04-00", "04-23", "05-00", "05-23", "07-23"),
    ]
    assert ids_of(version, "since IN $days", days=[]) == []


@pytest.mark.parametrize("sparse", [1, 256])
def test_candidates_among_many_more_strings_get_their_verdicts(
    monkeypatch: pytest.MonkeyPatch, sparse: int
) -> None:
    monkeypatch.setattr(meeting, "_FEW", 10)
    monkeypatch.setattr(meeting, "_SPARSE", sparse)
    put = [NodeRecord(f"n{i}", properties={"tag": f"t{i}"}) for i in range(2_000)]
    version = version_of(Batch(put_nodes=tuple(put)))
    predicate = compiled('contains(tag, "77") OR tag >= t8', version)
    rows = np.arange(0, 2_000, 19, dtype=np.int32)[::-1]

    found = matches(predicate, version, rows, all_gates(version).read)

    tags = [f"t{row}" for row in rows.tolist()]
    assert found.tolist() == ["77" in tag or tag >= "t8" for tag in tags]
