"""A collection that is kept twice, by a server and by the oracle, commit by commit; versions go by their numbers.

The server names a version by a token, which it tells with each commit. Tokens are compared, never read.
"""

from collections.abc import Generator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message

from passageway.v1 import store_pb2
from tests.oracle import Refused
from tests.oracle.answers import graph_at
from tests.oracle.graph import Graph
from tests.oracle.history import History, dangling_edges
from tests.peers import OPERATOR, Caller, Peer, Reply, drop
from tests.properties.agreement import RESPONSES, disagreement
from tests.properties.calls import Call
from tests.properties.histories import SNAPSHOT, Keep, RandomHistory, Restore, Step, Update, take
from tests.properties.words import NAME, NOW_US


class Chronicle:
    """The collection, its versions by number, and the token of each."""

    def __init__(self, peer: Peer, settings: store_pb2.Collection) -> None:
        self.peer = peer
        self.history = History.of(settings)
        made = self._called(
            "CreateCollection", store_pb2.CreateCollectionRequest(collection=settings)
        )
        self.tokens = [made.read(store_pb2.Collection).version]
        self.graph = cache(self._graph)

    def take(self, step: Step) -> None:
        """Do what a step says, to both."""
        take(self.history, step)
        match step:
            case store_pb2.Batch():
                request = store_pb2.ApplyRequest(collection=NAME, batch=step)
                applied = self._called("Apply", request).read(store_pb2.ApplyResponse)
                assert applied.dangling_edges == dangling_edges(self.history.now)
                self.committed(applied.version)
            case Update():
                update = store_pb2.UpdateCollectionRequest(
                    collection=step.settings, update_mask=FieldMask(paths=step.names)
                )
                update.collection.name = NAME
                updated = self._called("UpdateCollection", update)
                self.committed(updated.read(store_pb2.Collection).version)
            case Keep():
                old = store_pb2.DeleteSnapshotRequest(collection=NAME, name=SNAPSHOT)
                self.peer.call("StoreService/DeleteSnapshot", old, caller=OPERATOR)
                kept = store_pb2.CreateSnapshotRequest(collection=NAME, name=SNAPSHOT)
                self._called("CreateSnapshot", kept)
            case Restore():
                back = store_pb2.RestoreSnapshotRequest(collection=NAME, name=SNAPSHOT)
                restored = self._called("RestoreSnapshot", back)
                self.committed(restored.read(store_pb2.Collection).version)

    def committed(self, token: str) -> None:
        """Note the token of a commit: another one, as wide as they all are."""
        assert token not in self.tokens
        assert len(token) == len(self.tokens[0])
        self.tokens.append(token)
        assert len(self.tokens) == len(self.history.worlds)
        self.graph = cache(self._graph)

    def at(self, version: int, call: Call) -> Call:
        """The same call, of a version."""
        method, request = call
        dated = deepcopy(request)
        dated.read.at_version = self.tokens[version]
        return method, dated

    def since(self, version: int, call: Call) -> Call:
        """The same call, of the newest version, which is this one or a later one."""
        method, request = call
        dated = deepcopy(request)
        dated.read.at_least_version = self.tokens[version]
        return method, dated

    def version_of(self, call: Call) -> int:
        """The number of the version that a call asks for; the newest unless it names one."""
        asked = call[1].read.at_version
        return self.tokens.index(asked) if asked else self.history.newest

    def seen(self, caller: Caller, version: int) -> Graph:
        """What a caller may find in a version, to draw calls from; of one that is not for it the bare graph."""
        graph = self.graph(caller, version)
        return (
            graph if isinstance(graph, Graph) else Graph(self.history.worlds[version], admin=False)
        )

    def every_id(self, version: int) -> list[str]:
        """The ids of all rows that a version has, or the newest."""
        worlds = (self.history.worlds[version], self.history.now)
        return sorted({row_id for world in worlds for row_id in (*world.nodes, *world.passages)})

    def difference(self, caller: Caller, call: Call) -> str:
        """How the server's answer differs from the oracle's, which names its version too; empty where it does not."""
        version = self.version_of(call)
        reply = self.peer.call(*call, caller=caller)
        different = disagreement(self.graph(caller, version), call, reply, now_us=NOW_US)
        if not different and reply.code == "OK":
            answer: Any = reply.read(RESPONSES[call[0]])
            if answer.version != self.tokens[version]:
                return f"version {answer.version} instead of {self.tokens[version]}"
        return different

    def _graph(self, caller: Caller, version: int) -> Graph | Refused:
        """What the oracle lets the caller see today of a version; the refusal where that is nothing."""
        try:
            return graph_at(self.history, caller.asker, version)
        except Refused as refused:
            return refused

    def _called(self, method: str, request: Message) -> Reply:
        reply = self.peer.call(f"StoreService/{method}", request, caller=OPERATOR)
        assert reply.code == "OK", f"{method}: {reply.code}: {reply.message}\n{request}"
        return reply


@contextmanager
def chronicled(peer: Peer, drawn: RandomHistory) -> Generator[Chronicle]:
    """The collection of *drawn*, made and filled; it lasts as long as the block."""
    chronicle = Chronicle(peer, drawn.settings)
    try:
        for batch in drawn.first:
            chronicle.take(batch)
        yield chronicle
    finally:
        drop(peer, NAME)


def told(drawn: RandomHistory, chronicle: Chronicle, caller: Caller, call: Call, what: str) -> str:
    """All that is needed to see what went wrong: the caller, the call, what differs; of a small history the steps."""
    taken = [*drawn.first, *drawn.steps][: chronicle.history.newest + 1]
    parts = [
        f"{call[0]} as {caller}, of {chronicle.version_of(call)} of {chronicle.history.newest}"
    ]
    parts += [str(call[1]), what]
    if len(chronicle.history.now.nodes) <= 12:
        parts += [
            str(drawn.settings),
            *(f"--- step {n}\n{step}" for n, step in enumerate(taken, 1)),
        ]
    return "\n".join(parts)
