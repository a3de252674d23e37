"""The order that a request asks for, bound to fields that the caller knows."""

from collections.abc import Sequence

from passageway_server.engine.predicate import Over
from passageway_server.engine.sorting import SortKey
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.values.collections import Kind


def plan_sort(
    names: Sequence[str], binding: Binding, *, path: str, over: Over
) -> tuple[SortKey, ...]:
    """The keys that *names* are: a field each, with ``-`` before it for descending.

    One that came before decides nothing, and is left out. The same field the other way may decide: a list
    stands by its smallest value upward, by its largest downward.

    Faults are added at *path* where there are too many, and at ``path[j]``.
    """
    if len(names) > limits.SORT_KEYS:
        binding.faults.add(path, f"has {len(names)} fields; at most {limits.SORT_KEYS}")
    keys: list[SortKey] = []
    for j, name in enumerate(names):
        field = binding.field(name.removeprefix("-"), path=f"{path}[{j}]", over=over)
        if field is not None and field.kind == Kind.VECTOR:
            binding.faults.add(f"{path}[{j}]", f"{field.name} is a vector, which has no order")
        elif field is not None:
            keys.append(SortKey(field, descending=name.startswith("-")))
    return tuple(dict.fromkeys(keys))
