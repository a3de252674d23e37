"""The standard health service: the server as a whole for everyone, single collections for admins alone.

To others the name of a collection is an unknown service, whether there is one or not. A collection that is damaged, that
takes no commits until a restart, or of which no snapshot can be written, does not serve; the server as a whole does.
"""

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

import grpc
from grpc_health.v1 import health_pb2

from passageway_server.authz.identity import Identity
from passageway_server.errors import LimitExceeded, NotFound, PassagewayError
from passageway_server.version.catalog import Catalog
from passageway_server.wire.dispatch import answered_to
from passageway_server.wire.handlers import identified
from passageway_server.wire.interceptor import calls_back

SERVICE = "grpc.health.v1.Health"

Send = Callable[[health_pb2.HealthCheckResponse | None], None]
"""Sends a response to one watch; None ends it."""

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN

_MOST_WATCHES = 1_000


class Health:
    """Answers while the server runs, and says NOT_SERVING from the moment that it drains."""

    def __init__(self, store: Catalog, identity: Identity) -> None:
        self._store = store
        self._identity = identity
        self._lock = threading.Lock()
        self._draining = False
        self._watching: dict[Send, threading.Lock] = {}  # held while its watch is told something

    def handler(self) -> grpc.GenericRpcHandler:
        """The service as gRPC serves it."""
        decode = health_pb2.HealthCheckRequest.FromString
        encode = health_pb2.HealthCheckResponse.SerializeToString
        check = grpc.unary_unary_rpc_method_handler(self.check, decode, encode)
        watch = grpc.unary_stream_rpc_method_handler(self.watch, decode, encode)
        return grpc.method_handlers_generic_handler(SERVICE, {"Check": check, "Watch": watch})

    def check(
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext
    ) -> health_pb2.HealthCheckResponse:
        """The status of the server, or for an admin that of a collection; raises NotFound."""
        status = self._status(request.service, context)
        if status == UNKNOWN:
            raise NotFound("service", request.service)
        return health_pb2.HealthCheckResponse(status=status)

    @calls_back
    def watch(
        self, request: health_pb2.HealthCheckRequest, context: grpc.ServicerContext, send: Send
    ) -> None:
        """The status as `check` tells it, SERVICE_UNKNOWN where that raises, and the end when the server drains.

        It holds no thread. What becomes of a collection in the meantime is seen by asking again.
        """
        telling = threading.Lock()
        with telling:
            status = self._status(request.service, context)
            if not self._take(send, telling):
                _end(send)
                return
            if context.add_callback(partial(self._forget, send)):
                send(health_pb2.HealthCheckResponse(status=status))
            else:
                self._forget(send)  # the caller has gone already

    def drain(self) -> None:
        """Say NOT_SERVING from now on, and end every watch: none may hold up the stop."""
        with self._lock:
            self._draining = True
            watching = list(self._watching.items())
        # Aside, for a peer that takes nothing would make a stop wait for longer than its grace.
        threading.Thread(target=_end_all, args=(watching,), name="drain", daemon=True).start()

    def _take(self, send: Send, telling: threading.Lock) -> bool:
        """Keep a watch to be told of the drain; False when that has begun, LimitExceeded for one too many."""
        with self._lock:
            if self._draining:
                return False
            if len(self._watching) >= _MOST_WATCHES:
                raise LimitExceeded(
                    "MAX_STREAMS",
                    limit=_MOST_WATCHES,
                    parameter="watches",
                    advice="call Check instead",
                )
            self._watching[send] = telling
            return True

    def _forget(self, send: Send) -> None:
        with self._lock:
            self._watching.pop(send, None)

    def _status(self, service: str, context: grpc.ServicerContext) -> int:
        serves = not service or (
            self._of_collection(service, context) if self._admin(context) else None
        )
        if serves is None:
            return UNKNOWN
        return SERVING if serves and not self._draining else NOT_SERVING

    def _of_collection(self, name: str, context: grpc.ServicerContext) -> bool | None:  # noqa: ARG002
        """Whether it is read, written and saved; None where there is none."""
        try:
            served = self._store.collection(name)
            return served.read_only is None and name not in self._store.unsaved
        except NotFound:
            return None
        except PassagewayError:
            return False

    def _admin(self, context: grpc.ServicerContext) -> bool:
        try:
            return answered_to(*identified(self._identity, context)).admin
        except PassagewayError:
            return False


def _end_all(watching: Iterable[tuple[Send, threading.Lock]]) -> None:
    for send, telling in watching:
        with suppress(Exception), telling:  # one that fails must not keep the others from hearing
            _end(send)


def _end(send: Send) -> None:
    send(health_pb2.HealthCheckResponse(status=NOT_SERVING))
    send(None)
