"""Calls over a gRPC channel, asynchronous: the twin of _channel, with the same deadlines and retries."""

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
)
from contextlib import aclosing
from typing import Any, TypeVar, cast

import grpc
import grpc.aio

from passageway._channel import OPTIONS, Metadata, answered, bearer, error_from, prepared
from passageway._errors import PassagewayError
from passageway._retry import STREAM_PATIENCE, Deadline, repeatable
from passageway._transport import Method, Request, Response

_Item = TypeVar("_Item")


class AsyncChannelTransport:
    """One channel to *target*, to be used in one event loop; its calls tell what is *told*, too."""

    def __init__(
        self,
        target: str,
        *,
        token: str | None = None,
        told: Metadata = (),
        credentials: grpc.ChannelCredentials | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._metadata = (*bearer(token), *told)
        self._target = target
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(target, OPTIONS)
        else:
            self._channel = grpc.aio.secure_channel(target, credentials, OPTIONS)
        self._sleep = sleep
        self._met = False
        self._calls: dict[str, Callable[..., Any]] = {}

    async def unary(
        self, method: Method[Request, Response], request: Request, *, timeout: float
    ) -> Response:
        """The response to *request*, within *timeout* seconds, retries included."""
        call = prepared(self._calls, method, self._channel.unary_unary)
        deadline = Deadline(timeout, idempotent=repeatable(method, request))
        while True:
            try:
                answer = await call(request, timeout=deadline.left(), metadata=self._metadata)
                self._met = True
                return cast(Response, answer)
            except grpc.aio.AioRpcError as error:
                failure = _error_of(error, self._target)
                self._met = self._met or answered(_trailers(error))
            await self._sleep(deadline.pause_after(failure, met=self._met))

    async def stream(
        self,
        method: Method[Request, Response],
        requests: Iterable[Request] | AsyncIterable[Request],
        *,
        timeout: float,
    ) -> AsyncGenerator[Response]:
        """Responses as they come; an error of *requests* itself is raised as it is."""
        if not isinstance(requests, list):
            async with aclosing(self._streamed(method, requests, timeout)) as answers:
                async for answer in answers:
                    yield answer
            return
        deadline = Deadline(
            min(timeout, STREAM_PATIENCE), idempotent=repeatable(method, requests[0])
        )
        while True:
            begun = False
            try:
                async with aclosing(self._streamed(method, requests, timeout)) as answers:
                    async for answer in answers:
                        begun = True
                        yield answer
            except PassagewayError as failure:
                if begun:
                    raise
                pause = deadline.pause_after(failure, met=self._met)
            else:
                return
            await self._sleep(pause)

    async def _streamed(
        self,
        method: Method[Request, Response],
        requests: Iterable[Request] | AsyncIterable[Request],
        timeout: float,
    ) -> AsyncGenerator[Response]:
        watched = AsyncWatched(requests)
        if method.client_streams:
            call = prepared(self._calls, method, self._channel.stream_stream)
            answers = call(watched, timeout=timeout, metadata=self._metadata)
        else:
            call = prepared(self._calls, method, self._channel.unary_stream)
            only = await anext(watched)
            answers = call(only, timeout=timeout, metadata=self._metadata)
        try:
            async for answer in answers:
                self._met = True
                yield answer
        except grpc.aio.AioRpcError as error:
            self._met = self._met or answered(_trailers(error))
            raise watched.error or _error_of(error, self._target) from None
        except asyncio.CancelledError:
            # gRPC cancels its own call when the requests fail; any other cancel is the caller's.
            if watched.error is None:
                raise
            raise watched.error from None
        finally:
            answers.cancel()

    async def close(self) -> None:
        """Close the channel; calls in flight are cancelled."""
        await self._channel.close()


class AsyncWatched(AsyncIterator[_Item]):
    """Iterates over either kind of iterable, and keeps the error which ended it."""

    def __init__(self, items: Iterable[_Item] | AsyncIterable[_Item]) -> None:
        self._items = aiter(items) if isinstance(items, AsyncIterable) else _asynchronous(items)
        self.error: Exception | None = None

    async def __anext__(self) -> _Item:
        try:
            return await anext(self._items)
        except StopAsyncIteration:
            raise
        except Exception as error:
            self.error = error
            raise


async def _asynchronous(items: Iterable[_Item]) -> AsyncIterator[_Item]:
    for item in items:
        yield item


def _error_of(error: grpc.aio.AioRpcError, target: str) -> PassagewayError:
    return error_from(error.code(), error.details() or "", _trailers(error), target=target)


def _trailers(error: grpc.aio.AioRpcError) -> Iterable[tuple[str, str | bytes]]:
    return cast(Iterable[tuple[str, str | bytes]], error.trailing_metadata())
