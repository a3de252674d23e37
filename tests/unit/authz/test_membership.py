"""Which principals the graph adds to a caller, and in which version."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from passageway_server.authz import membership as looked_up
from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.membership import with_membership
from passageway_server.errors import Cancelled, DeadlineExceeded, LimitExceeded
from passageway_server.values.collections import CollectionSettings, Membership
from passageway_server.values.halt import Halt
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store
from passageway_server.version.version import Version

MEMBER_OF = Membership("user:{sub}", ("MEMBER_OF",))
ADA = Caller.known("ada", principals=(), roles=())


def collection(membership: Membership | None = MEMBER_OF, *batches: Batch) -> Collection:
    made = Store.open().create(CollectionSettings("c", membership=membership))
    for batch in batches:
        made.apply(batch)
    return made


def linked(*chain: str, field: str = "MEMBER_OF") -> Batch:
    """Each of *chain* is a member of the next."""
    nodes = [NodeRecord(one, links={field: (other,)}) for one, other in pairwise(chain)]
    return Batch(put_nodes=(*nodes, NodeRecord(chain[-1])))


def added(kept: Collection, caller: Caller = ADA) -> set[str]:
    return set(with_membership(kept.current, caller).principals - caller.principals)


def test_a_collection_without_membership_adds_nothing() -> None:
    kept = collection(None, linked("user:ada", "group:eng"))

    assert with_membership(kept.current, ADA) is ADA


def test_groups_of_groups_are_held_down_to_the_depth() -> None:
    chain = linked("user:ada", "g1", "g2", "g3", "g4")

    assert added(collection(MEMBER_OF, chain)) == {"g1", "g2", "g3"}
    for depth, expected in ((1, {"g1"}), (10, {"g1", "g2", "g3", "g4"})):
        kept = collection(Membership("user:{sub}", ("MEMBER_OF",), depth), chain)
        assert added(kept) == expected


def test_a_cycle_ends_and_the_start_is_no_group_of_its_own() -> None:
    kept = collection(
        Membership("{sub}", ("MEMBER_OF",), 10),
        Batch(
            put_nodes=(
                NodeRecord("ada", links={"MEMBER_OF": ("g1",)}),
                NodeRecord("g1", links={"MEMBER_OF": ("g2", "ada", "g1")}),
                NodeRecord("g2", links={"MEMBER_OF": ("g1",)}),
            )
        ),
    )

    assert added(kept) == {"g1", "g2"}


def test_edges_of_every_sort_lead_on_whoever_may_read_them_and_retired_or_not() -> None:
    kept = collection(
        Membership("user:{sub}", ("MEMBER_OF", "PART_OF")),
        Batch(
            put_nodes=(
                NodeRecord("user:ada", status="retracted"),
                NodeRecord("g1", readers=("user:eve",), status="obsolete"),
                NodeRecord("g2", readers=("user:eve",)),
                NodeRecord("memory"),
                NodeRecord("away"),
            ),
            put_edges=(
                EdgeRecord("e1", "user:ada", "g1", "MEMBER_OF", readers=("user:eve",)),
                EdgeRecord("e2", "g1", "g2", "MEMBER_OF", weight=0.0),
                EdgeRecord("e3", "user:ada", "span", "MEMBER_OF"),
                EdgeRecord("e4", "user:ada", "away", "KNOWS"),
                EdgeRecord("e5", "away", "user:ada", "MEMBER_OF"),
                EdgeRecord("e6", "user:ada", "nowhere", "MEMBER_OF"),
            ),
            put_passages=(PassageRecord("span", "memory"),),
        ),
    )

    assert added(kept) == {"g1", "g2", "span", "memory"}


def test_nobody_becomes_another_user_or_gets_what_is_no_principal() -> None:
    kept = collection(
        MEMBER_OF,
        linked("user:ada", "user:eve", "group:eves"),
        linked("user:ada", "public"),
        Batch(
            put_nodes=(
                NodeRecord(
                    "user:ada",
                    links={
                        "MEMBER_OF": ("user:eve", "public", "a&b", " odd", "x" * 257, "x" * 256)
                    },
                ),
                *(NodeRecord(id) for id in ("a&b", " odd", "x" * 257, "x" * 256)),
            )
        ),
    )

    assert added(kept) == {"group:eves", "x" * 256}


def test_it_is_read_in_the_version_at_hand() -> None:
    kept = collection(MEMBER_OF, linked("user:ada", "g1"))
    before = kept.current
    kept.apply(linked("user:ada", "g2"))

    assert with_membership(before, ADA).principals == ADA.principals | {"g1"}
    assert added(kept) == {"g2"}
    kept.apply(Batch(delete_nodes=("g2",)))
    assert added(kept) == set()


def test_who_is_acted_for_starts_from_each_principal_that_the_template_makes() -> None:
    kept = collection(
        Membership("user:{sub}@x", ("MEMBER_OF",)),
        linked("user:ada@x", "g1"),
        linked("user:@x", "g2"),
        linked("user:eve", "g3"),
        linked("user:bob@x", "g4"),
    )
    listed = Caller.holding(["user:ada@x", "user:@x", "user:eve", "user:bob@x"])

    assert added(kept, listed) == {"g1", "g4"}
    named = Caller.known("ada", principals=["user:bob@x"], roles=())
    assert added(kept, named) == {"g1"}


def test_everybody_is_nobodys_name() -> None:
    kept = collection(Membership("{sub}", ("MEMBER_OF",)), linked("public", "g1"))

    assert added(kept, Caller.holding(())) == set()


def test_each_audience_has_its_own() -> None:
    kept = collection(MEMBER_OF, linked("user:ada", "g1"), linked("user:bob", "g2"))

    asked = with_membership(kept.current, OPERATOR.before([["user:ada"], ["user:bob"], []]))

    assert asked.principals == OPERATOR.principals
    assert asked.audiences == (
        frozenset({"public", "user:ada", "g1"}),
        frozenset({"public", "user:bob", "g2"}),
        frozenset({"public"}),
    )


def test_who_the_caller_is_does_not_change_with_its_groups() -> None:
    kept = collection(MEMBER_OF, linked("user:ada", "g1"))

    assert with_membership(kept.current, ADA).identity == ADA.identity


def test_a_call_that_is_over_stops_it() -> None:
    kept = collection(MEMBER_OF, linked("user:ada", "g1"))
    gone, late, slow = Halt(), Halt(), Halt()
    gone.cancel()
    late.expire()
    slow.time_out()

    with pytest.raises(Cancelled):
        with_membership(kept.current, ADA, gone)
    with pytest.raises(DeadlineExceeded):
        with_membership(kept.current, ADA, late)
    assert "g1" in with_membership(kept.current, ADA, slow).principals


def hub(*groups: str) -> Batch:
    """Ada is a member of *groups*."""
    ada = NodeRecord("user:ada", links={"MEMBER_OF": groups})
    return Batch(put_nodes=(ada, *map(NodeRecord, groups)))


def test_more_nodes_than_a_call_may_reach_are_refused_those_that_grant_nothing_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looked_up, "MOST_REACHED", 3)

    assert added(collection(MEMBER_OF, hub("g1", "g2", "user:eve"))) == {"g1", "g2"}
    for asked in (hub("g1", "g2", "user:eve", "g3"), linked("user:ada", "g1", "g2", "g3", "g4")):
        kept = collection(Membership("user:{sub}", ("MEMBER_OF",), 10), asked)
        for _ in range(2):  # that it is too much is remembered
            with pytest.raises(LimitExceeded, match="max_depth") as refused:
                added(kept)
            assert refused.value.limit_reason == "MEMBERSHIP"
            assert (refused.value.limit, refused.value.parameter) == (3, "membership")


def test_a_caller_and_its_audiences_count_together_and_an_admin_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looked_up, "MOST_REACHED", 3)
    kept, once = collection(MEMBER_OF, hub("g1", "g2")).current, ["user:ada"]

    assert "g1" in with_membership(kept, ADA.before([[]])).principals
    assert "g1" in with_membership(kept, OPERATOR.before([once])).audiences[0]
    for caller in (ADA.before([once]), OPERATOR.before([once, once])):
        with pytest.raises(LimitExceeded):
            with_membership(kept, caller)


def test_audiences_that_start_from_the_same_nodes_are_looked_up_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, asked = collection(MEMBER_OF, linked("user:ada", "g1")).current, list[object]()
    reached = looked_up._reached

    def counted(version: Version, *rest: Any) -> Any:
        asked.append(rest)
        return reached(version, *rest)

    monkeypatch.setattr(looked_up, "_reached", counted)
    monkeypatch.setattr(looked_up, "_BYTES", 0)  # nothing is remembered
    audiences = [["user:ada", f"x{number}"] for number in range(16)]
    found = with_membership(kept, ADA.before(audiences))

    assert len(asked) == 1
    assert all(
        {"g1", *listed} <= held for listed, held in zip(audiences, found.audiences, strict=True)
    )
    with_membership(kept, ADA)
    assert len(asked) == 2


def test_what_a_caller_holds_is_the_same_object_while_it_is_remembered() -> None:
    kept = collection(MEMBER_OF, linked("user:ada", "g1")).current
    first = with_membership(kept, ADA.before([["user:ada"]]))
    again = with_membership(
        kept, Caller.known("ada", principals=(), roles=()).before([["user:ada"]])
    )

    assert again.principals is first.principals
    assert again.audiences[0] is first.audiences[0]


def test_it_is_found_in_pieces_as_it_is_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = [EdgeRecord(f"e{n}", "g2", f"g{n}", "MEMBER_OF") for n in (3, 4, 5)]
    away = EdgeRecord("e", "g2", "away", "KNOWS")
    more = tuple(map(NodeRecord, ("g4", "g5", "away")))
    batches = hub("g1", "g2", "g3"), Batch(put_nodes=more, put_edges=(*edges, away))
    at_once = added(collection(MEMBER_OF, *batches))
    monkeypatch.setattr(looked_up, "_EDGES", 1)
    monkeypatch.setattr(looked_up, "_IDS", 1)

    assert added(collection(MEMBER_OF, *batches)) == at_once == {f"g{n}" for n in range(1, 6)}


class EndingAt(Halt):
    """A halt of a call that is over at a certain look."""

    def __init__(self, look: int) -> None:
        super().__init__()
        self.looks, self.end = 0, look

    def spent(self) -> bool:
        self.looks += 1
        if self.looks == self.end:
            self.expire()
        return super().spent()


def test_a_call_that_ends_on_the_way_stops_at_the_next_edges_or_ids(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looked_up, "_EDGES", 1)
    monkeypatch.setattr(looked_up, "_IDS", 1)
    kept = collection(MEMBER_OF, hub("g1", "g2", "g3")).current

    for look in range(1, 7):  # three edges, three ids
        with pytest.raises(DeadlineExceeded):
            with_membership(kept, ADA, EndingAt(look))
    assert {"g1", "g2", "g3"} <= with_membership(kept, ADA, EndingAt(7)).principals


@pytest.mark.parametrize("seed", range(20))
def test_commits_one_by_one_add_what_one_commit_of_the_outcome_adds(seed: int) -> None:
    random = Random(seed)
    nodes = ["user:ada", *(f"g{number}" for number in range(8))]
    kept = collection(MEMBER_OF, Batch(put_nodes=tuple(map(NodeRecord, nodes))))
    edges: dict[str, EdgeRecord] = {}
    versions: list[tuple[Version, set[str]]] = []
    for _ in range(8):
        gone = random.sample(sorted(edges), min(len(edges), random.randrange(4)))
        put = [
            EdgeRecord(f"e{random.randrange(20)}", source, target, "MEMBER_OF")
            for source, target in (random.sample(nodes, 2) for _ in range(random.randrange(5)))
        ]
        put = list({edge.id: edge for edge in put if edge.id not in gone}.values())
        kept.apply(Batch(delete_edges=tuple(gone), put_edges=tuple(put)))
        edges = {id: edge for id, edge in edges.items() if id not in gone}
        edges |= {edge.id: edge for edge in put}
        whole = Batch(put_nodes=tuple(map(NodeRecord, nodes)), put_edges=tuple(edges.values()))
        versions.append((kept.current, added(collection(MEMBER_OF, whole))))

    for version, expected in versions:
        assert set(with_membership(version, ADA).principals - ADA.principals) == expected
