"""Writing as a caller: whose keys they are, what revision it sees, and how far a load came."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from passageway_server.authz.callers import OPERATOR, WRITER, Caller
from passageway_server.errors import (
    Forbidden,
    InvalidRequest,
    LoadOvertaken,
    NotFound,
    RevisionsMoved,
)
from passageway_server.service.apply import Keyed, Loaded, apply, load, loaded
from passageway_server.service.get import get
from passageway_server.values.collections import (
    CollectionSettings,
    FieldDeclaration,
    Kind,
    Membership,
)
from passageway_server.values.columns import Coded, EdgeColumns, NodeColumns, PackedStrings
from passageway_server.values.records import Batch, Guard, NodeRecord
from passageway_server.values.requests import GetRequest
from passageway_server.version.store import Store

ADA, EVE = (Caller.known(sub, principals=(), roles=(WRITER,)) for sub in ("ada", "eve"))
PAY = FieldDeclaration("pay", Kind.INT, readers=("g",))
SETTINGS = CollectionSettings(
    "c",
    fields=(PAY,),
    default_readers=("public",),
    membership=Membership("user:{sub}", ("MEMBER_OF",)),
)


@pytest.fixture
def store() -> Store:
    made = Store.open()
    made.create(SETTINGS)
    return made


def put(*ids: str) -> Batch:
    return Batch(put_nodes=tuple(map(NodeRecord, ids)))


def packed(*strings: str) -> PackedStrings:
    lengths = np.array(list(map(len, strings)), np.int64)
    return PackedStrings(np.frombuffer("".join(strings).encode(), np.uint8), lengths)


def keyed(key: str) -> Guard:
    return Guard(idempotency_key=key)


def test_a_key_belongs_to_the_caller_that_sent_it(store: Store) -> None:
    first = apply(store, ADA, "c", put("a"), keyed("k"))

    assert apply(store, ADA.before([["public"]]), "c", put("a"), keyed("k")) == first
    assert apply(store, EVE, "c", put("b"), keyed("k")) != first


def test_a_guard_that_is_too_large_is_refused_before_anything_else(store: Store) -> None:
    for guard, place in (
        (keyed("é" * 129), "idempotency_key"),
        (Guard(if_revisions=dict.fromkeys(map(str, range(10_001)), "")), "if_revisions"),
    ):
        with pytest.raises(InvalidRequest) as refused:
            apply(store, ADA, "c", put("a"), guard)
        assert [fault.field for fault in refused.value.faults] == [place]
    apply(store, ADA, "c", put("a"), keyed("é" * 128))


@pytest.mark.parametrize("id", ["", "a\0b", "\ud800", "x" * 1025, "é" * 513])
@pytest.mark.parametrize("revision", ["", "0" * 64])
def test_a_guard_of_what_can_be_no_id_is_refused_whatever_is_there(
    store: Store, id: str, revision: str
) -> None:
    for _ in range(2):
        with pytest.raises(InvalidRequest) as refused:
            apply(store, ADA, "c", put("b"), Guard(if_revisions={id: revision, "a": ""}))
        assert [fault.field for fault in refused.value.faults] == ["if_revisions"]
        apply(store, ADA, "c", put("a"))
    assert store.collection("c").current.nodes.ids.find("b") < 0


def test_a_guard_may_be_of_the_longest_id(store: Store) -> None:
    apply(store, ADA, "c", put("x" * 1024), Guard(if_revisions={"x" * 1024: "", "\t": ""}))


def test_of_very_many_that_can_be_no_ids_some_are_told(store: Store) -> None:
    with pytest.raises(InvalidRequest) as refused:
        apply(store, ADA, "c", put("a"), Guard(if_revisions={f"{i}\0": "" for i in range(5000)}))

    assert len(refused.value.faults) == 100


def test_an_edit_is_guarded_by_the_revision_that_its_writer_is_shown(store: Store) -> None:
    apply(store, OPERATOR, "c", Batch(put_nodes=(NodeRecord("a", properties={"pay": 1}),)))

    def revision(caller: Caller) -> str:
        (row,) = get(store, caller, GetRequest("c", ("a",))).nodes
        return row.revision

    guards = {caller: Guard(if_revisions={"a": revision(caller)}) for caller in (OPERATOR, EVE)}
    assert len(set(map(str, guards.values()))) == 2
    for caller, other in ((OPERATOR, EVE), (EVE, OPERATOR)):
        apply(store, caller, "c", put("b"), guards[caller])
        with pytest.raises(RevisionsMoved):
            apply(store, other, "c", put("b"), guards[caller])
    # Who is a member of those that read the field sees the revision with it.
    member = NodeRecord("user:eve", links={"MEMBER_OF": ("g",)})
    apply(store, OPERATOR, "c", Batch(put_nodes=(member, NodeRecord("g"))))
    apply(store, EVE, "c", put("b"), guards[OPERATOR])


def streamed(*batches: Keyed) -> Iterator[Callable[[], Keyed]]:
    return iter([lambda each=each: each for each in batches])


def test_a_load_tells_after_each_batch_how_far_it_is(store: Store) -> None:
    told = list(load(store, ADA, "c", streamed(Keyed(put("a", "b")), Keyed(put("c")))))

    assert [(each.batch, each.nodes) for each in told] == [(1, 2), (2, 3)]
    assert told[-1].version == store.collection("c").current.token
    assert "gating" in store.collection("c").current.known  # its readers do not wait


def test_a_load_counts_records_side_by_side_too(store: Store) -> None:
    ids, none = packed("a", "b"), packed("", "")
    nobody: Coded[tuple[str, ...]] = Coded(((),), np.zeros(2, np.int64))
    unset = Coded(("",), np.zeros(2, np.int64))
    nodes = NodeColumns(ids, unset, none, none, unset, unset, nobody)
    edges = EdgeColumns(packed("e", "f"), ids, ids, unset, np.full(2, np.nan), nobody)
    batch = replace(put("c"), node_columns=nodes, edge_columns=edges)

    (told,) = load(store, ADA, "c", streamed(Keyed(batch)))

    assert (told.nodes, told.edges, told.passages) == (3, 2, 0)


def test_a_load_that_is_sent_again_commits_nothing_twice(store: Store) -> None:
    batches = [Keyed(put(f"n{i}"), f"monday/7f7f7f7f7f7f7f7f/{i}") for i in range(1, 4)]
    first = list(load(store, ADA, "c", streamed(*batches[:2])))

    again = list(load(store, ADA, "c", streamed(*batches)))

    assert [each.version for each in again[:2]] == [each.version for each in first]
    assert store.collection("c").current.identity.number == 4


def test_how_far_a_load_came_is_known_by_its_name(store: Store) -> None:
    assert loaded(store, ADA, "c", "monday") == Loaded("", 0, 0, 0, 0, 0)
    batches = [Keyed(put(f"n{i}"), f"monday/7f7f7f7f7f7f7f7f/{i}") for i in range(1, 4)]
    *_, last = load(store, ADA, "c", streamed(*batches))

    found = loaded(store, ADA, "c", "monday")

    assert (found.version, found.batch) == (last.version, 3)
    assert loaded(store, EVE, "c", "monday").batch == 0
    with pytest.raises(InvalidRequest):
        loaded(store, ADA, "c", "")


def test_apply_does_not_move_how_far_a_load_came(store: Store) -> None:
    with pytest.raises(InvalidRequest) as refused:
        apply(store, ADA, "c", put("x"), keyed("monday/9f86d081884c7d65/7"))

    assert [fault.field for fault in refused.value.faults] == ["idempotency_key"]
    assert loaded(store, ADA, "c", "monday").batch == 0
    assert len(store.collection("c").current.nodes) == 0


def test_apply_takes_a_key_that_is_near_to_one_of_a_load(store: Store) -> None:
    for place, key in enumerate(("monday/9f86d081884c7d65", "monday/9F86D081884C7D65/7", "a/b/7")):
        apply(store, ADA, "c", put(f"n{place}"), keyed(key))

    assert len(store.collection("c").current.nodes) == 3


def test_a_batch_that_is_refused_ends_the_load_and_leaves_the_earlier_ones(store: Store) -> None:
    stream = load(store, ADA, "c", streamed(Keyed(put("a")), Keyed(put("")), Keyed(put("b"))))

    assert next(stream).batch == 1
    with pytest.raises(InvalidRequest):
        next(stream)
    assert len(store.collection("c").current.nodes) == 1


def test_who_may_not_write_is_told_so_and_who_may_not_call_is_told_nothing(store: Store) -> None:
    reader = Caller.known("bob", principals=(), roles=())
    with pytest.raises(Forbidden):
        apply(store, reader, "c", put("a"))
    with pytest.raises(Forbidden):
        loaded(store, reader, "c", "monday")
    with pytest.raises(NotFound):
        apply(store, ADA, "nowhere", put("a"))


def test_of_two_runs_of_a_load_the_one_that_began_last_goes_on(store: Store) -> None:
    older = load(
        store,
        ADA,
        "c",
        streamed(*[Keyed(put(f"o{i}"), f"monday/aaaaaaaaaaaaaaaa/{i}") for i in (1, 2)]),
    )
    next(older)
    newer = load(
        store,
        ADA,
        "c",
        streamed(*[Keyed(put(f"n{i}"), f"monday/bbbbbbbbbbbbbbbb/{i}") for i in (2, 3)]),
    )
    assert next(newer).batch == 1

    with pytest.raises(LoadOvertaken):
        next(older)
    assert [each.batch for each in newer] == [2]

    version = store.collection("c").current
    assert version.nodes.ids.take(range(len(version.nodes))) == ["o1", "n2", "n3"]
    assert loaded(store, ADA, "c", "monday").batch == 3


def test_a_run_that_was_overtaken_stays_so_when_the_later_one_has_ended(store: Store) -> None:
    older = load(
        store,
        ADA,
        "c",
        streamed(*[Keyed(put(f"o{i}"), f"monday/aaaaaaaaaaaaaaaa/{i}") for i in (1, 2)]),
    )
    next(older)
    list(load(store, ADA, "c", streamed(Keyed(put("n2"), "monday/bbbbbbbbbbbbbbbb/2"))))

    with pytest.raises(LoadOvertaken):
        next(older)


def test_loads_of_other_names_and_writers_run_beside_each_other(store: Store) -> None:
    one = load(
        store,
        ADA,
        "c",
        streamed(*[Keyed(put(f"o{i}"), f"monday/aaaaaaaaaaaaaaaa/{i}") for i in (1, 2)]),
    )
    next(one)
    list(load(store, EVE, "c", streamed(Keyed(put("e"), "monday/bbbbbbbbbbbbbbbb/1"))))
    list(
        load(
            store,
            ADA,
            "c",
            streamed(Keyed(put("t"), "tuesday/cccccccccccccccc/1"), Keyed(put("u"))),
        )
    )

    assert [each.batch for each in one] == [2]


def test_a_load_does_not_begin_past_what_is_in(store: Store) -> None:
    list(load(store, ADA, "c", streamed(Keyed(put("a"), "monday/aaaaaaaaaaaaaaaa/1"))))

    for key in ("monday/bbbbbbbbbbbbbbbb/3", "tuesday/bbbbbbbbbbbbbbbb/2"):
        with pytest.raises(InvalidRequest) as refused:
            list(load(store, ADA, "c", streamed(Keyed(put("b"), key))))
        assert [fault.field for fault in refused.value.faults] == ["idempotency_key"]

    assert (
        len(list(load(store, ADA, "c", streamed(Keyed(put("b"), "monday/bbbbbbbbbbbbbbbb/2")))))
        == 1
    )


def batch(drawn: str, place: int, id: str) -> Keyed:
    return Keyed(put(id), f"monday/{drawn * 16}/{place}")


def test_a_load_leaves_no_place_out_on_its_way(store: Store) -> None:
    stream = load(store, ADA, "c", streamed(batch("a", 1, "a"), batch("a", 3, "c")))

    assert next(stream).batch == 1
    with pytest.raises(InvalidRequest) as refused:
        next(stream)

    assert [fault.field for fault in refused.value.faults] == ["idempotency_key"]
    assert loaded(store, ADA, "c", "monday").batch == 1


def test_a_load_may_pass_by_what_is_in(store: Store) -> None:
    list(load(store, ADA, "c", streamed(*(batch("a", place, f"n{place}") for place in (1, 2)))))

    told = load(store, ADA, "c", streamed(batch("a", 1, "n1"), batch("a", 3, "n3")))

    assert len(list(told)) == 2
    assert loaded(store, ADA, "c", "monday").batch == 3


def test_a_load_whose_places_another_run_has_taken_is_told_of_that_run(store: Store) -> None:
    older = load(store, ADA, "c", streamed(batch("a", 1, "o1"), batch("a", 3, "o3")))
    next(older)
    list(load(store, ADA, "c", streamed(batch("b", 1, "n1"))))

    with pytest.raises(LoadOvertaken):
        next(older)


def test_a_key_of_apply_that_looks_like_a_batch_of_a_load_is_none(store: Store) -> None:
    apply(store, ADA, "c", put("a"), keyed("invoice/2024/7"))

    assert loaded(store, ADA, "c", "invoice").batch == 0
