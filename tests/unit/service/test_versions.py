"""Which version a read takes, whom it lets in, and what its caller may see there."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.errors import InvalidRequest, NotFound, VersionGone, VersionLate
from passageway_server.service.describe import describe
from passageway_server.service.expand import expand
from passageway_server.service.get import get
from passageway_server.service.lookup import lookup
from passageway_server.service.pin import pin
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
    Membership,
)
from passageway_server.values.halt import Halt
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.values.requests import (
    DescribeRequest,
    ExpandRequest,
    GetRequest,
    Hop,
    LookupRequest,
    SeedGroup,
)
from passageway_server.version import versions
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store

EVE, ADA = (
    Caller.known("eve", principals=(), roles=()),
    Caller.known("ada", principals=(), roles=()),
)
SETTINGS = CollectionSettings("c", default_readers=("public",))
GRAPH = Batch(
    put_nodes=(NodeRecord("a", content="old"), NodeRecord("b"), NodeRecord("c")),
    put_edges=(EdgeRecord("ab", "a", "b", "T"), EdgeRecord("bc", "b", "c", "T")),
    put_passages=(PassageRecord("a#0", "a", content="span"),),
)


@pytest.fixture
def store() -> Store:
    return Store.open()


@pytest.fixture
def kept(store: Store) -> Collection:
    made = store.create(SETTINGS)
    made.apply(GRAPH)
    return made


def at(token: str) -> ReadOptions:
    return ReadOptions(at_version=token)


def at_least(token: str) -> ReadOptions:
    return ReadOptions(at_least_version=token)


def later(token: str, steps: int = 1) -> str:
    return f"{token[:20]}{int(token[20:], 16) + steps:012x}"


def found(store: Store, caller: Caller, read: ReadOptions) -> list[str]:
    return [row.id for row in lookup(store, caller, LookupRequest("c", read)).nodes]


def test_an_older_version_is_read_as_it_was_and_says_which_it_is(
    store: Store, kept: Collection
) -> None:
    before = kept.current.token
    kept.apply(Batch(put_nodes=(NodeRecord("a", content="new"),), delete_nodes=("b",)))

    answer = get(store, EVE, GetRequest("c", ("a", "b"), at(before)))

    assert [(row.id, row.content) for row in answer.nodes] == [("a", "old"), ("b", "")]
    assert answer.version == before
    assert found(store, EVE, at(before)) == ["a", "a#0", "b", "c"]
    assert found(store, EVE, ReadOptions()) == ["a", "a#0", "c"]


def test_a_walk_at_an_older_version_does_not_step_on_what_was_revoked_since(
    store: Store, kept: Collection
) -> None:
    before = kept.current.token
    request = ExpandRequest(
        "c", at(before), seeds=(SeedGroup(("a",)),), hops=(Hop(), Hop()), include_seeds=False
    )

    def reached(caller: Caller) -> list[str]:
        hits = expand(store, caller, request).hits
        assert isinstance(hits, list)
        return [hit.node.id for hit in hits]

    assert reached(EVE) == ["b", "c"]

    kept.apply(Batch(put_nodes=(NodeRecord("b", readers=("user:ada",)),)))

    assert (reached(EVE), reached(ADA)) == ([], ["b", "c"])
    kept.apply(Batch(delete_nodes=("b",)))
    assert (reached(EVE), reached(ADA)) == ([], ["b", "c"])


@pytest.mark.parametrize(("name", "ask"), [("at_version", at), ("at_least_version", at_least)])
@pytest.mark.parametrize(
    "token", ["x", "0" * 24, "0" * 31, "0" * 33, "G" * 32, "A" * 32, f"{'0' * 31} "]
)
def test_what_is_no_version_is_a_fault_of_the_request(
    store: Store, kept: Collection, name: str, ask: Callable[[str], ReadOptions], token: str
) -> None:
    assert kept.current.token
    with pytest.raises(InvalidRequest) as refused:
        pin(store, EVE, "c", ask(token))

    assert [fault.field for fault in refused.value.faults] == [f"read.{name}"]


@pytest.mark.parametrize("ask", [at, at_least])
def test_a_version_of_another_incarnation_is_gone(
    store: Store, kept: Collection, ask: Callable[[str], ReadOptions]
) -> None:
    before = kept.current.token
    store.delete("c")
    oldest = store.create(SETTINGS).current.token

    with pytest.raises(VersionGone) as gone:
        pin(store, EVE, "c", ask(before))

    assert gone.value.oldest == oldest


def test_a_version_that_is_kept_no_longer_is_gone(store: Store, kept: Collection) -> None:
    before = kept.current.token
    oldest, *_ = [kept.apply(Batch(put_nodes=(NodeRecord("a"),))).version for _ in range(8)]

    with pytest.raises(VersionGone) as gone:
        pin(store, EVE, "c", at(before))

    assert gone.value.oldest == oldest
    assert pin(store, EVE, "c", at(oldest)).version.token == oldest


@pytest.mark.parametrize("ask", [at, at_least])
def test_a_token_that_a_crash_took_is_gone_though_its_number_is_there(
    store: Store, kept: Collection, ask: Callable[[str], ReadOptions]
) -> None:
    token = kept.current.token
    lost = f"{token[:8]}ffff{token[12:]}"

    with pytest.raises(VersionGone):
        pin(store, EVE, "c", ask(lost))


@pytest.mark.parametrize("ask", [at, at_least])
def test_a_version_that_is_not_here_yet_is_waited_for(
    store: Store, kept: Collection, ask: Callable[[str], ReadOptions]
) -> None:
    wanted = later(kept.current.token)

    with ThreadPoolExecutor(1) as pool:
        pinned = pool.submit(pin, store, EVE, "c", ask(wanted), Halt(seconds=60))
        kept.apply(Batch(put_nodes=(NodeRecord("d"),)))

        assert pinned.result().version.token == wanted


def test_a_version_that_does_not_come_is_late(
    store: Store, kept: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "_PATIENCE", 0.0)
    newest = kept.current.token

    for ask in (at, at_least):
        with pytest.raises(VersionLate) as late:
            pin(store, EVE, "c", ask(later(newest)))
        assert late.value.newest == newest


def test_the_version_to_read_is_not_older_than_it_must_be(store: Store, kept: Collection) -> None:
    first = kept.current.token
    second = kept.apply(Batch(put_nodes=(NodeRecord("d"),))).version

    for least in (first, second):
        both = ReadOptions(at_version=second, at_least_version=least)
        assert pin(store, EVE, "c", both).version.token == second
    with pytest.raises(InvalidRequest) as refused:
        pin(store, EVE, "c", ReadOptions(at_version=first, at_least_version=second))

    assert [fault.field for fault in refused.value.faults] == ["read.at_version"]


def test_who_may_call_is_told_by_the_newest_version(store: Store, kept: Collection) -> None:
    open_to_all = kept.current.token
    kept.update(lambda settings: replace(settings, users=("user:ada",)))
    closed = kept.current.token

    with pytest.raises(NotFound):
        pin(store, EVE, "c", at(open_to_all))
    assert pin(store, ADA, "c", at(open_to_all)).version.token == open_to_all
    kept.update(lambda settings: replace(settings, users=()))
    assert pin(store, EVE, "c", at(closed)).version.token == closed


def test_who_waited_is_let_in_by_the_version_that_came(store: Store, kept: Collection) -> None:
    wanted = later(kept.current.token)

    with ThreadPoolExecutor(1) as pool:
        pinned = pool.submit(pin, store, EVE, "c", at_least(wanted), Halt(seconds=60))
        kept.update(lambda settings: replace(settings, users=("user:ada",)))
        with pytest.raises(NotFound):
            pinned.result()


def members(*groups: str) -> Batch:
    return Batch(put_nodes=(NodeRecord("user:eve", links={"MEMBER_OF": groups}),))


def test_membership_counts_where_both_versions_give_it(store: Store) -> None:
    made = store.create(
        CollectionSettings("c", membership=Membership("user:{sub}", ("MEMBER_OF",)))
    )
    groups = tuple(NodeRecord(group, readers=(group,)) for group in ("g1", "g2", "g3"))
    made.apply(Batch(put_nodes=groups))
    first = made.apply(members("g1", "g2")).version
    assert found(store, EVE, at(first)) == ["g1", "g2"]
    asked = EVE.before([["user:eve"]])

    made.apply(members("g2", "g3"))

    assert found(store, EVE, ReadOptions()) == ["g2", "g3"]
    assert found(store, EVE, at(first)) == ["g2"]
    assert found(store, asked, at(first)) == ["g2"]
    made.update(lambda settings: replace(settings, membership=None))
    assert found(store, EVE, at(first)) == []


def test_the_readers_of_a_field_hold_for_older_versions_whether_or_not_it_was_declared_then(
    store: Store,
) -> None:
    made = store.create(SETTINGS)
    first = made.apply(Batch(put_nodes=(NodeRecord("a", properties={"pay": 7}),))).version
    pay = FieldDeclaration("pay", Kind.INT, readers=("user:ada",))

    def properties(caller: Caller) -> list[str]:
        (row,) = get(store, caller, GetRequest("c", ("a",), at(first))).nodes
        shown = describe(store, caller, DescribeRequest("c", at(first))).fields
        assert {field.name for field in shown} == set(row.properties)
        return list(row.properties)

    assert properties(EVE) == ["pay"]
    made.update(lambda settings: replace(settings, fields=(pay,)))

    assert properties(EVE) == []
    with pytest.raises(InvalidRequest):
        lookup(store, EVE, LookupRequest("c", at(first), filter="pay = 7"))
    assert properties(ADA) == properties(OPERATOR) == ["pay"]


def test_a_listing_of_an_older_version_goes_on_in_it(store: Store, kept: Collection) -> None:
    before = kept.current.token
    request = LookupRequest("c", at(before), page_size=2)
    first = lookup(store, EVE, request)
    kept.apply(Batch(put_nodes=(NodeRecord("aa"),), delete_nodes=("b",)))

    second = lookup(store, EVE, replace(request, page_token=first.next_page_token))

    assert [row.id for row in (*first.nodes, *second.nodes)] == ["a", "a#0", "b", "c"]
    assert second.version == before
    newest = LookupRequest("c", page_size=2)
    page = lookup(store, EVE, newest)
    rest = lookup(store, EVE, replace(newest, page_token=page.next_page_token))
    assert [row.id for row in (*page.nodes, *rest.nodes)] == ["a", "a#0", "aa", "c"]
    with pytest.raises(InvalidRequest):
        lookup(store, EVE, replace(newest, page_token=first.next_page_token))
