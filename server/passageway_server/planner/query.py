"""A query of a request, bound: its filter, types, order and limit."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.query import QueryPlan
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.limits import Limit
from passageway_server.planner.lists import plan_lists
from passageway_server.planner.sorting import plan_sort
from passageway_server.values.queries import Query
from passageway_server.version.version import Version


def plan_query(
    query: Query, binding: Binding, *, path: str, limit: Limit = limits.QUERY_MATCHES
) -> QueryPlan:
    """The plan of *query*, over nodes and spans.

    A fault is added at *path* where it asks for nothing; others at ``.text``, ``.text_fields[j]``, ``.vector``,
    ``.vector_field``, ``.also[j]``, ``.rescore``, ``.filter``, ``.vars.NAME``, ``.sort``, ``.sort[j]`` and ``.limit`` behind it.
    """
    if not query.filter.strip() and not query.text and query.vector is None:
        binding.faults.add(path, "asks for nothing: give a text, a vector, a filter, or several")
    binding.check_vars(query.vars, path=f"{path}.vars")
    return QueryPlan(
        predicate=binding.filter(
            query.filter, path=f"{path}.filter", over="nodes", vars=query.vars
        ),
        lists=plan_lists(query, binding, path=path),
        types=_type_table(query.types, binding.version),
        rescore=binding.expression(query.rescore, path=f"{path}.rescore", vars=query.vars),
        sort=plan_sort(query.sort, binding, path=f"{path}.sort", over="nodes"),
        limit=binding.number(f"{path}.limit", query.limit, limit),
    )


def _type_table(types: Sequence[str], version: Version) -> NDArray[np.uint8] | None:
    """By type of a node: 1 where it is among *types*. A type that there is not matches nothing."""
    if not types:
        return None
    table = np.zeros(len(version.types), dtype=np.uint8)
    numbers = version.types.find_all(types)
    table[numbers[numbers >= 0]] = 1
    return table
