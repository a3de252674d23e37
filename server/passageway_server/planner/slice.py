"""The plan of a Slice: a window of spans, or a page of one text.

Numbers outside their range are clamped unless the request asks for REJECT.
"""

from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.predicate import Source
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.fields import NODE_SHOWN
from passageway_server.planner.filters import unknown_field
from passageway_server.values.collections import Kind
from passageway_server.values.queries import Bounds
from passageway_server.values.requests import SliceRequest, TextPageRequest
from passageway_server.version.version import Version

_CONTENT = "content"


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A page of the string property *property*, None for the content of the row: of so many characters, or of as many as
    an answer of so many *tokens* holds.
    """

    property: str | None
    offset: int
    sha256: str
    max_chars: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class SlicePlan:
    """``max_chars`` is the budget of the whole window; with a ``page`` there is no window."""

    id: str
    window: int
    max_chars: int
    page: PagePlan | None
    applied: dict[str, int]


def plan_slice(request: SliceRequest, *, version: Version, gate: Gate) -> SlicePlan:
    """The plan of *request* for the holder of *gate*, a read gate.

    Raises InvalidRequest with all faults.
    """
    binding = Binding(version, gate, bounds=request.bounds or Bounds.CLAMP, vars={})
    if not request.id:
        binding.faults.add("id", "is empty; name a span, or the memory that it was cut from")
    plan = SlicePlan(
        id=request.id,
        window=binding.number("window", request.window, limits.WINDOW),
        max_chars=binding.number(
            "content_max_chars", request.content_max_chars, limits.WINDOW_CHARS
        ),
        page=None if request.page is None else _page(request.page, binding),
        applied=binding.applied,
    )
    binding.check()
    return plan


def _page(page: TextPageRequest, binding: Binding) -> PagePlan:
    max_chars = binding.number("page.max_chars", page.max_chars, limits.PAGE_CHARS)
    tokens = None
    if page.token_budget is not None:
        tokens = binding.number("page.token_budget", page.token_budget, limits.TOKENS)
        if page.max_chars is not None:
            binding.faults.add("page.token_budget", "goes with no max_chars: give one of them")
    property = _property(page.property, binding)
    return PagePlan(property, page.offset, page.sha256, max_chars, tokens)


def _property(name: str, binding: Binding) -> str | None:
    """The property whose text *name* asks for; None for the content, and where there is a fault."""
    if name == _CONTENT:
        return None
    field = None if name in NODE_SHOWN else binding.nodes.get(name)
    if field is None and name not in NODE_SHOWN:
        binding.faults.add("page.property", unknown_field(name, binding.nodes))
    elif (
        field is None
        or field.source != Source.PROPERTY
        or field.kind not in (Kind.KEYWORD, Kind.TEXT)
    ):
        message = f"{name!r} is not {_CONTENT!r}, nor a property of strings"
        binding.faults.add("page.property", message)
    else:
        return field.name
    return None
