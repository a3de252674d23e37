"""The oracle at older versions: what they held, and who may read that today, worked out by hand."""

from typing import Any

import pytest

from passageway.v1 import query_pb2, read_pb2, store_pb2, types_pb2
from tests.oracle.history import History
from tests.unit.oracle.dated import edges, history, put, read, rows
from tests.unit.oracle.small import batch, edge, moment, node, nodes, number, span, text

EVE = ["user:eve"]
MEMBERS = store_pb2.Collection.Membership(node_id_template="user:{sub}", edge_types=["MEMBER_OF"])


def membership(group: str, *, id: str = "m") -> types_pb2.Edge:
    return edge("user:ada", group, id=id, type="MEMBER_OF")


def test_each_commit_makes_a_version_that_never_changes() -> None:
    kept = history(batch(node("a")), batch(node("b"), delete_nodes=["a"]))

    assert [rows(kept, version) for version in range(3)] == ["", "a", "b"]
    assert rows(kept) == "b"


def test_a_row_that_was_closed_since_is_closed_at_old_versions_too() -> None:
    kept = history(batch(node("a"), node("b")), batch(node("a", readers=EVE)))

    assert rows(kept, 1) == "b"
    assert rows(kept, 1, admin=True) == "a b"


def test_a_row_that_was_opened_since_stays_closed_where_it_was() -> None:
    kept = history(batch(node("a", readers=EVE)), batch(node("a")))

    assert (rows(kept, 1), rows(kept, 2)) == ("", "a")


def test_only_who_reads_by_both_reads() -> None:
    kept = history(
        batch(node("a", readers=["user:ada", "user:bob"])),
        batch(node("a", readers=["user:bob", "user:eve"])),
    )

    callers = {name: frozenset({f"user:{name}"}) for name in ("ada", "bob", "eve")}
    assert {name: rows(kept, 1, sub=name, principals=held) for name, held in callers.items()} == {
        "ada": "",
        "bob": "a",
        "eve": "",
    }


def test_readers_in_between_do_not_matter() -> None:
    kept = history(batch(node("a")), batch(node("a", readers=EVE)), batch(node("a")))

    assert [rows(kept, version) for version in (1, 2, 3)] == ["a", "", "a"]


def test_of_a_deleted_row_the_last_readers_count() -> None:
    kept = history(
        batch(*nodes("open closed")),
        batch(node("closed", readers=EVE)),
        batch(delete_nodes=["open", "closed"]),
    )

    assert [rows(kept, version) for version in (1, 2, 3)] == ["open", "open", ""]


def test_a_row_that_came_back_is_judged_as_it_came_back() -> None:
    kept = history(batch(node("a")), batch(delete_nodes=["a"]), batch(node("a", readers=EVE)))

    assert rows(kept, 1) == ""


def test_default_readers_that_narrow_close_what_names_no_reader() -> None:
    kept = history(batch(node("a", readers=[]), node("b")), default_readers=["public"])
    put(kept, delete_nodes=["b"])
    kept.update(store_pb2.Collection(default_readers=EVE), "default_readers")

    assert (rows(kept, 1), rows(kept, 2)) == ("b", "")


def test_default_readers_that_widen_open_nothing_of_before() -> None:
    kept = history(batch(node("a", readers=[])))
    kept.update(store_pb2.Collection(default_readers=["public"]), "default_readers")

    assert (rows(kept, 1), rows(kept, 2)) == ("", "a")


def test_a_span_closes_with_its_parent() -> None:
    kept = history(batch(node("m"), span("s", "m")), batch(node("m", readers=EVE)))

    assert rows(kept, 1) == ""


def test_a_span_that_was_cut_away_closes_when_its_parent_does() -> None:
    kept = history(
        batch(node("m"), span("s", "m")),
        batch(recut_parents=["m"]),
        batch(node("m", readers=EVE)),
    )

    assert rows(kept, 1) == ""


def test_a_span_that_moved_is_judged_by_both_its_parents() -> None:
    kept = history(
        batch(node("m"), node("other", readers=EVE), span("s", "m")), batch(span("s", "other"))
    )

    assert rows(kept, 1) == "m"


def test_a_span_whose_own_readers_narrowed_is_closed() -> None:
    kept = history(batch(node("m"), span("s", "m")), batch(span("s", "m", readers=EVE)))

    assert rows(kept, 1) == "m"


def test_a_row_that_dangles_today_is_nobodys_at_old_versions() -> None:
    kept = history(batch(node("a")), batch(span("a", "missing")))

    assert rows(kept, 1, admin=True) == ""


def test_a_node_that_became_a_span_has_the_readers_of_the_span() -> None:
    kept = history(batch(node("a"), node("m", readers=EVE)), batch(span("a", "m")))

    assert rows(kept, 1) == ""


