"""The standard health service, as generated."""

from collections.abc import Callable, Iterator

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

class HealthStub:
    Check: grpc.UnaryUnaryMultiCallable[HealthCheckRequest, HealthCheckResponse]
    Watch: Callable[..., Iterator[HealthCheckResponse]]
    def __init__(self, channel: grpc.Channel) -> None: ...
