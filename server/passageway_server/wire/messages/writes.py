"""Apply and Load: batches in, acknowledgements out."""

from passageway.v1 import store_pb2
from passageway_server.service.apply import Loaded
from passageway_server.values.collections import Acknowledgement
from passageway_server.values.records import Guard


def guard(message: store_pb2.ApplyRequest) -> Guard:
    """What must hold for the batch of *message*, and its key."""
    return Guard(message.if_version, dict(message.if_revisions), message.idempotency_key)


def to_applied(answer: Acknowledgement) -> store_pb2.ApplyResponse:
    return store_pb2.ApplyResponse(version=answer.version, dangling_edges=answer.dangling_edges)


def to_loaded(answer: Loaded) -> store_pb2.LoadResponse:
    return store_pb2.LoadResponse(
        version=answer.version,
        batch=answer.batch,
        nodes=answer.nodes,
        edges=answer.edges,
        passages=answer.passages,
        dangling_edges=answer.dangling_edges,
    )
