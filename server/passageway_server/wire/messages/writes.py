"""Apply and Load: batches in, acknowledgements out."""

from passageway.v1 import store_pb2
from passageway_server.service.apply import Loaded
from passageway_server.values.collections import Acknowledgement


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
