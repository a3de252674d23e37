"""Slice: a span widened into a window, or one long text by pages."""

from dataclasses import replace

import numpy as np

from passageway_server.authz.callers import Caller
from passageway_server.engine.packing.paging import fullest
from passageway_server.engine.rows import node_rows
from passageway_server.engine.sizes import Size
from passageway_server.engine.slice import cited, memory_of, page_of, part_of, text_of, window_of
from passageway_server.errors import InvalidRequest, NotFound
from passageway_server.planner.slice import PagePlan, SlicePlan, plan_slice
from passageway_server.service.pin import Pinned, pin
from passageway_server.values.answers import SliceAnswer
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import SliceRequest
from passageway_server.version.catalog import Catalog


def slice_(
    store: Catalog, caller: Caller, request: SliceRequest, halt: Halt = UNHALTED
) -> SliceAnswer:
    """The window around a span or at the start of a memory; with a page asked for, that page.

    Absent, hidden, of a hidden parent, out of the project: one and the same NotFound.
    """
    pinned = pin(store, caller, request.collection, request.read, halt)
    version = pinned.version
    plan = plan_slice(request, version=version, gate=pinned.gates.read)
    row = version.nodes.ids.find(plan.id)
    if row < 0 or not version.gates.open(pinned.gates.scope, np.array([row]))[0]:
        raise NotFound("row", plan.id)
    memory = memory_of(version, row)
    nodes, size = version.nodes, Size()
    for strings, column in (
        (version.texts, nodes.name),
        (version.types.strings, nodes.type),
        (version.projects.strings, nodes.project),
    ):
        size.add_texts(strings, column[np.array([memory])])
    answer = SliceAnswer(
        version.token,
        plan.id,
        parent_id=nodes.ids[memory],
        parent_name=version.texts[int(nodes.name[memory])],
        parent_type=version.types[int(nodes.type[memory])],
        project=version.projects[int(nodes.project[memory])],
        applied=plan.applied,
    )
    if plan.page is not None:
        return _with_page(answer, pinned, row, plan.page, size)
    return _with_window(answer, pinned, row, plan, size)


def _with_window(
    answer: SliceAnswer, pinned: Pinned, row: int, plan: SlicePlan, size: Size
) -> SliceAnswer:
    window = window_of(
        pinned.version,
        row,
        read=pinned.gates.read,
        scope=pinned.gates.scope,
        size=plan.window,
        max_chars=plan.max_chars,
        admin=pinned.caller.admin,
        answer=size,
    )
    return replace(
        answer,
        passages=window.passages,
        window=plan.window,
        sliced=window.sliced,
        total=len(window.passages),
        window_start=window.start,
        passage_total=window.passage_total,
        covers_parent=window.covers_parent,
        content_chars=sum(len(passage.content) for passage in window.passages),
    )


def _with_page(
    answer: SliceAnswer, pinned: Pinned, row: int, plan: PagePlan, size: Size
) -> SliceAnswer:
    version = pinned.version
    text = text_of(version, row, plan.property)
    if text is None:
        raise InvalidRequest.one("page.property", "the row has no such text")
    page = page_of(text, offset=plan.offset, max_chars=plan.max_chars, sha256=plan.sha256)
    beside = node_rows(
        version,
        pinned.gates.read,
        [row],
        selection=cited(version),
        max_chars=0,
        admin=pinned.caller.admin,
        size=size,
    )
    answer = replace(answer, passages=beside, total=1, page=page)
    if plan.tokens is None:
        return answer
    return fullest(
        answer,
        lambda chars: part_of(text, page.offset, chars, page.sha256),
        page.total_chars - page.offset,
        plan.tokens,
    )
