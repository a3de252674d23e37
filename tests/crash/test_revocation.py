"""Rows that are taken from a reader while that one reads: no call that began after the acknowledgement shows them.

Each history puts a secret that ada reads, lets two threads read it in the ways there are, takes it away, reads it itself,
and waits for a read of each thread that began later. Where its readers are others now, a version from before shows it no
more either. Five such histories go on at the same time.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random

import pytest
from google.protobuf.message import Message

from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2, types_pb2
from tests.crash.sizes import HISTORIES, seed_of
from tests.peers import OPERATOR, Caller, LocalPeer, Peer, fill

NAME = "secrets"
ADA = Caller(sub="ada", principals=frozenset({"group:eng"}))
OPEN, SHUT = ["group:eng"], ["user:boss"]
TOGETHER = 5
"""Secrets that are taken away by one commit, all in the same way."""

Call = tuple[str, Message]


@dataclass(frozen=True, slots=True)
class Secret:
    """One history: a node with a span, and an edge from a hub to it, that hold a word which no request says."""

    number: int
    readers: tuple[str, ...] = tuple(OPEN)
    edge_readers: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        return f"word<{self.number}>"

    @property
    def id(self) -> str:
        return f"secret-{self.number}"

    def node(self) -> types_pb2.Node:
        node = types_pb2.Node(id=self.id, name=self.word, content=self.word, readers=self.readers)
        node.links["via"].values.append(f"{self.id}-edge")
        return node

    def edge(self) -> types_pb2.Edge:
        edge = types_pb2.Edge(id=f"{self.id}-edge", source="hub", target=self.id, type="T")
        edge.readers.extend(self.edge_readers)
        edge.properties["word"].string_value = self.word
        return edge

    def span(self) -> types_pb2.Passage:
        return types_pb2.Passage(id=f"{self.id}#0", parent_id=self.id, content=self.word)

    def put(self) -> store_pb2.Batch:
        batch = store_pb2.Batch(put_nodes=[self.node()], put_edges=[self.edge()])
        batch.put_passages.append(self.span())
        return batch

    def gone(self) -> store_pb2.Batch:
        return store_pb2.Batch(delete_nodes=[self.id, f"group:{self.number}"])


def tightened(secret: Secret) -> store_pb2.Batch:
    return store_pb2.Batch(put_nodes=[Secret(secret.number, tuple(SHUT)).node()])


def deleted(secret: Secret) -> store_pb2.Batch:
    return store_pb2.Batch(delete_nodes=[secret.id])


def tightened_and_recut(secret: Secret) -> store_pb2.Batch:
    batch = Secret(secret.number, tuple(SHUT)).put()
    batch.recut_parents.append(secret.id)
    return batch


def joined_with_another(secret: Secret) -> store_pb2.Batch:
    readers = ("group:eng & user:boss",)
    return store_pb2.Batch(put_nodes=[Secret(secret.number, readers).node()])


def left_the_group(secret: Secret) -> store_pb2.Batch:
    return store_pb2.Batch(delete_edges=[f"member-{secret.number}"])


WAYS: tuple[Callable[[Secret], store_pb2.Batch], ...] = (
    tightened,
    deleted,
    tightened_and_recut,
    joined_with_another,
    left_the_group,
)


def calls(secret: Secret, read: query_pb2.ReadOptions) -> list[Call]:
    """Ways to come by the word of a secret."""
    seeds = [graph_pb2.SeedGroup(ids=["hub"])]
    hops = [graph_pb2.Hop()]
    lookup = read_pb2.LookupRequest(collection=NAME, read=read, filter=f'id = "{secret.id}"')
    lookup.facets["names"].field = "name"
    edges = read_pb2.LookupRequest(
        collection=NAME,
        read=read,
        kind=read_pb2.LookupRequest.KIND_EDGES,
        filter=f'target = "{secret.id}"',
    )
    return [
        ("GraphService/Get", read_pb2.GetRequest(collection=NAME, read=read, ids=[secret.id])),
        ("GraphService/Lookup", lookup),
        ("GraphService/Lookup", edges),
        ("GraphService/Slice", read_pb2.SliceRequest(collection=NAME, read=read, id=secret.id)),
        (
            "GraphService/Slice",
            read_pb2.SliceRequest(collection=NAME, read=read, id=f"{secret.id}#0"),
        ),
        (
            "GraphService/Expand",
            graph_pb2.ExpandRequest(
                collection=NAME, read=read, seeds=seeds, hops=hops, with_subgraph=True, limit=-1
            ),
        ),
        (
            "GraphService/Paths",
            graph_pb2.PathsRequest(
                collection=NAME, read=read, sources=["hub"], targets=[secret.id]
            ),
        ),
    ]


def tells(peer: Peer, secret: Secret, call: Call) -> bool:
    """Whether the reply to ada has the word in it."""
    reply = peer.call(*call, caller=ADA)
    assert reply.code in ("OK", "NOT_FOUND", "INVALID_ARGUMENT"), reply.message
    told = reply.response + reply.details + reply.message.encode()
    return secret.word.encode() in told


def commit(peer: Peer, *batches: store_pb2.Batch) -> str:
    """Commit one batch of all of them; its version."""
    batch = store_pb2.Batch()
    for each in batches:
        batch.MergeFrom(each)
    request = store_pb2.ApplyRequest(collection=NAME, batch=batch)
    reply = peer.call("StoreService/Apply", request, caller=OPERATOR)
    return reply.read(store_pb2.ApplyResponse).version


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = LocalPeer()
    settings = store_pb2.Collection(name=NAME)
    settings.membership.node_id_template = "user:{sub}"
    settings.membership.edge_types.append("MEMBER_OF")
    people = store_pb2.Batch(
        put_nodes=[types_pb2.Node(id=id_, readers=["public"]) for id_ in ("hub", "user:ada")]
    )
    fill(peer, settings, [people])
    yield peer
    peer.close()


Asked = tuple[Secret, Call]


def read_until(peer: Peer, asked: Sequence[Asked], acknowledged: threading.Event) -> bool:
    """Read on until all calls have begun after *acknowledged*; whether one of these tells its word."""
    while True:
        later = acknowledged.is_set()
        told = [tells(peer, secret, call) for secret, call in asked]
        if later:
            return any(told)


def one_of_each(
    secrets: Sequence[Secret], read: query_pb2.ReadOptions, draw: Random
) -> list[Asked]:
    """A way to come by each of *secrets*."""
    return [(secret, draw.choice(calls(secret, read))) for secret in secrets]


def put_for(secret: Secret, way: Callable[[Secret], store_pb2.Batch]) -> store_pb2.Batch:
    """What ada sees for now: by her group, or where *way* is to leave one, by a group of the secret's own."""
    put = secret.put()
    if way is left_the_group:
        group = f"group:{secret.number}"
        put.put_nodes.add(id=group, readers=["public"])
        edge = f"member-{secret.number}"
        put.put_edges.add(id=edge, source="user:ada", target=group, type="MEMBER_OF")
    return put


