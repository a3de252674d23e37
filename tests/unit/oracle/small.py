"""Small worlds by hand, and calls on them, for tests whose expected values are literal."""

from collections.abc import Iterable
from typing import Any, TypeVar

from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from tests.oracle import World, answer
from tests.oracle.askers import Asker

NOW_US = 1_750_000_000_000_000
ADA = frozenset({"public", "user:ada"})

Put = types_pb2.Node | types_pb2.Edge | types_pb2.Passage
MessageT = TypeVar("MessageT", bound=Message)


def node(id: str, *, readers: Iterable[str] = ("public",), **fields: Any) -> types_pb2.Node:
    """A node that everybody reads, unless told otherwise."""
    return types_pb2.Node(id=id, readers=readers, **fields)


def edge(source: str, target: str, weight: float | None = None, **fields: Any) -> types_pb2.Edge:
    """An edge document of type T, its id made of its ends."""
    fields = {"id": f"{source}{target}", "type": "T"} | fields
    return types_pb2.Edge(source=source, target=target, weight=weight, **fields)


def span(id: str, parent: str, index: int = 0, **fields: Any) -> types_pb2.Passage:
    return types_pb2.Passage(id=id, parent_id=parent, index=index, **fields)


def batch(*puts: Put, **deletes: Any) -> store_pb2.Batch:
    """A batch of puts, in their order, and of deletes."""
    return store_pb2.Batch(
        put_nodes=[put for put in puts if isinstance(put, types_pb2.Node)],
        put_edges=[put for put in puts if isinstance(put, types_pb2.Edge)],
        put_passages=[put for put in puts if isinstance(put, types_pb2.Passage)],
        **deletes,
    )


def world(*puts: Put, **settings: Any) -> World:
    """A world of one batch."""
    return World.of(store_pb2.Collection(**settings), [batch(*puts)])


def nodes(ids: str, **fields: Any) -> list[types_pb2.Node]:
    """A node for each word of *ids*."""
    return [node(id, **fields) for id in ids.split()]


def text(value: str) -> types_pb2.Value:
    return types_pb2.Value(string_value=value)


def number(value: float) -> types_pb2.Value:
    if isinstance(value, int):
        return types_pb2.Value(int_value=value)
    return types_pb2.Value(double_value=value)


def words(*values: str) -> types_pb2.Value:
    return types_pb2.Value(strings=types_pb2.StringList(values=values))


def moment(micros: int) -> types_pb2.Value:
    """A time, from microseconds since 1970."""
    value = types_pb2.Value()
    value.time_value.FromMicroseconds(micros)
    return value


def ask(world: World, request: Message, expected: type[MessageT], **caller: Any) -> MessageT:
    """The oracle's answer, to Ada unless told otherwise."""
    method = expected.DESCRIPTOR.name.removesuffix("Response")
    asked: dict[str, Any] = {"sub": "ada", "principals": ADA} | caller
    answered = answer(world, f"GraphService/{method}", request, Asker(**asked), now_us=NOW_US)
    assert isinstance(answered, expected)
    return answered


def expand(
    world: World,
    ids: str,
    *hops: graph_pb2.Hop,
    as_: dict[str, Any] | None = None,
    **options: Any,
) -> graph_pb2.ExpandResponse:
    """An Expand of all hits from the words of *ids*, or from the ``seeds`` among the options."""
    one_group: dict[str, Any] = {"seeds": [graph_pb2.SeedGroup(ids=ids.split())], "limit": -1}
    request = graph_pb2.ExpandRequest(**(one_group | options), hops=hops)
    return ask(world, request, graph_pb2.ExpandResponse, **(as_ or {}))


def hop(**options: Any) -> graph_pb2.Hop:
    """A hop; options of its edge spec are passed in ``edges``."""
    edges = query_pb2.EdgeSpec(**options.pop("edges", {}))
    return graph_pb2.Hop(edges=edges, **options)


def scores(answer: graph_pb2.ExpandResponse) -> dict[str, float]:
    """The scores by id, in the order of the hits."""
    return {hit.node.id: hit.score for hit in answer.hits}


def paths(world: World, sources: str, targets: str, **options: Any) -> graph_pb2.PathsResponse:
    request = graph_pb2.PathsRequest(sources=sources.split(), targets=targets.split(), **options)
    return ask(world, request, graph_pb2.PathsResponse)


def routes(answer: graph_pb2.PathsResponse) -> list[str]:
    """The node lists of the paths, each as words."""
    return [" ".join(path.node_ids) for path in answer.paths]


def lookup(world: World, filter: str, **options: Any) -> list[str]:
    """The ids that pass a filter."""
    request = read_pb2.LookupRequest(filter=filter, page_size=100, **options)
    return [row.id for row in ask(world, request, read_pb2.LookupResponse).nodes]
