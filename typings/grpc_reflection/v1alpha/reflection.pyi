"""The part of grpc_reflection that wire/reflection.py uses."""

from collections.abc import Iterable, Iterator

import grpc
from grpc_reflection.v1alpha.reflection_pb2 import (
    ServerReflectionRequest,
    ServerReflectionResponse,
)

SERVICE_NAME: str

class ReflectionServicer:
    def __init__(self, service_names: Iterable[str]) -> None: ...
    def ServerReflectionInfo(
        self, request_iterator: Iterator[ServerReflectionRequest], context: grpc.ServicerContext
    ) -> Iterator[ServerReflectionResponse]: ...
