"""What is done to a collection of a scenario, step by step: by any server, and by the oracle.

Versions are numbered: 0 is the empty collection, 1 what the file puts first, and each further commit one more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message

from passageway.v1 import query_pb2, read_pb2, store_pb2
from tests.oracle import Refused
from tests.oracle.askers import Asker
from tests.oracle.history import Guard, History, Setting
from tests.oracle.revisions import revision_of_record
from tests.peers import OPERATOR, Peer, Reply
from tests.scenarios.records import BATCH_PARTS, Part, batch_of, settings_of


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done: a batch, an update of settings, a snapshot, or a restore of one.

    A batch may be for a version alone, or for rows as they were in a version (``if_as_in``), and have a key. ``told`` is
    what comes of it: a status, or the version that has it; nothing: a commit like any other.
    """

    batch: store_pb2.Batch | None = None
    if_version: int | None = None
    if_as_in: Mapping[str, int] = field(default_factory=dict[str, int])
    key: str = ""
    update: Part | None = None
    snapshot: str = ""
    restore: str = ""
    into: str = ""
    told: str | int | None = None

    @property
    def settings(self) -> list[Setting]:
        """The settings that an update names."""
        return [cast(Setting, name) for name in self.update or ()]


def step_of(told: Part) -> Step:
    """The step that a part of a file tells; a ValueError where it tells none, or two."""
    rest = {name: part for name, part in told.items() if name not in BATCH_PARTS}
    kinds = sum(name in told for name in ("update", "snapshot", "restore"))
    kinds += any(name in told for name in BATCH_PARTS)
    if kinds != 1:
        raise ValueError(f"one thing is done in a step, found {sorted(told)}")
    return Step(batch=batch_of(told) if len(rest) < len(told) else None, **rest)


def copied(collection: str, into: str) -> str:
    """The name of a collection that a snapshot of another is restored into."""
    return f"{collection[: 62 - len(into)]}-{into}"


def perform(peer: Peer, settings: store_pb2.Collection, steps: Sequence[Step]) -> list[str]:
    """Make the collection and take the *steps*, on a server; the tokens of the versions. What comes of each is as told."""
    name = settings.name
    made = _done(peer, "CreateCollection", store_pb2.CreateCollectionRequest(collection=settings))
    tokens = [made.read(store_pb2.Collection).version]
    for step in steps:
        if step.batch is not None:
            _apply(peer, name, step, tokens)
        elif step.update is not None:
            update = store_pb2.UpdateCollectionRequest(
                collection=settings_of(name, step.update),
                update_mask=FieldMask(paths=step.settings),
            )
            updated = _done(peer, "UpdateCollection", update)
            tokens.append(updated.read(store_pb2.Collection).version)
        elif step.snapshot:
            kept = store_pb2.CreateSnapshotRequest(collection=name, name=step.snapshot)
            _done(peer, "CreateSnapshot", kept)
        else:
            into = copied(name, step.into) if step.into else ""
            back = store_pb2.RestoreSnapshotRequest(collection=name, name=step.restore, into=into)
            restored = _done(peer, "RestoreSnapshot", back)
            if not into:
                tokens.append(restored.read(store_pb2.Collection).version)
    return tokens


def _apply(peer: Peer, name: str, step: Step, tokens: list[str]) -> None:
    request = store_pb2.ApplyRequest(
        collection=name,
        batch=step.batch,
        if_version="" if step.if_version is None else tokens[step.if_version],
        if_revisions={
            row_id: _revision(peer, name, row_id, tokens[version])
            for row_id, version in step.if_as_in.items()
        },
        idempotency_key=step.key,
    )
    reply = peer.call("StoreService/Apply", request, caller=OPERATOR)
    if isinstance(step.told, str):
        assert reply.code == step.told, f"{step}: {reply.code}: {reply.message}"
        return
    assert reply.code == "OK", f"{step}: {reply.message}"
    token = reply.read(store_pb2.ApplyResponse).version
    if token not in tokens:
        tokens.append(token)
    assert step.told in (None, tokens.index(token)), step


def _revision(peer: Peer, name: str, row_id: str, token: str) -> str:
    """The revision that a row had; empty where there was no such row."""
    read = query_pb2.ReadOptions(at_version=token)
    request = read_pb2.GetRequest(collection=name, ids=[row_id], read=read)
    got = peer.call("GraphService/Get", request, caller=OPERATOR).read(read_pb2.GetResponse)
    return got.nodes[0].revision if got.nodes else ""


def _done(peer: Peer, method: str, request: Message) -> Reply:
    reply = peer.call(f"StoreService/{method}", request, caller=OPERATOR)
    assert reply.code == "OK", f"{method}: {reply.code}: {reply.message}"
    return reply


_OPERATOR = Asker("operator", frozenset({"public"}), admin=True)


def perform_in_oracle(settings: store_pb2.Collection, steps: Sequence[Step]) -> dict[str, History]:
    """The same in the oracle: the collection, and those that its snapshots were restored into, by name."""
    name, history = settings.name, History.of(settings)
    histories = {name: history}
    for step in steps:
        if step.batch is not None:
            assert step.told in (None, _applied(history, step)), step
        elif step.update is not None:
            history.update(settings_of(name, step.update), *step.settings)
        elif step.snapshot:
            history.keep(step.snapshot)
        elif step.into:
            histories[copied(name, step.into)] = history.restored(step.restore)
        else:
            history.restore(step.restore)
    return histories


def _applied(history: History, step: Step) -> str | int:
    assert step.batch is not None
    revisions: dict[str, str] = {}
    for row_id, version in step.if_as_in.items():
        world = history.worlds[version]
        record = world.nodes.get(row_id) or world.passages.get(row_id)
        revisions[row_id] = "" if record is None else revision_of_record(record)
    guard = Guard(step.if_version, revisions, step.key)
    try:
        return history.apply(step.batch, guard, writer=_OPERATOR).version
    except Refused as refused:
        return refused.code
