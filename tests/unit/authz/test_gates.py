"""Which rows the two gates of a call let through."""

from datetime import UTC, datetime

import numpy as np
import pytest

from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.authz.gates import gates
from passageway_server.columns.times import to_micros
from passageway_server.errors import Forbidden
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.values.requests import ReadOptions
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


def test_a_missing_role_is_forbidden_and_an_admin_has_every_role() -> None:
    OPERATOR.require("writer")
    with pytest.raises(Forbidden, match="writer"):
        Caller.holding(()).require("writer")
