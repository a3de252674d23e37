"""The one door of the oracle: a world, a request, a caller; out comes the whole answer."""

from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2, search_pb2
from tests.oracle.askers import Asker, Viewer, viewer, with_membership
from tests.oracle.context import context
from tests.oracle.describe import describe
from tests.oracle.expand import expand
from tests.oracle.get import get
from tests.oracle.graph import Graph
from tests.oracle.history import History
from tests.oracle.lookup import lookup
from tests.oracle.model import World
from tests.oracle.narrowed import asker_at, visible_at
from tests.oracle.pages import Place
from tests.oracle.paths import paths
from tests.oracle.refusals import Refused
from tests.oracle.search import search
from tests.oracle.slice import slice_
from tests.oracle.visible import visible_to


def graph_for(world: World, asker: Asker) -> Graph:
    """The collection as the caller, and each audience, may read it; NOT_FOUND where its users leave one out."""
    reading = _admitted(world, with_membership(world, asker))
    return Graph(visible_to(world, reading), admin=reading.admin)


def graph_at(history: History, asker: Asker, version: int | None = None) -> Graph:
    """A retained version as the caller, and each audience, may read it today; without a *version* the newest.

    NOT_FOUND where the users of the collection leave one out, whatever version is asked for; FAILED_PRECONDITION where
    that is not kept.
    """
    if version is None or version == history.newest:
        return graph_for(history.now, asker)
    _admitted(history.now, with_membership(history.now, asker))
    if version not in history.retained:
        raise Refused("FAILED_PRECONDITION")
    reading = _admitted(history.now, asker_at(history, version, asker))
    return Graph(visible_at(history, version, reading), admin=reading.admin)


def _admitted(world: World, asker: Asker) -> Viewer:
    """Whom the answer is for; the collection does not exist for those who are none of its users."""
    reading = viewer(asker)
    if world.settings.users and not reading.holds_any(world.settings.users):
        raise Refused("NOT_FOUND")
    return reading


def answer(
    world: World,
    method: str,
    request: Message,
    asker: Asker,
    *,
    now_us: int,
) -> Message:
    """The answer to a call such as ``GraphService/Expand``, with ``version`` empty and ``took_us`` 0.

    Raises `Refused` where the call must be refused. ``explored`` of Paths is left out; where `is_capped` says
    so, the server may know fewer paths than stand here. A page token is `MORE`, which opens nothing.
    """
    return answer_over(graph_for(world, asker), method, request, now_us=now_us)


def answer_over(
    graph: Graph, method: str, request: Message, *, now_us: int, after: Place | None = None
) -> Message:
    """The answer over a graph that `graph_for` made: several calls of one caller can share it.

    A Lookup whose page token is one that goes on gives the page *after* a place.
    """
    match method.rpartition("/")[2], request:
        case "Expand", graph_pb2.ExpandRequest():
            return expand(graph, request, now_us=now_us)
        case "Paths", graph_pb2.PathsRequest():
            return paths(graph, request, now_us=now_us)
        case "Slice", read_pb2.SliceRequest():
            return slice_(graph, request, now_us=now_us)
        case "Lookup", read_pb2.LookupRequest():
            return lookup(graph, request, now_us=now_us, after=after)
        case "Search", search_pb2.SearchRequest():
            return search(graph, request, now_us=now_us)
        case "Context", search_pb2.ContextRequest():
            return context(graph, request, now_us=now_us)
        case "Get", read_pb2.GetRequest():
            return get(graph, request, now_us=now_us)
        case "Describe", read_pb2.DescribeRequest():
            return describe(graph, request, now_us=now_us)
        case _:
            raise ValueError(f"the oracle knows no call {method!r} of {type(request).__name__}")
