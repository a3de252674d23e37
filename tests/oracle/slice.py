"""Slice: a window of a memory's spans, or one page of one text."""

import hashlib
import json

from passageway import SliceResponse
from passageway.v1 import read_pb2, types_pb2
from tests.oracle.graph import Graph, Row, Scope
from tests.oracle.refusals import Checks, Refused
from tests.oracle.shown import MOST_PREVIEW, cited_message, cut, is_text, node_message, text_of
from tests.oracle.writing import MOST_BUDGET, TEN_DIGITS, TOKEN


def slice_(graph: Graph, request: read_pb2.SliceRequest, *, now_us: int) -> read_pb2.SliceResponse:
    """The answer to a Slice over a graph of which the caller may read everything."""
    checks = Checks(request.bounds, unspecified_clamps=True)
    checks.need(request.id != "", "id")
    window = checks.number(
        "window", request.window if request.HasField("window") else 3, low=1, high=64
    )
    budget = checks.number(
        "content_max_chars",
        request.content_max_chars if request.HasField("content_max_chars") else 18_000,
        low=0,
        high=MOST_PREVIEW,
    )
    page = request.page if request.HasField("page") else None
    page_chars = 0
    if page is not None:
        page_chars = checks.number(
            "page.max_chars",
            page.max_chars if page.HasField("max_chars") else 18_000,
            low=1,
            high=MOST_PREVIEW,
        )
        checks.need(is_text(graph, page.property), "page.property")
        if page.HasField("token_budget"):
            checks.number("page.token_budget", page.token_budget, low=256, high=MOST_BUDGET)
            checks.need(not page.HasField("max_chars"), "page.token_budget")
    checks.done()

    scope = Scope(graph, request.read, now_us=now_us)
    if request.id not in scope:
        raise Refused("NOT_FOUND")
    row = graph.rows[request.id]
    memory = graph.rows[row.span.parent_id] if row.span is not None else row
    answer = read_pb2.SliceResponse(
        id=row.id,
        parent_id=memory.id,
        parent_name=memory.name,
        parent_type=memory.type,
        project=memory.project,
        applied=checks.applied,
    )
    if page is not None:
        _turn(graph, row, page, page_chars, answer)
        return answer
    answer.window = window
    spans = [span for span in graph.spans_of(memory.id) if span.id in scope]
    if not spans:
        (shown,) = _spent(graph, [memory], budget)
        answer.passages.append(shown)
        answer.total = 1
        answer.content_chars = len(shown.content)
        answer.covers_parent = not shown.content_truncated
        return answer
    start = 0
    if row.span is not None:
        place = [span.id for span in spans].index(row.id)
        start = min(max(place - (window - 1) // 2, 0), max(len(spans) - window, 0))
    shown_spans = _spent(graph, spans[start : start + window], budget)
    answer.passages.extend(shown_spans)
    answer.sliced = True
    answer.total = len(shown_spans)
    answer.content_chars = sum(len(span.content) for span in shown_spans)
    answer.window_start = shown_spans[0].span.index
    declared = {
        span.span.total for span in spans if span.span is not None and span.span.HasField("total")
    }
    if len(declared) == 1:
        (answer.passage_total,) = declared
        answer.covers_parent = (
            memory.covered
            and answer.passage_total > 0
            and len(shown_spans) == len(spans)
            and set(range(answer.passage_total)) <= {span.span.index for span in shown_spans}
            and not any(span.content_truncated for span in shown_spans)
        )
    return answer


def _spent(graph: Graph, rows: list[Row], budget: int) -> list[types_pb2.Node]:
    """The rows in order, their contents within *budget* characters: one is cut, those after it are empty."""
    shown: list[types_pb2.Node] = []
    for row in rows:
        node = node_message(graph, row, [], preview=None)
        node.content = cut(row.content, budget)
        node.content_truncated = node.content != row.content
        budget = 0 if node.content_truncated else budget - len(row.content)
        shown.append(node)
    return shown


def _turn(
    graph: Graph,
    row: Row,
    page: read_pb2.TextPageRequest,
    max_chars: int,
    answer: read_pb2.SliceResponse,
) -> None:
    """Fill in one page of one text, and the row that it belongs to."""
    text = text_of(graph, row, page.property)
    if text is None:
        raise Refused("INVALID_ARGUMENT", ["page.property"])
    digest = hashlib.sha256(text.encode()).hexdigest()
    if page.sha256 and page.sha256 != digest:
        raise Refused("FAILED_PRECONDITION")
    if page.offset > len(text):
        raise Refused("INVALID_ARGUMENT", ["page.offset"])
    answer.passages.append(cited_message(graph, row))
    answer.total = 1
    rest = len(text) - page.offset
    if not page.HasField("token_budget"):
        _show(answer, text, page.offset, min(max_chars, rest))
        return
    most = 4 * min(max(page.token_budget, 256), MOST_BUDGET)
    for chars in range(rest, min(rest, 1) - 1, -1):
        _show(answer, text, page.offset, chars)
        if size_of(answer) <= most:
            return
    raise Refused("INVALID_ARGUMENT", ["page.token_budget"])


def size_of(answer: read_pb2.SliceResponse) -> int:
    """The bytes of an answer as compact JSON, its token and the time that it took as wide as they may be."""
    written = read_pb2.SliceResponse(version=TOKEN, took_us=TEN_DIGITS)
    written.MergeFrom(answer)
    plain = SliceResponse.from_message(written).to_dict()
    return len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())


def _show(answer: read_pb2.SliceResponse, text: str, offset: int, chars: int) -> None:
    end = offset + chars
    answer.page.CopyFrom(
        read_pb2.TextPage(
            text=text[offset:end],
            offset=offset,
            total_chars=len(text),
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            truncated=(offset, end) != (0, len(text)),
        )
    )
    if end < len(text):
        answer.page.next_offset = end
