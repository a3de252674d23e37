"""A collection that is written, taken back and crashed in any order: after each step it is what the oracle says.

It is read as several callers, older versions too; its files pass verification; and what a caller may not read changes
nothing of what it is told.
"""

import copy
from functools import cache
from random import Random

from google.protobuf.message import Message
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from passageway.v1 import read_pb2, store_pb2, types_pb2
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.verification import verify_folder
from passageway_server.version.store import Store
from passageway_server.wire.dispatch import Dispatch
from passageway_server.wire.server import CALLS
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.sizes import scaled
from tests.crash.stories import stop_threads
from tests.oracle.graph import Graph
from tests.oracle.history import History
from tests.peers import OPERATOR, LocalPeer, filled
from tests.properties.calls import FEW, random_calls
from tests.properties.chronicle import Chronicle
from tests.properties.histories import Keep, Restore, Step, Update
from tests.properties.paging import first_difference, replies
from tests.properties.rebuilds import batch_of, readable, settings_of, with_its_memberships
from tests.properties.words import HIDDEN, NAME, NOW_US
from tests.properties.worlds import Author

LISTING = "GraphService/Lookup", read_pb2.LookupRequest(collection=NAME, page_size=1_000)


class StorePeer(LocalPeer):
    """A server over a directory that forgets."""

    def __init__(self, directory: ForgettingDirectory) -> None:
        super().__init__(now_us=lambda: NOW_US)
        self.directory = directory
        self.store = Store(DataFolder(directory), now=lambda: NOW_US)
        self._server._store = self.store
        self._server._dispatch = Dispatch(self.store, CALLS, stopwatch=lambda: 0)

    def end(self) -> None:
        """Stop as one that is killed."""
        stop_threads(self.store)


