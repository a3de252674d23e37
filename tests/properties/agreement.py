"""Whether a reply is the oracle's answer, and how to say that it is not."""

import difflib
from collections.abc import Iterable

from google.protobuf import text_format
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2, search_pb2
from tests.oracle import Refused
from tests.oracle.answers import answer_over
from tests.oracle.graph import Graph
from tests.oracle.pages import MORE, Place
from tests.oracle.paths import is_capped, paths
from tests.peers import Caller, Reply
from tests.properties.calls import Call
from tests.properties.words import NOW_US
from tests.properties.worlds import RandomWorld

RESPONSES: dict[str, type[Message]] = {
    "GraphService/Expand": graph_pb2.ExpandResponse,
    "GraphService/Paths": graph_pb2.PathsResponse,
    "GraphService/Slice": read_pb2.SliceResponse,
    "GraphService/Lookup": read_pb2.LookupResponse,
    "GraphService/Search": search_pb2.SearchResponse,
    "GraphService/Context": search_pb2.ContextResponse,
    "GraphService/Get": read_pb2.GetResponse,
    "GraphService/Describe": read_pb2.DescribeResponse,
}

_MOST_SHOWN = 15


def disagreement(
    graph: Graph | Refused,
    call: Call,
    reply: Reply,
    *,
    after: Place | None = None,
    now_us: int = NOW_US,
) -> str:
    """How the *reply* differs from the oracle's answer; empty where it does not.

    Not compared: version tokens, the time taken, ``explored``, what a search that met a cap left out, the
    digest of the ontology, and what a page token is: whether there is one is. A page token in the request is one
    that goes on *after* a place, or without a place one that does not.
    """
    method = call[0]
    try:
        if isinstance(graph, Refused):
            raise graph
        expected = _expected(graph, call, reply, after=after, now_us=now_us)
    except Refused as refused:
        got = [f"code: {reply.code}", *sorted(_faults(reply))]
        wanted = [f"code: {refused.code}"]
        if refused.code == "INVALID_ARGUMENT":
            wanted += sorted(refused.fields)
        if got == wanted:
            return ""
        return _differ(wanted, [*got, f"message: {reply.message}"])
    if reply.code != "OK":
        return _differ(
            str(expected).splitlines(),
            [f"code: {reply.code}", f"message: {reply.message}", *sorted(_faults(reply))],
        )
    got_message = reply.without_tokens(RESPONSES[method]).read(RESPONSES[method])
    if isinstance(got_message, graph_pb2.PathsResponse):
        got_message.ClearField("explored")
    if isinstance(got_message, read_pb2.DescribeResponse):
        got_message.ClearField("revision")
    if isinstance(got_message, read_pb2.LookupResponse) and got_message.next_page_token:
        got_message.next_page_token = MORE
    if got_message == expected:
        return ""
    return _differ(_lines(expected), _lines(got_message))


def _expected(
    graph: Graph, call: Call, reply: Reply, *, after: Place | None, now_us: int
) -> Message:
    method, request = call
    if isinstance(request, graph_pb2.PathsRequest) and is_capped(graph, request):
        found = graph_pb2.PathsResponse.FromString(reply.response)
        among = [tuple(path.node_ids) for path in found.paths]
        expected = paths(graph, request, now_us=now_us, among=among)
        expected.truncated = found.truncated
        return expected
    return answer_over(graph, method, request, now_us=now_us, after=after)


def _faults(reply: Reply) -> Iterable[str]:
    return reply.faults() if reply.code == "INVALID_ARGUMENT" else ()


def _lines(message: Message) -> list[str]:
    return text_format.MessageToString(message, as_utf8=True).splitlines()


def _differ(expected: Iterable[str], got: Iterable[str]) -> str:
    lines = difflib.unified_diff(list(expected), list(got), "oracle", "server", lineterm="", n=8)
    return "\n".join(lines)


def story(drawn: RandomWorld, caller: Caller, call: Call, difference: str) -> str:
    """All that is needed to see what went wrong: the caller, the call, the difference, a small world whole."""
    method, request = call
    parts = [
        f"{method} as {caller}:",
        text_format.MessageToString(request, as_utf8=True),
        difference,
    ]
    if len(drawn.world.nodes) <= _MOST_SHOWN:
        parts += [text_format.MessageToString(drawn.settings, as_utf8=True)]
        parts += [text_format.MessageToString(batch, as_utf8=True) for batch in drawn.batches]
    return "\n".join(parts)
