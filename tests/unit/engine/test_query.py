"""A query gives the rows that meet it, filtered first, then in order, then cut at its limit."""

from typing import Any

import numpy as np

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.query import first_found, run_query
from passageway_server.planner.binding import Binding
from passageway_server.planner.query import plan_query
from passageway_server.values.queries import Bounds, Query, ReadOptions
from passageway_server.values.records import Batch, NodeRecord
from tests.unit.engine.bound import compiled, version_of

EVERYBODY = Caller.holding(())
VERSION = version_of(
    Batch(
        put_nodes=(
            NodeRecord("d", "doc", project="p", properties={"size": 3, "tag": "x"}),
            NodeRecord("c", "note", project="p", properties={"size": 1, "tag": "x"}),
            NodeRecord("b", "doc", project="q", properties={"size": 2, "tag": "x"}),
            NodeRecord("a", "doc", project="p", properties={"tag": "y"}),
            NodeRecord("no type", project="p", properties={"tag": "z"}),
            NodeRecord("s", "doc", properties={"size": 0, "tag": "x"}, readers=("user:eve",)),
        )
    )
)


def found(query: Query, *, project: str = "", passing: str = "", among: Any = None) -> list[str]:
    call = gates(VERSION, EVERYBODY, ReadOptions(project=project), 0)
    binding = Binding(VERSION, call.read, bounds=Bounds.REJECT, vars={})
    plan = plan_query(query, binding, path="search")
    binding.check()
    found = run_query(
        VERSION,
        plan,
        scope=call.scope,
        read=call.read,
        passing=compiled(passing, VERSION) if passing else None,
        among=among,
    )
    return VERSION.nodes.ids.take(first_found(VERSION, plan, found, call.read).rows)


def test_matches_come_in_their_order_and_no_more_than_the_limit() -> None:
    assert found(Query(filter="id:*", sort=("-size",))) == ["d", "b", "c", "a", "no type"]
    assert found(Query(filter="id:*", sort=("-size",), limit=2)) == ["d", "b"]
    assert found(Query(filter="id:*")) == ["a", "b", "c", "d", "no type"]


def test_what_is_not_in_scope_or_does_not_pass_uses_up_no_place() -> None:
    assert found(Query(filter="tag = x", sort=("size",), limit=2), project="p") == ["c", "d"]
    assert found(Query(filter="tag = x", sort=("size",), limit=1), passing="size > 1") == ["b"]


def test_types_that_there_are_not_match_nothing_and_no_type_is_one() -> None:
    assert found(Query(filter="id:*", types=("note", "unheard of"))) == ["c"]
    assert found(Query(filter="id:*", types=("unheard of",))) == []
    assert found(Query(filter="id:*", types=("",))) == ["no type"]


def test_rows_may_be_sought_among_those_given() -> None:
    among = VERSION.nodes.ids.find_all(["d", "a", "c"])

    assert found(Query(filter="tag = x", sort=("size",)), among=among) == ["c", "d"]
    assert found(Query(filter="id:*", types=("doc",)), among=among) == ["a", "d"]
    assert found(Query(filter="id:*"), among=np.array([], dtype=np.int32)) == []
