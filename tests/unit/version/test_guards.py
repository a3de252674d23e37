"""Guards of a commit: its key comes first, then the version, then revisions, and only then the batch itself."""

from dataclasses import replace

import numpy as np
import pytest

from passageway_server.errors import InvalidRequest, RevisionsMoved, VersionMoved
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.columns import Coded, EdgeColumns, PackedStrings
from passageway_server.values.records import Batch, EdgeRecord, Guard, NodeRecord, PassageRecord
from passageway_server.version import guarding
from passageway_server.version.collection import Collection
from passageway_server.version.revisions import revision_of
from passageway_server.version.version import Version
from tests.unit.version.logs import MemoryLog
from tests.unit.version.making import collection, node
from tests.unit.version.test_committing import several

A, B = Batch(put_nodes=(node("a"),)), Batch(put_nodes=(node("b"),))
UNFIT = Batch(put_nodes=(node(""),))


def revision(kept: Collection, identifier: str, hidden: frozenset[str] = frozenset()) -> str:
    version = kept.current
    return revision_of(version, [version.nodes.ids.find(identifier)], hidden)[0]


def only(identifier: str, revision: str) -> Guard:
    return Guard(if_revisions={identifier: revision})


def test_a_commit_follows_the_version_that_it_names_or_is_not_made() -> None:
    kept = collection()
    first = kept.current.token

    second = kept.apply(A, Guard(if_version=first)).version
    with pytest.raises(VersionMoved) as moved:
        kept.apply(B, Guard(if_version=first))

    assert (moved.value.asked, moved.value.newest) == (first, second)
    assert kept.current.token == second
    kept.apply(B, Guard(if_version=second))


def test_the_newest_version_is_the_one_under_way() -> None:
    log, kept = MemoryLog(), collection()
    kept.keep_in(log, sync_each=True)
    seen = kept.current.token

    (waiting,) = several(kept, log, 1)
    with pytest.raises(VersionMoved) as moved:
        kept.apply(B, Guard(if_version=seen))
    log.open.set()

    assert moved.value.newest == waiting.result().version


def test_a_row_has_the_revision_that_was_seen_or_nothing_is_committed() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(NodeRecord("a", content="old"), NodeRecord("b"))))
    old, other = revision(kept, "a"), revision(kept, "b")

    kept.apply(Batch(put_nodes=(NodeRecord("a", content="new"),)), only("a", old))
    with pytest.raises(RevisionsMoved) as moved:
        kept.apply(B, Guard(if_revisions={"b": other, "c": "", "a": old, "Z": old}))

    assert moved.value.ids == ("Z", "a")
    assert moved.value.newest == kept.current.token
    kept.apply(Batch(put_nodes=(NodeRecord("a", content="old"),)))
    kept.apply(B, only("a", old))


def test_an_empty_revision_is_that_of_what_is_not_there() -> None:
    kept = collection()
    kept.apply(Batch(put_nodes=(node("a", rel=["named"]),)))

    kept.apply(B, only("named", ""))
    kept.apply(Batch(delete_nodes=("a",)), only("nowhere", ""))
    kept.apply(A, only("a", ""))

    with pytest.raises(RevisionsMoved):
        kept.apply(A, only("a", ""))


def test_a_span_without_its_parent_is_there_for_a_guard() -> None:
    kept = collection()
    kept.apply(Batch(put_passages=(PassageRecord("s", "nowhere", content="text"),)))

    kept.apply(A, only("s", revision(kept, "s")))
    with pytest.raises(RevisionsMoved):
        kept.apply(A, only("s", ""))


def test_a_field_that_the_writer_does_not_see_is_not_in_the_revision_it_saw() -> None:
    kept = collection(
        CollectionSettings("c", fields=(FieldDeclaration("pay", Kind.INT, readers=("hr",)),))
    )
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"pay": 1, "x": 1}),)))
    without = frozenset({"pay"})
    seen = revision(kept, "a", without)

    assert seen != revision(kept, "a")
    with pytest.raises(RevisionsMoved):
        kept.apply(B, only("a", seen))
    kept.apply(B, only("a", seen), hidden=lambda _: without)


def test_the_version_is_looked_at_before_revisions_and_those_before_the_batch() -> None:
    kept = collection()
    wrong = Guard(if_version="0" * 32, if_revisions={"a": "x"})

    with pytest.raises(VersionMoved):
        kept.apply(UNFIT, wrong)
    with pytest.raises(RevisionsMoved):
        kept.apply(UNFIT, replace(wrong, if_version=""))
    with pytest.raises(InvalidRequest):
        kept.apply(UNFIT, Guard(if_version=kept.current.token))


def test_revisions_are_worked_out_before_others_have_to_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, waited = collection(), list[bool]()
    kept.apply(A)
    seen = revision(kept, "a")

    def noted(version: Version, rows: list[int], hidden: frozenset[str]) -> list[str]:
        waited.append(kept._writing.locked())
        return revision_of(version, rows, hidden)

    monkeypatch.setattr(guarding, "revision_of", noted)

    kept.apply(B, only("a", seen))

    assert waited == [False]


def test_what_was_worked_out_for_a_version_is_not_compared_with_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = collection()
    kept.apply(A)
    seen, look = revision(kept, "a"), guarding.Guarding.look

    def overtaken(self: guarding.Guarding, version: Version) -> None:
        look(self, version)
        monkeypatch.setattr(guarding.Guarding, "look", look)
        kept.apply(Batch(put_nodes=(NodeRecord("a", content="other"),)))

    monkeypatch.setattr(guarding.Guarding, "look", overtaken)

    with pytest.raises(RevisionsMoved) as moved:
        kept.apply(B, only("a", seen))

    assert (moved.value.ids, moved.value.newest) == (("a",), kept.current.token)


def test_the_newest_version_need_not_be_worked_out_for_readers() -> None:
    kept = collection()
    kept.apply(A, prepare=False)
    hidden: list[bool] = []

    def asked(version: Version) -> frozenset[str]:
        hidden.append(version.is_derived)
        return frozenset()

    with pytest.raises(RevisionsMoved):
        kept.apply(B, only("a", ""), hidden=asked)

    assert hidden == [True]


NONE = Coded(("",), np.zeros(1, np.int64))
E = PackedStrings(np.frombuffer(b"e", np.uint8), np.ones(1, np.int64))
NOBODY: Coded[tuple[str, ...]] = Coded(((),), np.zeros(1, np.int64))


@pytest.mark.parametrize(
    "batch",
    [
        Batch(put_edges=(EdgeRecord("e", "a", "b"),)),
        Batch(edge_columns=EdgeColumns(E, E, E, NONE, np.full(1, np.nan), NOBODY)),
        Batch(delete_edges=("e",)),
    ],
)
def test_an_edge_is_guarded_by_no_revision_in_whatever_way_it_comes(batch: Batch) -> None:
    kept = collection()

    with pytest.raises(InvalidRequest) as refused:
        kept.apply(batch, only("e", ""))

    assert [fault.field for fault in refused.value.faults] == ["if_revisions[e]"]
