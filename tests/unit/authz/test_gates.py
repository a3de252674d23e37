"""Which rows the two gates of a call let through."""

from datetime import UTC, datetime

import numpy as np
import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.times import to_micros
from passageway_server.errors import BeforeAudience, Forbidden
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.queries import ReadOptions
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.version.store import Store
from passageway_server.version.version import Version

EVERY_ROW = ReadOptions()
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


def version() -> Version:
    collection = Store.open().create(CollectionSettings("c"))
    collection.apply(
        Batch(
            put_nodes=(
                NodeRecord("open", readers=("public",)),
                NodeRecord("p1", readers=("public",), project="p1"),
                NodeRecord("done", readers=("public",), status=" Retracted "),
                NodeRecord("fresh", readers=("public",), properties={"expires_at": NOON}),
                NodeRecord("adas", readers=("user:ada",)),
                NodeRecord("both", readers=("group:eng & level:senior",)),
                NodeRecord("nobody's"),
            ),
            put_passages=(
                PassageRecord("span", "p1"),
                PassageRecord("narrow", "open", readers=("user:ada",)),
                PassageRecord("adrift", "absent"),
            ),
        )
    )
    return collection.current


def seen(kept: Version, caller: Caller, read: ReadOptions = EVERY_ROW, now: int = 0) -> set[str]:
    opened = kept.gates.open_rows(gates(kept, caller, read, now).scope)
    return set(kept.nodes.ids.take(np.flatnonzero(opened)))


def test_a_row_is_read_by_those_who_hold_one_of_its_readers() -> None:
    kept = version()

    assert seen(kept, Caller.holding(())) == {"open", "p1", "done", "fresh", "span"}
    assert {"adas", "narrow"} <= seen(kept, Caller.known("ada", principals=(), roles=()))


def test_readers_that_are_joined_must_all_be_held() -> None:
    kept = version()

    assert "both" not in seen(kept, Caller.holding(["group:eng"]))
    assert "both" in seen(kept, Caller.holding(["group:eng", "level:senior"]))


def test_an_admin_reads_all_but_what_dangles() -> None:
    kept = version()

    assert {"nobody's", "both", "narrow"} <= seen(kept, OPERATOR)
    assert not {"adrift", "absent"} & seen(kept, OPERATOR)


def test_a_project_scopes_and_a_span_goes_with_its_parent() -> None:
    kept = version()

    assert seen(kept, OPERATOR, ReadOptions(project="p1")) == {"p1", "span"}
    assert seen(kept, OPERATOR, ReadOptions(project="none such")) == set()


def test_current_leaves_out_what_is_retired_or_has_expired() -> None:
    kept, noon = version(), to_micros(NOON)
    current = ReadOptions(current=True)

    assert "done" not in seen(kept, OPERATOR, current, noon - 1)
    assert "fresh" in seen(kept, OPERATOR, current, noon - 1)
    assert "fresh" not in seen(kept, OPERATOR, current, noon)


def test_the_read_gate_asks_for_readers_alone() -> None:
    kept = version()
    read = gates(kept, OPERATOR, ReadOptions(project="p1", current=True), 0).read

    assert kept.gates.open(read, kept.nodes.ids.find_all(["open", "done"])).all()


def test_a_verdict_is_worked_out_once_for_a_caller() -> None:
    kept, caller = version(), Caller.holding(["group:eng"])

    first = gates(kept, caller, ReadOptions(), 1)
    second = gates(kept, Caller.holding(["group:eng"]), ReadOptions(), 2)

    assert first.scope.verdict is second.scope.verdict
    assert (first.scope.now, second.scope.now) == (1, 2)


def test_an_admin_of_the_same_principals_has_a_verdict_of_its_own() -> None:
    kept = version()
    seen(kept, Caller.holding(()))

    assert "nobody's" in seen(kept, OPERATOR)


def test_a_row_is_open_before_an_audience_where_each_of_it_may_read_it_too() -> None:
    kept, ada = version(), Caller.known("ada", principals=["group:eng", "level:senior"], roles=())
    seniors, eng = ["group:eng", "level:senior"], ["group:eng"]

    assert {"adas", "both"} <= seen(kept, ada)
    assert seen(kept, ada.before([seniors])) == seen(kept, ada) - {"adas", "narrow"}
    assert seen(kept, ada.before([seniors, eng])) == seen(kept, Caller.holding(()))
    assert seen(kept, Caller.holding(()).before([seniors])) == seen(kept, Caller.holding(()))


def test_an_admin_sees_before_an_audience_what_the_audience_sees() -> None:
    kept = version()
    seen(kept, OPERATOR)
    asked = OPERATOR.before([["user:ada"]])

    assert seen(kept, asked) == seen(kept, Caller.holding(["user:ada"]))
    assert not asked.admin


