"""Messages of the standard health service."""

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.message import Message

DESCRIPTOR: FileDescriptor

class HealthCheckRequest(Message):
    service: str
    def __init__(self, *, service: str = "") -> None: ...

class _ServingStatus:
    def Name(self, number: int) -> str: ...

class HealthCheckResponse(Message):
    ServingStatus: _ServingStatus
    UNKNOWN: int
    SERVING: int
    NOT_SERVING: int
    SERVICE_UNKNOWN: int
    status: int
    def __init__(self, *, status: int = 0) -> None: ...
