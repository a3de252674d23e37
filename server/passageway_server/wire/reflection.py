"""Standard reflection, for those who may call at all; its streams end when the server drains.

A peer may hold such a stream for as long as it likes, and it may be one that only asks whether there is a contract.
"""

import threading
from collections.abc import Iterator, Sequence

import grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from passageway_server.authz.identity import Identity
from passageway_server.wire.handlers import identified

SERVICE = reflection.SERVICE_NAME


class Reflection(reflection.ReflectionServicer):
    """Tells the contract of *services*."""

    def __init__(self, services: Sequence[str], identity: Identity) -> None:
        super().__init__(services)
        self._identity = identity
        self._lock = threading.Lock()
        self._draining = False
        self._open: set[grpc.ServicerContext] = set()

    def ServerReflectionInfo(  # noqa: N802  (gRPC's name)
        self,
        request_iterator: Iterator[reflection_pb2.ServerReflectionRequest],
        context: grpc.ServicerContext,
    ) -> Iterator[reflection_pb2.ServerReflectionResponse]:
        """Answers to questions about the contract; raises `Unauthenticated`."""
        identified(self._identity, context)
        with self._lock:
            if self._draining:
                context.cancel()
            self._open.add(context)
        try:
            yield from super().ServerReflectionInfo(request_iterator, context)
        finally:
            self._open.discard(context)

    def drain(self) -> None:
        """End every stream, and those that still come."""
        with self._lock:
            self._draining = True
            streams = list(self._open)
        for context in streams:
            context.cancel()