def test_an_edge_that_was_closed_since_is_closed_at_old_versions_too() -> None:
    kept = history(batch(*nodes("a b"), edge("a", "b")), batch(edge("a", "b", readers=EVE)))

    assert (edges(kept, 1), rows(kept, 1)) == ("", "a b")


def test_an_edge_that_was_opened_since_stays_closed_where_it_was() -> None:
    kept = history(batch(*nodes("a b"), edge("a", "b", readers=EVE)), batch(edge("a", "b")))

    assert (edges(kept, 1), edges(kept, 2)) == ("", "ab")


def test_of_a_deleted_edge_the_last_readers_count() -> None:
    kept = history(
        batch(*nodes("a b"), edge("a", "b", id="open"), edge("a", "b", id="closed")),
        batch(edge("a", "b", id="closed", readers=EVE)),
        batch(delete_edges=["open", "closed"]),
    )

    assert [edges(kept, version) for version in (1, 2, 3)] == ["open", "open", ""]


def test_an_edge_goes_with_an_end_that_was_closed_since() -> None:
    kept = history(batch(*nodes("a b"), edge("a", "b")), batch(node("b", readers=EVE)))

    assert edges(kept, 1) == ""


def test_an_edge_is_where_it_was_wherever_it_leads_today() -> None:
    kept = history(
        batch(*nodes("a b"), node("hidden", readers=EVE), edge("a", "b", id="e")),
        batch(edge("a", "hidden", id="e")),
    )

    assert (edges(kept, 1), edges(kept, 2)) == ("e", "")


def test_links_name_only_rows_that_are_open_today() -> None:
    links = {"to": types_pb2.StringList(values=["b", "c"])}
    kept = history(batch(node("a", links=links), *nodes("b c")), batch(node("b", readers=EVE)))

    (shown,) = read(kept, 1, read_pb2.GetRequest(ids=["a"]), "Get").nodes

    assert list(shown.links["to"].values) == ["c"]


def test_content_project_and_evidence_are_those_of_the_version() -> None:
    kept = history(
        batch(node("a", content="old", project="p1")),
        batch(node("a", content="new", project="p2", status="retracted")),
    )
    current = query_pb2.ReadOptions(project="p1", evidence=query_pb2.EVIDENCE_CURRENT)

    (shown,) = read(kept, 1, read_pb2.GetRequest(ids=["a"], read=current), "Get").nodes

    assert (shown.content, shown.project) == ("old", "p1")


def test_default_weights_are_those_of_the_version() -> None:
    kept = history(batch(*nodes("a b"), edge("a", "b")), ontology=_weighing(0.5))
    kept.update(store_pb2.Collection(ontology=_weighing(2.0)), "ontology")
    request = read_pb2.LookupRequest(kind=read_pb2.LookupRequest.KIND_EDGES)

    weights = [read(kept, version, request, "Lookup").edges[0].weight for version in (1, 2)]

    assert weights == [0.5, 2.0]


def _weighing(weight: float) -> types_pb2.Ontology:
    kind = types_pb2.Ontology.EdgeType(name="T", default_weight=weight)
    return types_pb2.Ontology(edge_types=[kind])


def _pay(*readers: str) -> store_pb2.Field:
    return store_pb2.Field(name="pay", kind=types_pb2.FIELD_KIND_INT, readers=readers)


def _payment(kept: History, version: int, **caller: Any) -> list[str]:
    (shown,) = read(kept, version, read_pb2.GetRequest(ids=["a"]), "Get", **caller).nodes
    return sorted(shown.properties)


@pytest.mark.parametrize(
    ("then", "now", "shown"),
    [
        ([], ["group:hr"], []),
        (["group:hr"], [], ["pay"]),
        (["group:hr"], ["user:ada"], ["pay"]),
        (["user:ada"], ["group:hr"], []),
    ],
)
def test_a_field_is_for_those_whom_it_is_for_today(
    then: list[str], now: list[str], shown: list[str]
) -> None:
    kept = history(batch(node("a", properties={"pay": number(1)})), fields=[_pay(*then)])
    kept.update(store_pb2.Collection(fields=[_pay(*now)]), "fields")

    assert _payment(kept, 1) == shown
    assert _payment(kept, 1, admin=True) == ["pay"]


def test_a_field_that_was_declared_since_has_its_readers_before_that_too() -> None:
    kept = history(batch(node("a", properties={"pay": number(1)})))
    kept.update(store_pb2.Collection(fields=[_pay("group:hr")]), "fields")

    assert _payment(kept, 1) == []


def test_a_field_that_was_dropped_since_has_the_readers_that_it_had_last() -> None:
    kept = history(batch(node("a", properties={"pay": number(1)})), fields=[_pay("group:hr")])
    put(kept, node("a"))
    kept.update(store_pb2.Collection(), "fields")

    assert _payment(kept, 1) == []


