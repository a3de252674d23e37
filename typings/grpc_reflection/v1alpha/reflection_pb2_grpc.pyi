"""The reflection service, as generated."""

from collections.abc import Iterable, Iterator

import grpc
from grpc_reflection.v1alpha.reflection import ReflectionServicer
from grpc_reflection.v1alpha.reflection_pb2 import (
    ServerReflectionRequest,
    ServerReflectionResponse,
)

class ServerReflectionStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    def ServerReflectionInfo(
        self,
        requests: Iterable[ServerReflectionRequest],
        *,
        timeout: float | None = None,
        metadata: tuple[tuple[str, str], ...] | None = None,
    ) -> Iterator[ServerReflectionResponse]: ...

def add_ServerReflectionServicer_to_server(
    servicer: ReflectionServicer, server: grpc.Server
) -> None: ...