def test_what_an_admin_alone_may_ask_it_may_not_before_an_audience() -> None:
    asked = OPERATOR.before([["user:ada"]])

    with pytest.raises(BeforeAudience):
        asked.require("admin")
    asked.require("writer")
    asked.alone.require("admin")
    with pytest.raises(Forbidden) as lacking:
        Caller.holding([]).before([[]]).require("admin")
    assert type(lacking.value) is Forbidden


def test_an_edge_is_visible_where_each_of_an_audience_holds_its_readers() -> None:
    kept = version()
    number = kept.readers.intern(("user:ada",))

    def holds(caller: Caller) -> int:
        return int(gates(kept, caller, EVERY_ROW, 0).read.holds[number])

    assert (holds(OPERATOR), holds(OPERATOR.before([["user:ada"]]))) == (1, 1)
    assert holds(OPERATOR.before([["user:ada"], ["user:bob"]])) == 0


GUARDED = CollectionSettings(
    "c",
    default_readers=("public",),
    fields=(
        FieldDeclaration("lifecycle", Kind.KEYWORD, readers=("group:legal", "group:hr")),
        FieldDeclaration("review", Kind.KEYWORD, readers=("group:legal & level:senior",)),
        FieldDeclaration("expires_at", Kind.TIME, readers=("group:ops",)),
        FieldDeclaration("open", Kind.INT),
    ),
)
RETIRED = Batch(
    put_nodes=(
        NodeRecord("status", status="retracted"),
        NodeRecord("lifecycle", properties={"lifecycle": "Obsolete"}),
        NodeRecord("review", properties={"review": "disputed", "lifecycle": "fine"}),
        NodeRecord("expired", properties={"expires_at": NOON}),
        NodeRecord("all", properties={"lifecycle": "expired", "expires_at": NOON}, status="open"),
    ),
    put_passages=(
        PassageRecord("span", "lifecycle"),
        PassageRecord("own", "status", properties={"review": "disputed"}),
    ),
)


def guarded() -> Version:
    collection = Store.open().create(GUARDED)
    collection.apply(RETIRED)
    return collection.current


def hidden(kept: Version, caller: Caller) -> frozenset[str]:
    both = gates(kept, caller, ReadOptions(current=True), 0)
    assert both.read.hidden == both.scope.hidden
    return both.read.hidden


def test_a_field_is_hidden_from_those_who_hold_none_of_its_readers() -> None:
    kept = guarded()

    assert hidden(kept, Caller.holding(())) == {"lifecycle", "review", "expires_at"}
    assert hidden(kept, Caller.holding(["group:legal"])) == {"review", "expires_at"}
    assert hidden(kept, Caller.holding(["group:legal", "level:senior"])) == {"expires_at"}
    assert hidden(kept, OPERATOR) == frozenset()
    assert hidden(version(), Caller.holding(())) == frozenset()


def test_a_field_is_hidden_where_it_is_from_one_of_an_audience() -> None:
    kept, legal = guarded(), Caller.holding(["group:legal"])

    assert hidden(kept, OPERATOR.before([["group:legal"]])) == hidden(kept, legal)
    assert hidden(kept, legal.before([["group:ops"]])) == {"lifecycle", "review", "expires_at"}


@pytest.mark.parametrize(
    ("principals", "retired"),
    [
        ([], {"status", "own"}),
        (["group:hr"], {"status", "own", "lifecycle", "span", "all"}),
        (["group:legal", "level:senior"], {"status", "own", "lifecycle", "span", "all", "review"}),
        (["group:ops"], {"status", "own", "expired", "all"}),
    ],
)
def test_a_hidden_field_retires_nothing(principals: list[str], retired: set[str]) -> None:
    kept, caller = guarded(), Caller.holding(principals)

    left_out = seen(kept, caller) - seen(kept, caller, ReadOptions(current=True), to_micros(NOON))

    assert left_out == retired


def test_a_field_of_a_span_alone_retires_it_for_those_who_read_the_field() -> None:
    kept = Store.open().create(GUARDED)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("memory"),),
            put_passages=(PassageRecord("span", "memory", properties={"review": "disputed"}),),
        )
    )
    current = ReadOptions(current=True)

    assert seen(kept.current, Caller.holding(()), current) == {"memory", "span"}
    assert seen(kept.current, OPERATOR, current) == {"memory"}


def test_a_missing_role_is_forbidden_and_an_admin_has_every_role() -> None:
    OPERATOR.require("writer")
    with pytest.raises(Forbidden, match="writer"):
        Caller.holding(()).require("writer")


def test_what_is_kept_for_callers_is_bounded_in_the_bytes_of_their_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("passageway_server.authz.gates._BYTES", 30_000)
    kept = version()
    crowd = [f"group:{number}" for number in range(200)]
    crowded = Caller.holding(crowd).before([crowd])

    few, many = Caller.holding(["user:ada"]), gates(kept, crowded, EVERY_ROW, 0).read

    assert gates(kept, crowded, EVERY_ROW, 0).read.verdict is not many.verdict
    assert (
        gates(kept, few, EVERY_ROW, 0).read.verdict is gates(kept, few, EVERY_ROW, 0).read.verdict
    )
