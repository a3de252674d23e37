"""What every read begins with: a version, and a halt of its own."""

from collections.abc import Callable

import pytest

from passageway_server.authz import membership
from passageway_server.authz.callers import Caller
from passageway_server.errors import LimitExceeded, NotFound, VersionLate
from passageway_server.service.describe import describe
from passageway_server.service.expand import expand
from passageway_server.service.lookup import lookup
from passageway_server.service.paths import paths
from passageway_server.service.pin import pin
from passageway_server.values import halt
from passageway_server.values.answers import ExpandAnswer, LookupAnswer, PathsAnswer
from passageway_server.values.collections import CollectionSettings, Membership
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import (
    DescribeRequest,
    ExpandRequest,
    Hop,
    LookupRequest,
    PathsRequest,
    SeedGroup,
)
from passageway_server.version.store import Store

EVE = Caller.holding(("user:eve",))
ASKED: dict[str, Callable[[Store], ExpandAnswer | LookupAnswer | PathsAnswer]] = {
    "expand": lambda store: expand(
        store,
        EVE,
        ExpandRequest("c", seeds=(SeedGroup(("a",)),), hops=(Hop(),), timeout_ms=1),
    ),
    "lookup": lambda store: lookup(store, EVE, LookupRequest("c", timeout_ms=1)),
    "paths": lambda store: paths(
        store, EVE, PathsRequest("c", sources=("a",), targets=("b",), timeout_ms=1)
    ),
}


class RingingAtOnce:
    """Alarms whose time has come when they are set."""

    def __init__(self) -> None:
        self.rung: list[bool] = []

    def set(self, seconds: float, ring: Callable[[], None]) -> "RingingAtOnce":  # noqa: ARG002
        ring()
        self.rung.append(bool(UNHALTED.flag[0]))
        return self

    def cancel(self) -> None:
        """It has rung."""


@pytest.mark.parametrize("call", ASKED)
def test_the_time_of_a_call_without_a_halt_ends_nobody_elses(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open()
    collection = store.create(CollectionSettings("c", default_readers=("public",)))
    collection.apply(
        Batch(
            put_nodes=(NodeRecord("a"), NodeRecord("b")),
            put_edges=(EdgeRecord("a-b", "a", "b", "LIKES"),),
        )
    )
    alarms = RingingAtOnce()
    monkeypatch.setattr(halt, "ALARMS", alarms)

    answer = ASKED[call](store)

    assert alarms.rung == [False]
    assert answer.timed_out


def entered(*users: str) -> Store:
    """A collection ``c`` for *users*, in which eve is a member of four groups."""
    store = Store.open()
    groups_of = Membership("user:{sub}", ("MEMBER_OF",))
    made = store.create(CollectionSettings("c", users=users, membership=groups_of))
    groups = ("g1", "g2", "g3", "g4")
    eve = NodeRecord("user:eve", links={"MEMBER_OF": groups})
    made.apply(Batch(put_nodes=(eve, *map(NodeRecord, groups))))
    return store


def test_users_of_a_collection_are_admitted_by_what_membership_adds() -> None:
    store = entered("g4")

    assert pin(store, EVE, "c", ReadOptions()).caller is EVE
    for caller in (Caller.holding(("user:ada",)), EVE.before([["user:ada"]])):
        with pytest.raises(NotFound):
            pin(store, caller, "c", ReadOptions())


def test_too_many_groups_are_refused_to_users_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership, "MOST_REACHED", 3)

    for users in ((), ("user:eve",)):
        store = entered(*users)
        with pytest.raises(LimitExceeded):
            pin(store, EVE, "c", ReadOptions())
        assert describe(store, EVE, DescribeRequest()).collections == ["c"]
    store = entered("user:ada", "g4")  # it does not exist for whom nothing else lets in
    with pytest.raises(NotFound):
        pin(store, EVE, "c", ReadOptions())
    assert describe(store, EVE, DescribeRequest()).collections == []


def test_a_version_to_come_is_waited_for_by_those_alone_to_whom_the_collection_is_open() -> None:
    """Were it by others too, whoever has an old token would learn that the collection is still there."""
    store = entered("user:ada")
    token = store.collection("c").current.token
    later = ReadOptions(at_least_version=f"{token[:20]}{int(token[20:], 16) + 1:012x}")

    for caller, refused in ((EVE, NotFound), (Caller.holding(("user:ada",)), VersionLate)):
        with pytest.raises(refused):
            pin(store, caller, "c", later, Halt(seconds=0.05))
