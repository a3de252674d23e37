"""Messages of the reflection service that tests use."""

from google.protobuf.message import Message

class ServerReflectionRequest(Message):
    def __init__(self, *, list_services: str = "") -> None: ...

class ServiceResponse(Message):
    name: str

class ListServiceResponse(Message):
    service: list[ServiceResponse]

class ServerReflectionResponse(Message):
    list_services_response: ListServiceResponse
