"""The outermost interceptor: whatever goes wrong inside leaves as a status that is fit for the caller.

grpcio alone would send the text of an exception. Each call that ends is one line in the log, but for a watch of health.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import grpc

from passageway_server.wire.errors import Failure, failure
from passageway_server.wire.journal import write
from passageway_server.wire.streams import Streams

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Behavior = Callable[[Any, grpc.ServicerContext], Any]
CallingBack = Callable[[Any, grpc.ServicerContext, Callable[[Any], None]], None]
AnyCallable = TypeVar("AnyCallable", bound=Callable[..., object])

_CALLS_BACK = "experimental_non_blocking"  # grpcio's name


def calls_back(behavior: AnyCallable) -> AnyCallable:
    """Mark a behavior that is given a function for its responses: it may send from other threads, and holds none."""
    behavior.__dict__[_CALLS_BACK] = True
    return behavior


class Outermost(grpc.ServerInterceptor):
    """Guards every method of the server, ours and those of health and reflection.

    At most *streams* streams that hold a thread are open at once; past them it is RESOURCE_EXHAUSTED.
    """

    def __init__(self, streams: int = 16) -> None:
        self._streams = Streams(streams)
        self._guarded: dict[str, Handler] = {}

    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Handler | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """The guarded handler of a method, made once; None for a method that there is not."""
        method = handler_call_details.method
        known = self._guarded.get(method)
        if known is not None:
            return known
        handler = continuation(handler_call_details)
        if handler is None:
            return None
        call = method.rpartition(".")[2]
        guarded = self._guarded[method] = _guarded(handler, call, self._streams)
        return guarded


def _guarded(handler: Handler, call: str, streams: Streams) -> Handler:
    if handler.unary_unary is not None:
        return grpc.unary_unary_rpc_method_handler(
            _unary(handler.unary_unary, call),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )
    if handler.unary_stream is not None:
        behavior: Any = handler.unary_stream
        return grpc.unary_stream_rpc_method_handler(
            _calling_back(behavior, call)
            if hasattr(behavior, _CALLS_BACK)
            else _streaming(behavior, call, streams),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )
    if handler.stream_stream is not None:
        return grpc.stream_stream_rpc_method_handler(
            _streaming(handler.stream_stream, call, streams),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )
    raise TypeError(f"{call}: no service of this server takes a stream for one answer")


def _unary(behavior: Behavior, call: str) -> Behavior:
    def guarded(request: Any, context: grpc.ServicerContext) -> Any:
        started = time.perf_counter_ns()
        try:
            response = behavior(request, context)
        except Exception as error:
            failed = failure(error, call=call)
        else:
            _ended(call, "OK", started)
            return response
        _ended(call, failed.code, started)
        return _abort(context, failed)

    return guarded


def _streaming(behavior: Behavior, call: str, streams: Streams) -> Behavior:
    def guarded(request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        started = time.perf_counter_ns()
        try:
            with streams.place():
                yield from behavior(request, context)
        except GeneratorExit:
            _ended(call, "CANCELLED", started)
            raise
        except Exception as error:
            if isinstance(error, grpc.RpcError) and not context.is_active():
                _ended(call, "CANCELLED", started)
                raise  # the caller has gone; grpcio knows this error as its own
            failed = failure(error, call=call)
        else:
            _ended(call, "OK", started)
            return
        _ended(call, failed.code, started)
        _abort(context, failed)

    return guarded


def _calling_back(behavior: CallingBack, call: str) -> Any:
    @calls_back
    def guarded(request: Any, context: grpc.ServicerContext, send: Callable[[Any], None]) -> None:
        started = time.perf_counter_ns()
        try:
            behavior(request, context, send)
        except Exception as error:
            failed = failure(error, call=call)
        else:
            return  # it goes on, and its end is no line
        _ended(call, failed.code, started)
        _abort(context, failed)

    return guarded


def _abort(context: grpc.ServicerContext, failed: Failure) -> None:
    told: Any = context.trailing_metadata() or ()  # None where nothing was said
    context.set_trailing_metadata((*told, *failed.trailers))
    context.abort(grpc.StatusCode[failed.code], failed.message)


def _ended(call: str, status: str, started: int) -> None:
    write("call", call=call, status=status, took_us=(time.perf_counter_ns() - started) // 1000)
