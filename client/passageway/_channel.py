"""Calls over a gRPC channel, synchronous.

Every call has a deadline. Reads that meet UNAVAILABLE are sent again, and so are writes under an idempotency key; other
writes are where nothing was done, and never else, for the first may have been applied. The same goes for
a stream of one request before its first answer; one of many is sent once.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar, cast

import grpc

from passageway._errors import (
    CONNECTION_LOST,
    NO_SERVER,
    STOPPING,
    Details,
    PassagewayError,
    Unavailable,
    from_parts,
)
from passageway._retry import STREAM_PATIENCE, Deadline, repeatable
from passageway._transport import Method, Request, Response

_Item = TypeVar("_Item")
Metadata = tuple[tuple[str, str], ...]

MOST_BYTES = 64 * 1024 * 1024
OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", MOST_BYTES),
    ("grpc.max_send_message_length", MOST_BYTES),
    ("grpc.enable_retries", 0),  # ours know which calls may be sent again
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 20_000),  # gRPC's name for how long one attempt may last
    ("grpc.max_reconnect_backoff_ms", 2000),
]
_DETAILS = "grpc-status-details-bin"
# How gRPC's core begins its texts of UNAVAILABLE: a call that found no connection, one whose connection broke, and one
# that a server ended which waits no longer.
_UNRESOLVED = re.compile(r"DNS resolution failed|errors resolving ")
_UNCONNECTED = re.compile(r"failed to connect to all addresses")
_BROKEN = re.compile(
    r"(?:Stream removed \()?(?:Socket closed|.*Connection reset|.*Broken pipe|.*GOAWAY|.*ping timeout)"
)
_ENDED = re.compile(r"Cancelling all calls")
_TOKEN = re.compile(r"[\x21-\x7e]+")


class ChannelTransport:
    """One channel to *target*, whose calls tell what is *told*, too.

    Without *credentials* it is plain text: then a token is readable on the way.
    """

    def __init__(
        self,
        target: str,
        *,
        token: str | None = None,
        told: Metadata = (),
        credentials: grpc.ChannelCredentials | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._metadata = (*bearer(token), *told)
        self._target = target
        if credentials is None:
            self._channel = grpc.insecure_channel(target, OPTIONS)
        else:
            self._channel = grpc.secure_channel(target, credentials, OPTIONS)
        self._sleep = sleep
        self._met = False  # whether a server has answered
        self._calls: dict[str, Callable[..., Any]] = {}

    def unary(
        self, method: Method[Request, Response], request: Request, *, timeout: float
    ) -> Response:
        """The response to *request*, within *timeout* seconds, retries included."""
        call = prepared(self._calls, method, self._channel.unary_unary)
        deadline = Deadline(timeout, idempotent=repeatable(method, request))
        while True:
            try:
                answer = call(request, timeout=deadline.left(), metadata=self._metadata)
                self._met = True
                return cast(Response, answer)
            except grpc.RpcError as error:
                failure = error_of(error, self._target)
                self._met = self._met or answered(cast(grpc.Call, error).trailing_metadata())
            self._sleep(deadline.pause_after(failure, met=self._met))

    def stream(
        self, method: Method[Request, Response], requests: Iterable[Request], *, timeout: float
    ) -> Iterator[Response]:
        """Responses as they come; an error of *requests* itself is raised as it is."""
        if not isinstance(requests, list):
            yield from self._streamed(method, requests, timeout)
            return
        deadline = Deadline(
            min(timeout, STREAM_PATIENCE), idempotent=repeatable(method, requests[0])
        )
        while True:
            begun = False
            try:
                for answer in self._streamed(method, requests, timeout):
                    begun = True
                    yield answer
            except PassagewayError as failure:
                if begun:
                    raise
                pause = deadline.pause_after(failure, met=self._met)
            else:
                return
            self._sleep(pause)

    def _streamed(
        self, method: Method[Request, Response], requests: Iterable[Request], timeout: float
    ) -> Iterator[Response]:
        watched = Watched(requests)
        if method.client_streams:
            call = prepared(self._calls, method, self._channel.stream_stream)
            answers = call(watched, timeout=timeout, metadata=self._metadata)
        else:
            call = prepared(self._calls, method, self._channel.unary_stream)
            answers = call(next(watched), timeout=timeout, metadata=self._metadata)
        try:
            for answer in answers:
                self._met = True
                yield answer
        except grpc.RpcError as error:
            self._met = self._met or answered(cast(grpc.Call, error).trailing_metadata())
            raise watched.error or error_of(error, self._target) from None
        finally:
            answers.cancel()

    def close(self) -> None:
        """Close the channel; calls in flight are cancelled."""
        self._channel.close()


class Watched(Generic[_Item]):
    """An iterator that keeps the error which ended it: gRPC itself would only say that one happened."""

    def __init__(self, items: Iterable[_Item]) -> None:
        self._items = iter(items)
        self.error: Exception | None = None

    def __iter__(self) -> "Watched[_Item]":
        return self

    def __next__(self) -> _Item:
        try:
            return next(self._items)
        except StopIteration:
            raise
        except Exception as error:
            self.error = error
            raise


def prepared(
    calls: dict[str, Callable[..., Any]],
    method: Method[Request, Response],
    make: Callable[..., Callable[..., Any]],
) -> Callable[..., Any]:
    """The callable of *method* among the *calls* of a channel, made with its first use."""
    call = calls.get(method.path)
    if call is None:
        call = calls[method.path] = make(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
    return call


def bearer(token: str | None) -> Metadata:
    """The metadata of a call with *token*. ValueError, which does not show it, when no token can be so."""
    if token is None:
        return ()
    if _TOKEN.fullmatch(token) is None:
        raise ValueError(
            "the token is empty, or holds white space or a character that is not ASCII; "
            "give the token alone, without the line break after it"
        )
    return (("authorization", f"Bearer {token}"),)


def answered(trailers: Iterable[tuple[str, str | bytes]] | None) -> bool:
    """Whether a call that ended with these *trailers* was ended by a server of ours."""
    return any(key == _DETAILS for key, _ in iter(trailers or ()))


def error_of(error: grpc.RpcError, target: str) -> PassagewayError:
    """Our error for a call to *target* that failed."""
    call = cast(grpc.Call, error)
    return error_from(call.code(), call.details() or "", call.trailing_metadata(), target=target)


def error_from(
    code: grpc.StatusCode,
    message: str,
    trailers: Iterable[tuple[str, str | bytes]] | None,
    *,
    target: str,
) -> PassagewayError:
    """Our error for a gRPC status of a call to *target*, and its trailing metadata."""
    # Over iter(): before 1.80, dict() takes the asynchronous trailers for a mapping, which they are not quite.
    details = dict(iter(trailers or ())).get(_DETAILS)
    if code is grpc.StatusCode.UNAVAILABLE and details is None:
        told = _unreachable(message, target)
        if told is not None:
            return told
    number: int = code.value[0]
    return from_parts(number, message, details if isinstance(details, bytes) else None)


def _unreachable(message: str, target: str) -> Unavailable | None:
    """The error of a call that met no server, or lost it, in plain words; gRPC's own become a note."""
    if _UNRESOLVED.match(message):
        reason, text = NO_SERVER, f"the name in {target} is that of no machine; check the address"
    elif _UNCONNECTED.match(message) and "Connection refused" in message:
        reason = NO_SERVER
        text = f"no server answers at {target}; start one with `passageway serve --listen {target}`"
    elif _UNCONNECTED.match(message):
        reason = NO_SERVER
        text = f"no connection to {target} came about; check the address, and whether it speaks TLS"
    elif _BROKEN.match(message):
        reason, text = CONNECTION_LOST, f"the connection to {target} was lost before the answer"
    elif _ENDED.match(message):
        reason = STOPPING
        text = (
            f"the server at {target} stopped before the answer was whole;"
            " look what a write did, then send the call again to the server that follows"
        )
    else:
        return None
    error = Unavailable(text, Details(reason))
    error.add_note(f"gRPC: {message}")
    return error
