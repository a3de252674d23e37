"""How calls reach a server: over a channel, or straight into an engine in the same process.

A transport moves messages and nothing else: it takes a Method and its request message, and gives response
messages back or raises a PassagewayError, as ``passageway._errors.from_status`` makes it.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from google.protobuf.message import Message

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


@dataclass(frozen=True, slots=True)
class Method(Generic[Request, Response]):
    """One rpc: ``path`` is /package.Service/Name; an idempotent one may be sent again."""

    path: str
    request: type[Request]
    response: type[Response]
    idempotent: bool = False
    client_streams: bool = False


class Transport(Protocol):
    """Where a Client sends its calls. Any number of threads may call at once."""

    def unary(
        self, method: Method[Request, Response], request: Request, *, timeout: float
    ) -> Response:
        """The response to *request*, within *timeout* seconds."""
        ...

    def stream(
        self, method: Method[Request, Response], requests: Iterable[Request], *, timeout: float
    ) -> Iterator[Response]:
        """Responses as they come. Without ``client_streams``, *requests* holds exactly one."""
        ...

    def close(self) -> None:
        """Let go of what the transport holds; calls after it fail."""
        ...


class AsyncTransport(Protocol):
    """The same for an AsyncClient."""

    async def unary(
        self, method: Method[Request, Response], request: Request, *, timeout: float
    ) -> Response:
        """The response to *request*, within *timeout* seconds."""
        ...

    def stream(
        self,
        method: Method[Request, Response],
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        timeout: float,
    ) -> AsyncGenerator[Response]:
        """Responses as they come. Without ``client_streams``, *requests* holds exactly one."""
        ...

    async def close(self) -> None:
        """Let go of what the transport holds; calls after it fail."""
        ...
