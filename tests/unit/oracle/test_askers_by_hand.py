"""Who may read what by the oracle: membership, audiences and fields with readers, with values worked out by hand."""

from typing import Any

import pytest

from passageway.v1 import graph_pb2, read_pb2, store_pb2, types_pb2
from tests.oracle import Refused, World
from tests.oracle.askers import Asker, viewer, with_membership
from tests.oracle.visible import visible_to
from tests.unit.oracle.small import ask, edge, expand, lookup, node, number, span, text, world

BY_NAME = store_pb2.Collection.Membership(
    node_id_template="user:{sub}", edge_types=["MEMBER_OF", "groups"]
)


def ada(*principals: str, **more: Any) -> Asker:
    return Asker("ada", frozenset({"public", "user:ada", *principals}), **more)


def behalf(*principals: str) -> Asker:
    return Asker("", frozenset({"public", *principals}))


def member(source: str, target: str, **fields: Any) -> types_pb2.Edge:
    return edge(source, target, type="MEMBER_OF", **fields)


def teams(**settings: Any) -> World:
    """Ada is in a team by an edge that nobody reads, the team in a division by a link; Ada knows Bob."""
    division = types_pb2.StringList(values=["division", "user:bob"])
    return world(
        node("user:ada", readers=[]),
        node("team", readers=[], status="retracted", links={"groups": division}),
        node("division", readers=[]),
        node("user:bob"),
        node("b-team"),
        node("company"),
        member("user:ada", "team", readers=["group:hr"]),
        edge("user:ada", "company", type="KNOWS"),
        member("user:bob", "b-team"),
        member("division", "user:ada"),
        node("user:"),
        member("user:", "company"),
        **({"membership": BY_NAME} | settings),
    )


def granted(asker: Asker, **settings: Any) -> set[str]:
    """What membership adds."""
    return set(with_membership(teams(**settings), asker).principals - asker.principals)


def test_groups_of_groups_are_granted_whoever_may_read_the_way_to_them() -> None:
    assert granted(ada()) == {"team", "division", "b-team"}


@pytest.mark.parametrize(("depth", "groups"), [(1, {"team"}), (2, {"team", "division"})])
def test_membership_ends_at_its_depth(depth: int, groups: set[str]) -> None:
    shallow = store_pb2.Collection.Membership(max_depth=depth)
    shallow.MergeFrom(BY_NAME)

    assert granted(ada(), membership=shallow) == groups


def test_edges_of_other_types_and_in_grant_nothing() -> None:
    by_edges = store_pb2.Collection.Membership(
        node_id_template="user:{sub}", edge_types=["MEMBER_OF"]
    )

    assert granted(ada(), membership=by_edges) == {"team"}
    assert granted(Asker("eve", frozenset({"public", "team"})), membership=by_edges) == set()


def test_one_who_acts_for_others_has_the_memberships_of_each_that_is_listed() -> None:
    assert granted(behalf("user:ada")) == {"team", "division", "b-team"}
    assert granted(behalf("user:bob", "user:nobody", "group:x")) == {"b-team"}
    assert granted(behalf("user:")) == set()


def test_a_name_alone_is_no_name_of_a_listed_principal() -> None:
    bare = store_pb2.Collection.Membership(node_id_template="{sub}", edge_types=["MEMBER_OF"])
    public = world(node("public"), node("team"), member("public", "team"), membership=bare)

    assert with_membership(public, behalf()).principals == {"public"}


def test_ids_that_are_no_principals_grant_nothing() -> None:
    odd = ["a & b", " team", "team\n", "public", "user:eve", "x" * 257, "x" * 256]
    members = world(
        node("user:ada"),
        *(node(row_id) for row_id in odd),
        *(member("user:ada", row_id) for row_id in odd),
        membership=BY_NAME,
    )

    assert with_membership(members, ada()).principals == ada().principals | {"x" * 256}


def test_an_audience_has_memberships_of_its_own() -> None:
    asked = with_membership(teams(), ada(audiences=(frozenset({"public", "user:bob"}),)))

    assert asked.audiences == (frozenset({"public", "user:bob", "b-team"}),)


def test_without_membership_nothing_is_granted() -> None:
    assert with_membership(world(node("user:ada")), ada()) == ada()