def test_no_read_that_began_after_the_acknowledgement_sees_the_row(peer: Peer) -> None:
    draw = Random(seed_of(8))
    newest = query_pb2.ReadOptions()
    secrets: list[Secret] = []
    seen = 0
    with ThreadPoolExecutor(2) as threads:
        while seen < HISTORIES:
            way = WAYS[seen // TOGETHER % len(WAYS)]
            before = [secret.gone() for secret in secrets]
            secrets = [Secret(seen + number) for number in range(TOGETHER)]
            if way is left_the_group:
                secrets = [Secret(each.number, (f"group:{each.number}",)) for each in secrets]
            version = commit(peer, *before, *(put_for(secret, way) for secret in secrets))
            for secret, call in one_of_each(secrets, newest, draw):
                assert tells(peer, secret, call)
            acknowledged = threading.Event()
            reads = [
                threads.submit(read_until, peer, one_of_each(secrets, newest, draw), acknowledged)
                for _ in range(2)
            ]
            try:
                commit(peer, *(way(secret) for secret in secrets))
            finally:
                acknowledged.set()
            for secret, call in one_of_each(secrets, newest, draw):
                assert not tells(peer, secret, call), way.__name__
            assert not any(one.result() for one in reads), way.__name__
            if way is not deleted:  # a version from before holds what was deleted since
                old = query_pb2.ReadOptions(at_version=version)
                for secret, call in one_of_each(secrets, old, draw):
                    assert not tells(peer, secret, call), way.__name__
            seen += TOGETHER
    assert seen >= HISTORIES