def test_a_hidden_field_that_would_retire_a_row_does_not_do_so_at_old_versions() -> None:
    kept = history(batch(node("a", properties={"review": text("disputed")})))
    review = store_pb2.Field(name="review", kind=types_pb2.FIELD_KIND_KEYWORD, readers=["group:hr"])
    kept.update(store_pb2.Collection(fields=[review]), "fields")
    current = query_pb2.ReadOptions(evidence=query_pb2.EVIDENCE_CURRENT)
    request = read_pb2.GetRequest(ids=["a"], read=current)

    assert len(read(kept, 1, request, "Get").nodes) == 1
    assert len(read(kept, 1, request, "Get", admin=True).nodes) == 0


def test_time_runs_at_old_versions_too() -> None:
    kept = history(batch(node("a", properties={"expires_at": moment(1)})), batch(node("a")))
    current = query_pb2.ReadOptions(evidence=query_pb2.EVIDENCE_CURRENT)
    request = read_pb2.GetRequest(ids=["a"], read=current)

    assert [len(read(kept, version, request, "Get").nodes) for version in (1, 2)] == [0, 1]


def test_users_of_today_read_old_versions() -> None:
    kept = history(batch(node("a")), users=["user:eve"])
    before = rows(kept, 1)
    kept.update(store_pb2.Collection(users=["user:ada"]), "users")

    assert (before, rows(kept, 1)) == ("NOT_FOUND", "a")
    assert rows(kept, 1, sub="eve", principals=frozenset({"public", "user:eve"})) == "NOT_FOUND"


def test_to_others_not_even_a_version_that_is_gone_is_there() -> None:
    kept = history(users=["user:eve"], retain_versions=1)
    put(kept)

    assert rows(kept, 0) == "NOT_FOUND"
    assert rows(kept, 0, admin=True) == "FAILED_PRECONDITION"


TEAM = [node("user:ada"), node("team:x"), node("plan", readers=["team:x"])]


def test_who_was_a_member_and_is_none_reads_nothing_as_one() -> None:
    kept = history(batch(*TEAM, membership("team:x")), membership=MEMBERS)
    before = rows(kept, 1)
    put(kept, delete_edges=["m"])

    assert before == "plan team:x user:ada"
    assert rows(kept, 1) == "team:x user:ada"


def test_who_became_a_member_reads_nothing_of_before_as_one() -> None:
    kept = history(batch(*TEAM), batch(membership("team:x")), membership=MEMBERS)

    assert (rows(kept, 1), rows(kept, 2)) == ("team:x user:ada", "plan team:x user:ada")


def test_membership_that_ended_for_all_ended_at_old_versions_too() -> None:
    kept = history(batch(*TEAM, membership("team:x")), membership=MEMBERS)
    kept.update(store_pb2.Collection(), "membership")

    assert rows(kept, 1) == "team:x user:ada"


def test_a_member_by_one_way_then_and_another_now_is_one() -> None:
    kept = history(
        batch(*TEAM, node("team:y"), membership("team:x")),
        batch(membership("team:y"), edge("team:y", "team:x", type="MEMBER_OF")),
        membership=MEMBERS,
    )

    assert rows(kept, 1) == "plan team:x team:y user:ada"


def test_an_audience_is_judged_by_both_versions_like_a_caller() -> None:
    kept = history(batch(*TEAM, membership("team:x")), membership=MEMBERS)
    before_ada = {"admin": True, "audiences": (frozenset({"public", "user:ada"}),)}
    before = rows(kept, 1, **before_ada)
    put(kept, delete_edges=["m"])

    assert (before, rows(kept, 1, **before_ada)) == ("plan team:x user:ada", "team:x user:ada")


def test_restored_rows_have_the_readers_that_they_are_restored_with() -> None:
    kept = history(batch(node("a"), node("b")))
    kept.keep("s")
    put(kept, node("a", readers=EVE), node("c"), delete_nodes=["b"])
    closed = rows(kept, 1)
    restored = kept.restore("s")

    assert (closed, restored) == ("b", 3)
    assert [rows(kept, version) for version in (1, 2, 3)] == ["a b", "c", "a b"]


def test_to_who_uses_the_collection_as_a_member_of_today_nothing_of_before_is_there() -> None:
    kept = history(batch(*TEAM), batch(membership("team:x")), membership=MEMBERS, users=["team:x"])

    assert (rows(kept, 1), rows(kept, 2)) == ("NOT_FOUND", "plan team:x user:ada")


def test_an_admin_is_shown_the_readers_that_the_version_has() -> None:
    kept = history(
        batch(node("a", readers=EVE), node("b"), edge("a", "b", readers=EVE)),
        batch(node("a", readers=["user:ada"]), edge("a", "b", readers=["user:ada"])),
    )
    lookup = read_pb2.LookupRequest(kind=read_pb2.LookupRequest.KIND_EDGES)

    (row,) = read(kept, 1, read_pb2.GetRequest(ids=["a"]), "Get", admin=True).nodes
    (between,) = read(kept, 1, lookup, "Lookup", admin=True).edges

    assert list(row.readers) == list(between.readers) == EVE
