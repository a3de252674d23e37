"""Calls that the owner answers: bytes, metadata and deadline go there, and what it says comes back whole.

A reader passes on every call that is no read, and reads of what it does not hold. A collection that is closed to the
caller is read as one that it does not hold: neither status nor time tells the two apart.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeAlias, cast

import grpc

from passageway_server.errors import (
    Cancelled,
    DeadlineExceeded,
    NotFound,
    NoWriter,
    VersionGone,
    WriterLost,
)
from passageway_server.wire.dispatch import PACKAGE, Dispatch, Reading
from passageway_server.wire.ending import FOR_EVER
from passageway_server.wire.errors import DETAILS, FailedElsewhere, Failure
from passageway_server.wire.handlers import Handlers
from passageway_server.wire.workers.telling import CHANGES

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Metadata = tuple[tuple[str, str | bytes], ...]
Heard = Callable[[int], None]
"""Waits, for a moment, until so many changes of the owner are known here."""

OPTIONS: list[tuple[str, int]] = [
    # The owner refuses what is too large, and what it sends was let through by it.
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", 192 * 1024),
    ("grpc.absolute_max_metadata_size", 256 * 1024),
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.use_local_subchannel_pool", 1),
]
"""Of a channel to the owner."""

_UNCONNECTED = "failed to connect to all addresses"  # so gRPC's core begins its text
_OF_THE_HOP = ("user-agent", "te", "content-type", "grpc-")
"""Metadata, by their beginnings, that belong to one connection."""


class Elsewhere(Exception):
    """What the call asks for is not held here; the owner knows."""


class Passing(grpc.GenericRpcHandler):
    """The calls of a reader: reads are answered by *own*, the others over *channel*, and so are reads of what *own* does not find.

    An answer of the owner goes on to the caller once *heard* has waited for what the owner had done by then.
    """

    def __init__(
        self, dispatch: Dispatch, own: Handlers, channel: grpc.Channel, *, heard: Heard
    ) -> None:
        self._handlers: dict[str, Handler] = {}
        for name, call in dispatch.calls.items():
            method = f"/{PACKAGE}.{name}"
            handler: Any = own.every[method]
            match call:
                case Reading():
                    behavior = _here_first(handler.unary_unary, _unary(channel, method, _at_once))
                    self._handlers[method] = grpc.unary_unary_rpc_method_handler(behavior)
                case _:
                    self._handlers[method] = _passed_on(handler, channel, method, heard)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "Handler | None":
        return self._handlers.get(handler_call_details.method)


def _at_once(changes: int) -> None:  # noqa: ARG001  (a read changes nothing)
    return


def _passed_on(handler: Handler, channel: grpc.Channel, method: str, heard: Heard) -> Handler:
    """A handler of the kind of *handler*, whose calls go over *channel*."""
    if handler.unary_unary is not None:
        return grpc.unary_unary_rpc_method_handler(_unary(channel, method, heard))
    if handler.unary_stream is not None:
        return grpc.unary_stream_rpc_method_handler(
            _streaming(channel.unary_stream(method, bytes, bytes), heard)
        )
    return grpc.stream_stream_rpc_method_handler(
        _streaming(channel.stream_stream(method, bytes, bytes), heard)
    )


def _here_first(
    here: Callable[[bytes, grpc.ServicerContext], bytes],
    there: Callable[[bytes, grpc.ServicerContext], bytes],
) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    def behavior(request: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            return here(request, context)
        except (
            Elsewhere,
            VersionGone,
        ):  # the owner may keep versions from before this process began
            return there(request, context)
        except NotFound as absent:
            if absent.what != "collection":
                raise
            return there(request, context)

    return behavior


def _unary(
    channel: grpc.Channel, method: str, heard: Heard
) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    send = channel.unary_unary(method, bytes, bytes)

    def behavior(request: bytes, context: grpc.ServicerContext) -> bytes:
        answer = send.future(request, timeout=_left(context), metadata=told(context))
        _end_with(context, answer)
        try:
            response = answer.result()
        except grpc.FutureCancelledError:
            raise Cancelled from None
        except grpc.RpcError as error:
            raise _failed(error, context) from None
        heard(_changes(answer))
        return response

    return behavior


def _streaming(send: Any, heard: Heard) -> Callable[[Any, grpc.ServicerContext], Iterator[bytes]]:
    """Either side is read as fast as the other one takes it, and the end of one ends the other."""

    def behavior(requests: Any, context: grpc.ServicerContext) -> Iterator[bytes]:
        begun: list[Any] = []
        sent = requests if isinstance(requests, bytes) else _relayed(requests, context, begun)
        answers = send(sent, timeout=_left(context), metadata=told(context))
        begun.append(answers)
        _end_with(context, answers)
        try:
            yield from answers
        except grpc.RpcError as error:
            heard(_changes(answers))
            raise _failed(error, context) from None
        else:
            heard(_changes(answers))
        finally:
            answers.cancel()

    return behavior


def _relayed(
    requests: Iterator[bytes], context: grpc.ServicerContext, begun: list[Any]
) -> Iterator[bytes]:
    """*requests* as they come. To a caller that has gone gRPC lets them end as if it had sent all: then *begun* is cancelled."""
    with suppress(grpc.RpcError):
        yield from requests
        if context.is_active():
            return
    for call in begun:
        call.cancel()


def _changes(call: Any) -> int:
    """How much had happened at the owner when it ended *call*; -1 where it was not the owner that did."""
    trailers: dict[str, str | bytes] = dict(call.trailing_metadata() or ())
    return int(trailers.get(CHANGES, -1))


def _end_with(context: grpc.ServicerContext, call: Any) -> None:
    """Let *call* end when the caller's own does, also where it has ended already."""
    if not context.add_callback(call.cancel):
        call.cancel()


def _left(context: grpc.ServicerContext) -> float | None:
    """Seconds that the call has; None: for ever."""
    left = context.time_remaining()
    return None if left >= FOR_EVER else max(0.0, left)


def told(context: grpc.ServicerContext) -> Metadata:
    """What came along with the call, but for what belongs to its connection."""
    return tuple(
        (key, value)
        for key, value in context.invocation_metadata()
        if not key.startswith(_OF_THE_HOP)
    )


def _failed(error: grpc.RpcError, context: grpc.ServicerContext) -> Exception:
    """What the caller is told of a call that failed on its way, or there."""
    call = cast(grpc.Call, error)
    code, message = call.code(), call.details() or ""
    trailers: dict[str, str | bytes] = dict(call.trailing_metadata() or ())
    details = trailers.get(DETAILS)
    if isinstance(details, bytes):
        return FailedElsewhere(Failure(code.name, message, details))
    match code:
        case grpc.StatusCode.UNAVAILABLE if message.startswith(_UNCONNECTED):
            return NoWriter()
        case grpc.StatusCode.UNAVAILABLE:
            return WriterLost()
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return DeadlineExceeded()
        case grpc.StatusCode.CANCELLED if not context.is_active():
            return Cancelled()
        case _:
            return FailedElsewhere(Failure(code.name, message, b""))
