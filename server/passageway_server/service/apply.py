"""Writing rows: one batch at a time, whole or not at all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from passageway_server.authz.callers import WRITER, Caller
from passageway_server.authz.gates import hidden_fields
from passageway_server.authz.membership import with_membership
from passageway_server.errors import Fault, InvalidRequest
from passageway_server.service.pin import usable
from passageway_server.values.collections import Acknowledgement
from passageway_server.values.records import UNGUARDED, Batch, Guard
from passageway_server.version.store import Store
from passageway_server.version.version import Version

_MOST_KEY_BYTES = 256
_MOST_GUARDED = 10_000


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a stream has loaded so far: its batches, and the records that they put."""

    version: str
    batch: int
    nodes: int
    edges: int
    passages: int
    dangling_edges: int


@dataclass(frozen=True, slots=True)
class Keyed:
    """A batch of a stream, and the key by which it is known again; "" for none."""

    batch: Batch
    key: str = ""


def apply(
    store: Store, caller: Caller, collection: str, batch: Batch, guard: Guard = UNGUARDED
) -> Acknowledgement:
    """Commit one batch where *guard* allows it.

    Raises Forbidden, NotFound, InvalidRequest, VersionMoved, RevisionsMoved, and what keeps a commit off the disk.
    """
    caller.require(WRITER)
    caller = caller.alone
    target = usable(store, caller, collection)
    _check_guard(guard)
    return target.apply(batch, guard, sub=caller.sub, hidden=_hidden_from(caller))


def load(
    store: Store, caller: Caller, collection: str, batches: Iterator[Callable[[], Keyed]]
) -> Iterator[Loaded]:
    """Commit batch after batch, and say after each how far it is.

    A batch is decoded when its turn comes, so that its faults end the stream and leave the earlier
    ones. What readers need of the last version is worked out at the end.
    """
    caller.require(WRITER)
    caller = caller.alone
    target = usable(store, caller, collection)
    nodes = edges = passages = 0
    try:
        for number, decode in enumerate(batches, start=1):
            keyed = decode()
            guard = Guard(idempotency_key=keyed.key)
            _check_guard(guard)
            target = usable(store, caller, collection)  # it may be another one, or closed to them
            ack = target.apply(keyed.batch, guard, sub=caller.sub, prepare=False)
            nodes += keyed.batch.nodes
            edges += keyed.batch.edges
            passages += len(keyed.batch.put_passages)
            yield Loaded(ack.version, number, nodes, edges, passages, ack.dangling_edges)
    finally:
        target.prepare()


def loaded(store: Store, caller: Caller, collection: str, name: str) -> Loaded:
    """How far the latest load of that *name* came: its last batch by its place, 0 where none is known.

    The keys of a load's batches are its name, what its writer drew for it, and the place of the batch from 1, with
    ``/`` between.
    """
    caller.require(WRITER)
    caller = caller.alone
    target = usable(store, caller, collection)
    if not name:
        raise InvalidRequest.one("idempotency_key", "is empty; resume takes the name of a load")
    _check_guard(Guard(idempotency_key=name))
    found = target.loaded(caller.sub, name)
    if found is None:
        return Loaded("", 0, 0, 0, 0, 0)
    place, ack = found
    return Loaded(ack.version, place, 0, 0, 0, ack.dangling_edges)


def _check_guard(guard: Guard) -> None:
    """Raise InvalidRequest for a guard that is too large to be kept, or to be looked at."""
    faults: list[Fault] = []
    size, guarded = len(guard.idempotency_key.encode()), len(guard.if_revisions)
    if size > _MOST_KEY_BYTES:
        faults.append(Fault("idempotency_key", f"has {size} bytes; at most {_MOST_KEY_BYTES}"))
    if guarded > _MOST_GUARDED:
        faults.append(Fault("if_revisions", f"holds {guarded} ids; at most {_MOST_GUARDED}"))
    if faults:
        raise InvalidRequest(faults)


def _hidden_from(caller: Caller) -> Callable[[Version], frozenset[str]]:
    """The declared fields that do not exist for *caller* in a version, which its revisions leave out."""
    return lambda version: hidden_fields(version, with_membership(version, caller))
