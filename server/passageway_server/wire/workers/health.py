"""The health of a reader: of collections it says what the owner does, and while that is away what it holds itself."""

from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from passageway_server.authz.identity import Identity
from passageway_server.errors import NoWriter
from passageway_server.version.catalog import Catalog
from passageway_server.wire.health import SERVING, Health
from passageway_server.wire.workers.passing import Elsewhere, told

_MOMENT = 1.0  # seconds that the owner has for an answer


class HealthOfReader(Health):
    """Asks the owner, over *channel*, of collections: it alone knows of those that are damaged, absent or not saved."""

    def __init__(self, store: Catalog, identity: Identity, channel: grpc.Channel) -> None:
        super().__init__(store, identity)
        self._check: Any = health_pb2_grpc.HealthStub(channel).Check

    def _of_collection(self, name: str, context: grpc.ServicerContext) -> bool | None:
        """As ``Health`` says it; raises NoWriter where the owner is away and the collection is not held here."""
        request = health_pb2.HealthCheckRequest(service=name)
        try:
            answer = self._check(request, timeout=_MOMENT, metadata=told(context))
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                return None
        else:
            return bool(answer.status == SERVING)
        try:
            return super()._of_collection(name, context)
        except Elsewhere:
            raise NoWriter from None
