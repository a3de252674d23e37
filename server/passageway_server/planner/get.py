"""The plan of a Get: which ids, and what to show of their rows."""

from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.selection import EVERYTHING_REVISED, Selection
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.values.queries import Bounds
from passageway_server.values.requests import GetRequest
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class GetPlan:
    """``ids`` each once, in the order asked; ``max_chars`` None gives whole contents."""

    ids: tuple[str, ...]
    selection: Selection
    max_chars: int | None


def plan_get(request: GetRequest, *, version: Version, gate: Gate) -> GetPlan:
    """The plan of *request* for the holder of *gate*, a read gate.

    Raises InvalidRequest with all faults.
    """
    binding = Binding(version, gate, bounds=Bounds.REJECT, vars={})
    ids, max_chars, most = request.ids, request.content_max_chars, limits.GET_IDS
    if not 0 < len(ids) <= most:
        binding.faults.add("ids", f"holds {len(ids)} ids; at least 1 and at most {most}")
    if max_chars is not None:
        binding.number("content_max_chars", max_chars, limits.CONTENT_CHARS)
    selection = binding.node_fields(request.fields)
    if selection.everything:
        selection = EVERYTHING_REVISED
    binding.check()
    return GetPlan(tuple(dict.fromkeys(ids)), selection, max_chars)
