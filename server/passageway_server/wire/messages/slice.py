"""Slice: its request, and its answer as a window of spans or a page of text."""

from passageway.v1 import read_pb2
from passageway_server.values.answers import SliceAnswer
from passageway_server.values.halt import Halt
from passageway_server.values.requests import SliceRequest, TextPageRequest
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.options import bounds, optional, read_options
from passageway_server.wire.messages.rows import set_node


def from_message(message: read_pb2.SliceRequest, findings: Findings) -> SliceRequest:
    return SliceRequest(
        collection=message.collection,
        id=message.id,
        read=read_options(message.read, findings),
        window=optional(message, "window"),
        content_max_chars=optional(message, "content_max_chars"),
        page=_page(message.page) if message.HasField("page") else None,
        bounds=bounds(message.bounds, findings),
    )


def to_message(answer: SliceAnswer, halt: Halt) -> read_pb2.SliceResponse:
    message = read_pb2.SliceResponse(
        version=answer.version,
        id=answer.id,
        parent_id=answer.parent_id,
        parent_name=answer.parent_name,
        parent_type=answer.parent_type,
        window=answer.window,
        sliced=answer.sliced,
        total=answer.total,
        window_start=answer.window_start,
        passage_total=answer.passage_total,
        covers_parent=answer.covers_parent,
        project=answer.project,
        content_chars=answer.content_chars,
        applied=answer.applied,
        took_us=answer.took_us,
    )
    for passage in paced(answer.passages, halt):
        set_node(message.passages.add(), passage)
    page = answer.page
    if page is not None:
        message.page.CopyFrom(
            read_pb2.TextPage(
                text=page.text,
                offset=page.offset,
                next_offset=page.next_offset,
                total_chars=page.total_chars,
                sha256=page.sha256,
                truncated=page.truncated,
            )
        )
    return message


def _page(message: read_pb2.TextPageRequest) -> TextPageRequest:
    return TextPageRequest(
        property=message.property,
        offset=message.offset,
        sha256=message.sha256,
        max_chars=optional(message, "max_chars"),
        token_budget=optional(message, "token_budget"),
    )
