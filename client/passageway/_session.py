"""What a client and its collections share: one transport, and the timeout of calls that name none.

A call of a closed client is FailedPrecondition with reason CLIENT_CLOSED, whatever its transport says of it.
"""

import secrets
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
from contextlib import aclosing
from types import TracebackType
from typing import Self

from passageway._errors import CLIENT_CLOSED, Details, FailedPrecondition
from passageway._transport import AsyncTransport, Method, Request, Response, Transport

TIMEOUT = 30.0
STREAM_TIMEOUT = 24 * 3600.0
"""Loads and exports last as long as their records do; a deadline still ends one that hangs."""


class Session:
    """A transport and its default timeout, in seconds; *keyed* where writes are given a key that they are repeated by."""

    def __init__(
        self, transport: Transport, *, timeout: float = TIMEOUT, keyed: bool = True
    ) -> None:
        self._transport = transport
        self._timeout = timeout
        self._keyed = keyed
        self._open = True

    def key(self, given: str | None) -> str:
        """The idempotency key of a write: the *given* one, or one of its own; "" for none."""
        return _drawn() if given is None and self._keyed else given or ""

    def unary(
        self, method: Method[Request, Response], request: Request, timeout: float | None
    ) -> Response:
        """One call; *timeout* None takes the default."""
        seconds = self._timeout if timeout is None else timeout
        self._check_open()
        try:
            return self._transport.unary(method, request, timeout=seconds)
        except Exception:
            self._check_open()  # it may have been closed meanwhile
            raise

    def stream(
        self,
        method: Method[Request, Response],
        requests: Iterable[Request],
        timeout: float | None,
    ) -> Iterator[Response]:
        """One streaming call; *timeout* None takes STREAM_TIMEOUT."""
        seconds = STREAM_TIMEOUT if timeout is None else timeout
        self._check_open()
        try:
            yield from self._transport.stream(method, requests, timeout=seconds)
        except Exception:
            self._check_open()
            raise

    def close(self) -> None:
        """Close the transport."""
        self._open = False
        self._transport.close()

    def _check_open(self) -> None:
        if not self._open:
            raise _closed()


class AsyncSession:
    """An asynchronous transport and its default timeout, in seconds."""

    def __init__(self, transport: AsyncTransport, *, timeout: float = TIMEOUT) -> None:
        self._transport = transport
        self._timeout = timeout
        self._open = True

    def key(self, given: str | None) -> str:
        """The idempotency key of a write: the *given* one, or one of its own; "" for none."""
        return _drawn() if given is None else given

    async def unary(
        self, method: Method[Request, Response], request: Request, timeout: float | None
    ) -> Response:
        """One call; *timeout* None takes the default."""
        seconds = self._timeout if timeout is None else timeout
        self._check_open()
        try:
            return await self._transport.unary(method, request, timeout=seconds)
        except Exception:
            self._check_open()
            raise

    async def stream(
        self,
        method: Method[Request, Response],
        requests: Iterable[Request] | AsyncIterable[Request],
        timeout: float | None,
    ) -> AsyncGenerator[Response]:
        """One streaming call; *timeout* None takes STREAM_TIMEOUT."""
        seconds = STREAM_TIMEOUT if timeout is None else timeout
        self._check_open()
        try:
            async with aclosing(
                self._transport.stream(method, requests, timeout=seconds)
            ) as answers:
                async for answer in answers:
                    yield answer
        except Exception:
            self._check_open()
            raise

    async def close(self) -> None:
        """Close the transport."""
        self._open = False
        await self._transport.close()

    def _check_open(self) -> None:
        if not self._open:
            raise _closed()


def _drawn() -> str:
    return secrets.token_urlsafe(16)


def _closed() -> FailedPrecondition:
    text = "the client was closed; connect, or open the folder, again"
    return FailedPrecondition(text, Details(CLIENT_CLOSED))


class Closing:
    """A client closes its session at the end of a with block."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def close(self) -> None:
        """Let go of the connection, or of the folder."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClosing:
    """An asynchronous client closes its session at the end of an async with block."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def close(self) -> None:
        """Let go of the connection."""
        await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
