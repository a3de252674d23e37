"""Writing rows: one batch at a time, whole or not at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from passageway_server.authz.callers import WRITER, Caller
from passageway_server.authz.gates import hidden_fields
from passageway_server.authz.membership import with_membership
from passageway_server.errors import Fault, InvalidRequest, NotFound
from passageway_server.service.pin import usable
from passageway_server.values.collections import Acknowledgement
from passageway_server.values.records import UNGUARDED, Batch, Guard
from passageway_server.version.check import MOST_FAULTS, id_fault
from passageway_server.version.collection import Collection
from passageway_server.version.keys import batch_of_load
from passageway_server.version.runs import Run
from passageway_server.version.store import Store
from passageway_server.version.tokens import Token
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
    """Commit one batch where *guard* allows it; its key is none of a load's, so that no load is taken for further than it is.

    Raises Forbidden, NotFound, InvalidRequest, VersionMoved, RevisionsMoved, and what keeps a commit off the disk.
    """
    caller.require(WRITER)
    caller = caller.alone
    target = usable(store, caller, collection)
    _check_guard(guard)
    if batch_of_load(guard.idempotency_key) is not None:
        message = "has the form of the keys by which Load counts its batches, NAME/16 hex digits/place; give one of another form"
        raise InvalidRequest.one("idempotency_key", message)
    return target.apply(batch, guard, sub=caller.sub, hidden=_hidden_from(caller))


def load(
    store: Store, caller: Caller, collection: str, batches: Iterator[Callable[[], Keyed]]
) -> Iterator[Loaded]:
    """Commit batch after batch, and say after each how far it is.

    A batch is decoded when its turn comes, so that its faults end the stream and leave the earlier
    ones. What readers need of the last version is worked out at the end. Raises as `apply`, and NotFound
    once the collection is gone, though another one may have its name.
    """
    caller.require(WRITER)
    caller = caller.alone
    target = usable(store, caller, collection)
    nodes = edges = passages = 0
    run: Run | None = None
    try:
        for number, decode in enumerate(batches, start=1):
            keyed = decode()
            guard = Guard(idempotency_key=keyed.key)
            _check_guard(guard)
            # The name may be another one's by now.
            if usable(store, caller, collection) is not target:
                raise NotFound("collection", collection)
            run = _run(target, caller.sub, keyed.key, before=run)
            ack = target.apply(keyed.batch, guard, sub=caller.sub, run=run, prepare=False)
            nodes += keyed.batch.nodes
            edges += keyed.batch.edges
            passages += len(keyed.batch.put_passages)
            yield Loaded(ack.version, number, nodes, edges, passages, ack.dangling_edges)
    finally:
        if run is not None:
            target.runs.end(run)
        target.prepare()


def _run(target: Collection, sub: str, key: str, *, before: Run | None) -> Run | None:
    """The run that the batch under *key* is of: that of the batch *before*, or one that begins with it; None without a name.

    Raises InvalidRequest where batches of the load are missing before this one, LoadOvertaken where another run may have
    taken their places.
    """
    found = batch_of_load(key)
    if found is None:
        return before
    name, place = found
    run = before if before is not None and before.key == (sub, name) else None
    if run is None or place > run.place + 1:
        loaded = target.loaded(sub, name)
        known = 0 if loaded is None else loaded[0]
        if place > known + 1:
            if run is not None:
                run.check()
            message = f"is that of batch {place} of a load of which {known} are known to be in; go on after those"
            raise InvalidRequest.one("idempotency_key", message)
    if run is None:
        if before is not None:
            target.runs.end(before)
        run = target.runs.begin(sub, name)
    run.place = place
    return run


def loaded(store: Store, caller: Caller, collection: str, name: str) -> Loaded:
    """How far the latest load of that *name* came: its last batch by its place, 0 where none is known.

    The keys of a load's batches are of the form that `batch_of_load` says.
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
    """Raise InvalidRequest for a guard that cannot hold, or that is too large to be kept, or to be looked at."""
    faults: list[Fault] = []
    if guard.if_version and Token.of(guard.if_version) is None:
        faults.append(Fault("if_version", f"{guard.if_version!r:.40} is no version"))
    size, guarded = len(guard.idempotency_key.encode()), len(guard.if_revisions)
    if size > _MOST_KEY_BYTES:
        faults.append(Fault("idempotency_key", f"has {size} bytes; at most {_MOST_KEY_BYTES}"))
    if guarded > _MOST_GUARDED:
        faults.append(Fault("if_revisions", f"holds {guarded} ids; at most {_MOST_GUARDED}"))
    else:
        faults += _no_ids(guard.if_revisions)
    if faults:
        raise InvalidRequest(faults)


def _no_ids(identifiers: Iterable[str]) -> list[Fault]:
    """What is wrong with those of *identifiers* that cannot be ids, whatever is in the collection."""
    found = {each: id_fault(each) for each in sorted(identifiers)}
    faulty = [Fault("if_revisions", f"{each!r:.40}: {why}") for each, why in found.items() if why]
    return faulty[:MOST_FAULTS]


def _hidden_from(caller: Caller) -> Callable[[Version], frozenset[str]]:
    """The declared fields that do not exist for *caller* in a version, which its revisions leave out."""
    return lambda version: hidden_fields(version, with_membership(version, caller))