class CrashingCollection(RuleBasedStateMachine):
    """The steps, each of which may be broken off."""

    peer: StorePeer
    chronicle: Chronicle
    elsewhere: LocalPeer

    @initialize(seed=st.integers(0, 2**32 - 1))
    def begin(self, seed: int) -> None:
        self.rng = Random(seed)
        self.author = Author(self.rng, self.rng.randint(4, 10), self.rng.randint(0, 12))
        self.callers = self.author.people.callers()
        self.kept = False
        made = self.author.settings()
        if self.rng.random() < 0.5:
            made.retain_versions = self.rng.choice((1, 2, 4, 20))
        self.peer = StorePeer(ForgettingDirectory())
        self.elsewhere = LocalPeer(now_us=lambda: NOW_US)
        self.chronicle = Chronicle(self.peer, made)
        for batch in self.author.first():
            self.chronicle.take(batch)

    # What writers and operators do.

    def _written(self) -> Step:
        return self.author.later()

    def _deleted(self) -> Step:
        now = self.chronicle.history.now
        rows, edges = [*now.nodes, *now.passages], [*now.edges]
        batch = store_pb2.Batch(delete_nodes=self.rng.sample(rows, min(len(rows), 2)))
        batch.delete_edges.extend(self.rng.sample(edges, min(len(edges), 2)))
        return batch

    def _retightened(self) -> Step:
        batch, nodes = store_pb2.Batch(), [*self.chronicle.history.now.nodes.values()]
        for node in self.rng.sample(nodes, min(len(nodes), 3)):
            put = types_pb2.Node()
            put.CopyFrom(node)
            put.readers[:] = self.rng.choice(([HIDDEN], [], ["public"], self.author.readers()))
            batch.put_nodes.append(put)
        return batch

    def _recut(self) -> Step:
        parent = self.rng.choice(self.author.few)
        batch = store_pb2.Batch(recut_parents=[parent])
        for index, span_id in enumerate(self.author.span_ids[:3]):
            span = self.author.passage(span_id)
            span.parent_id, span.index = parent, index
            batch.put_passages.append(span)
        return batch

    def _updated(self) -> Step:
        readers = self.rng.choice(([], ["public"], self.author.readers()))
        return Update(store_pb2.Collection(default_readers=readers), ("default_readers",))

    def _any_step(self) -> Step:
        steps = [self._written, self._deleted, self._retightened, self._recut, self._updated]
        if self.kept:
            steps.append(Restore)
        return self.rng.choice(steps)()

    @rule()
    def write(self) -> None:
        self.chronicle.take(self._written())

    @rule()
    def delete(self) -> None:
        self.chronicle.take(self._deleted())

    @rule()
    def retighten(self) -> None:
        self.chronicle.take(self._retightened())

    @rule()
    def recut(self) -> None:
        self.chronicle.take(self._recut())

    @rule()
    def update(self) -> None:
        self.chronicle.take(self._updated())

    @rule()
    def keep(self) -> None:
        self.chronicle.take(Keep())
        self.kept = True

    @precondition(lambda self: self.kept)
    @rule()
    def restore(self) -> None:
        self.chronicle.take(Restore())

    @rule()
    def checkpoint(self) -> None:
        request: Message = store_pb2.CreateSnapshotRequest(collection=NAME)
        reply = self.peer.call("StoreService/CreateSnapshot", request, caller=OPERATOR)
        assert reply.code == "OK", reply.message

    # What becomes of the server.

    @rule()
    def crash(self) -> None:
        """The machine stops between two steps."""
        self._recover(self.peer.directory.crashed(self.rng))
        self._nothing_is_lost()

    @rule()
    def kill(self) -> None:
        """The process ends between two steps."""
        self._recover(self.peer.directory.whole())
        self._nothing_is_lost()

    @rule()
    def stop(self) -> None:
        """The server stops as it is asked to, and the machine with it."""
        self.peer.store.close()
        self._recover(self.peer.directory.crashed(self.rng))
        self._nothing_is_lost()

    @rule()
    def crash_within_a_step(self) -> None:
        """The machine stops before a step is acknowledged: it was taken, or it was not."""
        before, begun = _copied(self.chronicle.history), self.peer.directory.operations
        self.chronicle.take(self._any_step())
        after = self.rng.randint(begun, self.peer.directory.operations)
        self._recover(self.peer.directory.crashed(self.rng, after=after))
        if self._token() != self.chronicle.tokens[-1]:
            self.chronicle.history = before
            self.chronicle.tokens.pop()
            assert self._token() == self.chronicle.tokens[-1]
        self._forget_older_ones()

    def _recover(self, directory: ForgettingDirectory) -> None:
        """Begin anew with what is there."""
        assert self.peer.directory.misuses == []
        self.peer.end()
        found = DataFolder(directory).collection(NAME).recover().snapshot
        self.snapshot = found.version.number - 1  # the oracle counts from 0
        self.peer = self.chronicle.peer = StorePeer(directory)
        assert not self.peer.store.damaged

    def _nothing_is_lost(self) -> None:
        assert self._token() == self.chronicle.tokens[-1]
        self._forget_older_ones()

    def _forget_older_ones(self) -> None:
        """Of the versions before, those past the snapshot that was found can be read."""
        history = self.chronicle.history
        history.oldest = max(history.oldest, self.snapshot)
        self.chronicle.graph = cache(self.chronicle._graph)

    def _token(self) -> str:
        return self.peer.store.collection(NAME).current.token

    # What holds after each step.

    @invariant()
    def its_files_are_whole(self) -> None:
        report = verify_folder(self.peer.directory)
        assert not report.damaged, report.findings

    @invariant()
    def it_is_what_the_oracle_says(self) -> None:
        for caller in self.callers:
            newest = self.chronicle.history.newest
            for version in {newest, self.rng.choice(self.chronicle.history.retained)}:
                seen, ids = self.chronicle.seen(caller, version), self.chronicle.every_id(version)
                calls = [LISTING, *random_calls(self.rng, seen, ids, counts=FEW)]
                for call in calls:
                    different = self.chronicle.difference(caller, self.chronicle.at(version, call))
                    assert not different, (caller, call, different)

    @invariant()
    def what_is_hidden_changes_nothing(self) -> None:
        caller, history = self.rng.choice(self.callers), self.chronicle.history
        seen = self.chronicle.graph(caller, history.newest)
        if not isinstance(seen, Graph):
            return
        calls = [*random_calls(self.rng, seen, self.chronicle.every_id(history.newest), counts=FEW)]
        told = replies(self.peer, caller, calls)
        there = with_its_memberships(history.now, caller)
        left = readable(history.now, there)
        with filled(self.elsewhere, settings_of(left), [batch_of(left)]):
            again = replies(self.elsewhere, there, calls)
        different = first_difference(calls, told, again)
        assert not different, (caller, different)

    def teardown(self) -> None:
        if hasattr(self, "peer"):
            self.peer.end()
            self.elsewhere.close()


def _copied(history: History) -> History:
    """The history as it is now, whatever is added to the other one."""
    twin = copy.copy(history)
    twin.worlds = list(history.worlds)
    twin._snapshots = dict(history._snapshots)
    twin._keys = dict(history._keys)
    return twin


def test_a_collection_survives_whatever_happens_to_it() -> None:
    run_state_machine_as_test(
        CrashingCollection,
        settings=settings(max_examples=scaled(25, least=3), stateful_step_count=15),
    )