SHARED = world(
    node("open"),
    node("ours", readers=["group:eng"]),
    node("both", readers=["group:ops", "group:eng"]),
    node("nobody's", readers=[]),
    span("quoted", "open", readers=["group:eng"]),
    edge("open", "both", readers=["group:eng"]),
)


@pytest.mark.parametrize(
    ("asker", "rows", "edges"),
    [
        (ada("group:eng"), {"open", "ours", "both", "quoted"}, 1),
        (ada("group:eng", audiences=(frozenset({"public"}),)), {"open"}, 0),
        (ada("group:eng", audiences=(frozenset({"group:ops", "public"}),)), {"open", "both"}, 0),
        (ada(admin=True), {"open", "ours", "both", "nobody's", "quoted"}, 1),
        (ada(admin=True, audiences=(frozenset({"public", "group:eng"}),)), {"open", "ours", "both", "quoted"}, 1),
    ],
)  # fmt: skip
def test_all_who_read_an_answer_may_read_what_is_in_it(
    asker: Asker, rows: set[str], edges: int
) -> None:
    left = visible_to(SHARED, viewer(asker))

    assert {*left.nodes, *left.passages} == rows
    assert len(left.edges) == edges


@pytest.mark.parametrize(
    ("asker", "shown"),
    [(ada(admin=True), ["public"]), (ada(admin=True, audiences=(frozenset({"public"}),)), [])],
)
def test_readers_are_shown_to_an_admin_who_asks_for_itself(asker: Asker, shown: list[str]) -> None:
    as_ = {"principals": asker.principals, "admin": asker.admin, "audiences": asker.audiences}

    answer = ask(world(node("a")), read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse, **as_)

    assert list(answer.nodes[0].readers) == shown


def test_users_are_let_in_by_membership_and_each_audience_wants_to_be_let_in() -> None:
    of_team = teams(users=["team"])

    assert lookup(of_team, "id = company") == ["company"]
    with pytest.raises(Refused, match="NOT_FOUND"):
        ask(of_team, read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse, sub="bob")
    outside = (frozenset({"public", "user:bob"}),)
    with pytest.raises(Refused, match="NOT_FOUND"):
        ask(of_team, read_pb2.GetRequest(ids=["a"]), read_pb2.GetResponse, audiences=outside)


def guarded(name: str, kind: types_pb2.FieldKind.ValueType) -> dict[str, Any]:
    field = store_pb2.Field(name=name, kind=kind, readers=["group:hr"])
    return {"fields": [field]}


def test_a_hidden_field_is_unknown_and_shown_nowhere() -> None:
    pay = guarded("pay", types_pb2.FIELD_KIND_INT)
    staff = world(
        node("a", properties={"pay": number(3), "open": number(1)}),
        node("b"),
        edge("a", "b", properties={"pay": number(1)}),
        **pay,
    )
    with_edges = graph_pb2.Hop()

    for request in (
        read_pb2.LookupRequest(filter="pay > 1"),
        read_pb2.LookupRequest(sort=["pay"]),
        read_pb2.LookupRequest(fields=["pay"]),
        read_pb2.LookupRequest(kind=read_pb2.LookupRequest.KIND_EDGES, sort=["-pay"]),
    ):
        with pytest.raises(Refused, match="INVALID_ARGUMENT"):
            ask(staff, request, read_pb2.LookupResponse)
    told = expand(staff, "a", with_edges, with_edges=True)
    described = ask(staff, read_pb2.DescribeRequest(), read_pb2.DescribeResponse)

    assert list(told.hits[0].node.properties) == ["open"]
    assert not told.hits[1].edge.properties
    assert [field.name for field in described.fields] == ["open"]


def test_a_hidden_field_retires_nothing_and_stands_in_for_nothing() -> None:
    keyword = types_pb2.FIELD_KIND_KEYWORD
    reviewed = node("a", properties={"review": text("disputed")})
    described = node("a", properties={"description": text("secret"), "summary": text("open")})
    current = {"read": {"evidence": "EVIDENCE_CURRENT"}}

    assert lookup(world(reviewed), "", **current) == []
    assert lookup(world(reviewed, **guarded("review", keyword)), "", **current) == ["a"]
    shown = expand(world(described, **guarded("description", keyword)), "a")
    assert shown.hits[0].node.content == "open"
