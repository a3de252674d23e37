"""StoreService: the write side and the care of collections, call by call."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from google.protobuf.message import Message

from passageway.v1 import store_pb2
from passageway_server.authz.callers import WRITER, Caller
from passageway_server.errors import InvalidRequest
from passageway_server.service import analyze, apply, collections, export, snapshots
from passageway_server.values.records import Batch, Guard
from passageway_server.version.store import Store
from passageway_server.wire import records
from passageway_server.wire.dispatch import Call, Streaming, Unary, Working
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages import analyze as analyze_messages
from passageway_server.wire.messages import collections as collection_messages
from passageway_server.wire.messages import snapshots as snapshot_messages
from passageway_server.wire.messages import writes


def _apply(message: store_pb2.ApplyRequest, findings: Findings) -> tuple[str, Batch, Guard]:
    batch = records.from_message(message.batch, findings)
    return message.collection, batch, writes.guard(message)


def _load(
    store: Store, caller: Caller, requests: Iterator[store_pb2.LoadRequest]
) -> Iterator[Message]:
    caller.require(WRITER)
    first = next(requests, None)
    if first is None:
        return
    if first.resume:
        if first.HasField("batch"):
            raise InvalidRequest.one("batch", "comes after the answer to resume, not beside it")
        found = apply.loaded(store, caller, first.collection, first.idempotency_key)
        yield writes.to_loaded(found)
    else:
        requests = chain([first], requests)
    batches = (partial(_batch, first.collection, each) for each in requests)
    for loaded in apply.load(store, caller, first.collection, batches):
        yield writes.to_loaded(loaded)


def _export(
    store: Store, caller: Caller, requests: Iterator[store_pb2.ExportRequest]
) -> Iterator[Message]:
    exported = export.export(store, caller, next(requests).collection)
    for batch in exported.batches:
        yield store_pb2.ExportResponse(version=exported.version, batch=records.to_message(batch))


def _batch(collection: str, message: store_pb2.LoadRequest) -> apply.Keyed:
    findings = Findings()
    if message.collection not in ("", collection):
        findings.fault("collection", "a stream loads the collection of its first message")
    if message.resume:
        findings.fault("resume", "stands in the first message of a stream alone")
    findings.check()
    batch = records.from_message(message.batch, findings)
    findings.check()
    return apply.Keyed(batch, message.idempotency_key)


def _named(message: Any, _: Findings) -> str:
    return str(message.name)


def _as_it_is(message: Message, _: Findings) -> Message:
    return message


def _alone(to_message: Callable[[Any], Message]) -> Callable[[Any, Any], Message]:
    return lambda answer, _: to_message(answer)


CALLS: Mapping[str, Call] = {
    "StoreService/Load": Streaming(store_pb2.LoadRequest, _load, client_streams=True),
    "StoreService/Apply": Unary(
        store_pb2.ApplyRequest,
        _apply,
        lambda store, caller, asked: apply.apply(store, caller, *asked),
        _alone(writes.to_applied),
    ),
    "StoreService/CreateCollection": Unary(
        store_pb2.CreateCollectionRequest,
        collection_messages.from_create,
        collections.create,
        _alone(collection_messages.to_message),
    ),
    "StoreService/UpdateCollection": Unary(
        store_pb2.UpdateCollectionRequest,
        collection_messages.from_update,
        lambda store, caller, asked: collections.update(store, caller, asked.settings, asked.mask),
        _alone(collection_messages.to_message),
    ),
    "StoreService/GetCollection": Unary(
        store_pb2.GetCollectionRequest,
        _named,
        collections.get,
        _alone(collection_messages.to_message),
    ),
    "StoreService/ListCollections": Unary(
        store_pb2.ListCollectionsRequest,
        _as_it_is,
        lambda store, caller, _: collections.list_all(store, caller),
        collection_messages.to_listing,
    ),
    "StoreService/DeleteCollection": Unary(
        store_pb2.DeleteCollectionRequest,
        _named,
        collections.delete,
        _alone(lambda _: store_pb2.DeleteCollectionResponse()),
    ),
    "StoreService/CreateSnapshot": Unary(
        store_pb2.CreateSnapshotRequest,
        _as_it_is,
        lambda store, caller, asked: snapshots.create(store, caller, asked.collection, asked.name),
        _alone(snapshot_messages.to_message),
    ),
    "StoreService/ListSnapshots": Unary(
        store_pb2.ListSnapshotsRequest,
        _as_it_is,
        lambda store, caller, asked: snapshots.list_all(store, caller, asked.collection),
        snapshot_messages.to_listing,
    ),
    "StoreService/DeleteSnapshot": Unary(
        store_pb2.DeleteSnapshotRequest,
        _as_it_is,
        lambda store, caller, asked: snapshots.delete(store, caller, asked.collection, asked.name),
        _alone(lambda _: store_pb2.DeleteSnapshotResponse()),
    ),
    "StoreService/RestoreSnapshot": Unary(
        store_pb2.RestoreSnapshotRequest,
        _as_it_is,
        lambda store, caller, asked: snapshots.restore(
            store, caller, asked.collection, name=asked.name, into=asked.into
        ),
        _alone(collection_messages.to_message),
    ),
    "StoreService/Export": Streaming(store_pb2.ExportRequest, _export),
    "StoreService/Analyze": Working(
        store_pb2.AnalyzeRequest,
        analyze_messages.from_message,
        analyze.analyze,
        analyze_messages.to_message,
    ),
}
"""Every call of the service."""
