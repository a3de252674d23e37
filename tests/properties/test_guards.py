"""Guarded commits: each is taken, repeated or refused as the oracle says, whoever sends it.

Several writers, to whom other fields exist, edit the same rows by the revisions that they read, fresh or stale, with keys
that they use again.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from google.rpc import error_details_pb2, status_pb2
from hypothesis import given, settings

from passageway.v1 import read_pb2, store_pb2
from tests.oracle import Refused
from tests.oracle.history import Guard
from tests.peers import OPERATOR, Caller, LocalPeer, Peer, Reply
from tests.properties.chronicle import Chronicle, chronicled
from tests.properties.histories import Update, random_history
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NAME, NOW_US
from tests.properties.worlds import Author

WRITES = 12
WRITER = frozenset({"reader", "writer"})
KEYS = ("", "", "one", "two", "two", "k" * 257, "load/7f7f7f7f7f7f7f7f/1")
PARAMETERS = {"VERSION_MOVED": "if_version", "REVISIONS_MOVED": "if_revisions"}

Told = tuple[str, list[str], int | None]
"""The code, the parameters at fault, and the number of the version that holds the batch."""


@pytest.fixture(scope="module")
def peer() -> Iterator[LocalPeer]:
    peer = LocalPeer(now_us=lambda: NOW_US)
    yield peer
    peer.close()


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 20, 10))
def test_guarded_commits_are_taken_or_refused_as_by_the_oracle(
    peer: Peer, seed: int, nodes: int, edges: int
) -> None:
    drawn = random_history(seed, nodes, edges, steps=2)
    updates = [step.settings for step in drawn.steps if isinstance(step, Update)]
    for settings_ in (drawn.settings, *updates):  # whom its users leave out writes nothing
        del settings_.users[:]
    with chronicled(peer, drawn) as chronicle:
        for step in drawn.steps:
            chronicle.take(step)
        writing = _Writing(chronicle, Random(seed), nodes, edges)
        for _ in range(WRITES):
            writing.write()


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 50, 5))
def test_a_stream_is_told_of_each_batch_what_the_oracle_tells(
    peer: LocalPeer, seed: int, nodes: int, edges: int
) -> None:
    drawn = random_history(seed, nodes, edges, steps=4)
    batches = [step for step in (*drawn.first, *drawn.steps) if isinstance(step, store_pb2.Batch)]
    with chronicled(peer, replace(drawn, first=[])) as chronicle:
        wanted = chronicle.history.load(batches, writer=OPERATOR.asker)
        requests = [store_pb2.LoadRequest(collection=NAME, batch=batch) for batch in batches]
        responses, code = peer.stream("StoreService/Load", requests, caller=OPERATOR)
        loaded = [store_pb2.LoadResponse.FromString(response) for response in responses]

    tokens = [chronicle.tokens[0], *(one.version for one in loaded)]
    assert code == "OK"
    assert len(set(tokens)) == len(tokens)
    assert wanted == [
        (place, one.batch, one.nodes, one.edges, one.passages, one.dangling_edges)
        for place, one in enumerate(loaded, start=1)
    ]


class _Writing:
    """Writers at work, and the revisions that they have read."""

    def __init__(self, chronicle: Chronicle, rng: Random, nodes: int, edges: int) -> None:
        self.chronicle, self.rng = chronicle, rng
        self.author = Author(rng, nodes, edges)
        self.batches = [self.author.later() for _ in range(3)]
        held = frozenset(rng.sample(sorted(self.author.people.may_hold), 1))
        self.writers = [
            Caller("ada", held, WRITER),
            Caller("bob", roles=WRITER),
            Caller("bob", roles=WRITER | {"admin"}, audiences=(frozenset({"public"}),)),
        ]
        self.read: dict[str, list[str]] = {}

    def write(self) -> None:
        """Somebody reads, somebody writes: the server and the oracle say the same of it."""
        rng, history = self.rng, self.chronicle.history
        self._read_as(rng.choice(self.writers))
        writer, newest = rng.choice(self.writers), history.newest
        batch, faults = self._batch()
        guard = Guard(
            if_version=rng.choice((None, None, newest, newest, rng.randint(0, newest))),
            if_revisions=self._expected() if rng.random() < 0.5 else {},
            idempotency_key=rng.choice(KEYS),
        )
        moved = history.moved(guard.if_revisions, writer=writer.asker)
        wanted = self._wanted(batch, faults, guard, writer)
        reply = self._sent(batch, guard, writer)
        if history.newest > newest:
            token = reply.read(store_pb2.ApplyResponse).version
            self.chronicle.committed(token)
        assert self._told(reply) == wanted, f"{writer} {guard} {batch}"
        if wanted[1] == ["if_revisions"]:
            assert json.loads(_metadata(reply)["ids"]) == moved

    def _read_as(self, writer: Caller) -> None:
        ids = self.chronicle.every_id(self.chronicle.history.newest)
        request = read_pb2.GetRequest(collection=NAME, ids=self.rng.sample(ids, min(3, len(ids))))
        got = self.chronicle.peer.call("GraphService/Get", request, caller=writer)
        for row in got.read(read_pb2.GetResponse).nodes:
            self.read.setdefault(row.id, []).append(row.revision)

    def _expected(self) -> dict[str, str]:
        """Revisions that were read, mostly the last; seldom that a row is not there, or one of another row."""
        rng = self.rng
        expected = {
            row_id: self.read[row_id][-1]
            for row_id in rng.sample([*self.read], min(2, len(self.read)))
        }
        for row_id in expected:
            if rng.random() < 0.2:
                expected[row_id] = rng.choice([*self.read[row_id], "", "0" * 64])
        if rng.random() < 0.3:
            expected[rng.choice(("absent", *self.author.ids))] = ""
        return expected

    def _batch(self) -> tuple[store_pb2.Batch, list[str]]:
        """A batch, often one of a few that come again; seldom one that is refused for what it holds."""
        rng = self.rng
        if rng.random() < 0.1:
            bad = store_pb2.Batch()
            bad.put_nodes.add(id="bad").properties["price"].string_value = "dear"
            return bad, ["batch.put_nodes[0].properties.price"]
        return (rng.choice(self.batches) if rng.random() < 0.6 else self.author.later()), []

    def _wanted(
        self, batch: store_pb2.Batch, faults: list[str], guard: Guard, writer: Caller
    ) -> Told:
        try:
            applied = self.chronicle.history.apply(batch, guard, writer=writer.asker, faults=faults)
        except Refused as refused:
            return refused.code, sorted(refused.fields), None
        return "OK", [str(applied.dangling_edges)], applied.version

    def _sent(self, batch: store_pb2.Batch, guard: Guard, writer: Caller) -> Reply:
        tokens = self.chronicle.tokens
        request = store_pb2.ApplyRequest(
            collection=NAME,
            batch=batch,
            if_version="" if guard.if_version is None else tokens[guard.if_version],
            if_revisions=guard.if_revisions,
            idempotency_key=guard.idempotency_key,
        )
        return self.chronicle.peer.call("StoreService/Apply", request, caller=writer)

    def _told(self, reply: Reply) -> Told:
        if reply.code == "ABORTED":
            return reply.code, [PARAMETERS[_info(reply).reason]], None
        if reply.code != "OK":
            return reply.code, sorted(reply.faults()), None
        applied = reply.read(store_pb2.ApplyResponse)
        version = self.chronicle.tokens.index(applied.version)
        return reply.code, [str(applied.dangling_edges)], version


def _info(reply: Reply) -> error_details_pb2.ErrorInfo:
    """The reason of a refusal."""
    info = error_details_pb2.ErrorInfo()
    (_,) = (one for one in status_pb2.Status.FromString(reply.details).details if one.Unpack(info))
    return info


def _metadata(reply: Reply) -> dict[str, str]:
    return dict(_info(reply).metadata)
