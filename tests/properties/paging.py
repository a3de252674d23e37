"""Lookups that go on: the request for the page after a reply, and requests that its token is not for."""

from collections.abc import Iterable, Iterator
from random import Random

from passageway.v1 import query_pb2, read_pb2
from tests.oracle.graph import Graph
from tests.oracle.lookup import place_in
from tests.oracle.pages import Place
from tests.peers import Caller, Peer, Reply
from tests.properties.agreement import RESPONSES
from tests.properties.calls import Call

LOOKUP = "GraphService/Lookup"


def next_page(call: Call, reply: Reply, *, page_size: int) -> read_pb2.LookupRequest | None:
    """The request for the page after *reply*, of a size of its own; None where no page follows."""
    request = call[1]
    if not isinstance(request, read_pb2.LookupRequest) or reply.code != "OK":
        return None
    token = reply.read(read_pb2.LookupResponse).next_page_token
    if not token:
        return None
    following = read_pb2.LookupRequest()
    following.CopyFrom(request)
    following.page_token, following.page_size = token, page_size
    return following


def ended_at(graph: Graph, call: Call, reply: Reply, *, now_us: int) -> Place:
    """Where the page that *reply* shows ended, *graph* being as its caller saw it then."""
    request, answer = call[1], reply.read(read_pb2.LookupResponse)
    assert isinstance(request, read_pb2.LookupRequest)
    last = answer.edges[-1].id if answer.edges else answer.nodes[-1].id
    return place_in(graph, request, last, now_us=now_us)


def conversation(peer: Peer, caller: Caller, call: Call, *, pages: int = 3) -> Iterator[Reply]:
    """The reply to a call, and to the next requests for pages, each of another size."""
    method, request = call
    for size in range(1, pages + 1):
        reply = peer.call(method, request, caller=caller)
        yield reply
        following = next_page((method, request), reply, page_size=size)
        if following is None:
            return
        request = following


def another(request: read_pb2.LookupRequest, rng: Random) -> read_pb2.LookupRequest:
    """The request with the same token, but asking for something else."""
    other = read_pb2.LookupRequest()
    other.CopyFrom(request)
    match rng.randrange(4):
        case 0:
            other.sort.append("id")
        case 1:
            other.facets["added"].CopyFrom(query_pb2.Facet(field="type"))
        case 2:
            other.filter = f"({request.filter}) AND id:*" if request.filter.strip() else "id:*"
        case _:
            other.page_token = request.page_token[::-1]
    return other


Replies = list[list[Reply]]
"""Of each call: the reply, and those to the next pages where there are some."""


def replies(peer: Peer, caller: Caller, calls: Iterable[Call]) -> Replies:
    """What a caller is told, without version tokens and times, call by call and page by page."""
    return [
        [reply.without_tokens(RESPONSES[call[0]]) for reply in conversation(peer, caller, call)]
        for call in calls
    ]


def first_difference(calls: Iterable[Call], before: Replies, after: Replies) -> str:
    """The first call that was answered in two ways, and both; empty where there is none."""
    for call, one, other in zip(calls, before, after, strict=True):
        if one != other:
            told = ["\n".join(_told(call, reply) for reply in pages) for pages in (one, other)]
            return "\n".join([call[0], str(call[1]), told[0], "----- and now -----", told[1]])
    return ""


def _told(call: Call, reply: Reply) -> str:
    if reply.code == "OK":
        return str(reply.read(RESPONSES[call[0]]))
    return f"{reply.code}: {reply.message}\n{reply.details!r}\n{reply.trailers}"
