"""The table of calls as gRPC serves it: bytes in, bytes out, so that decoding too is guarded and counted."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import grpc

from passageway_server.authz.callers import Caller
from passageway_server.authz.identity import Identity
from passageway_server.wire.dispatch import (
    PACKAGE,
    Dispatch,
    Metadata,
    Reading,
    Streaming,
    Unary,
)
from passageway_server.wire.ending import halted_by

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class Handlers(grpc.GenericRpcHandler):
    """A handler for each call of *dispatch*, whose caller *identity* tells; ``every`` has them by path."""

    def __init__(self, dispatch: Dispatch, identity: Identity) -> None:
        self.every: Mapping[str, Handler] = {
            f"/{PACKAGE}.{method}": _handler(method, dispatch, identity)
            for method in dispatch.calls
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "Handler | None":
        return self.every.get(handler_call_details.method)


def identified(identity: Identity, context: grpc.ServicerContext) -> tuple[Caller, Metadata]:
    """Who calls, and the metadata that came along; raises `Unauthenticated`."""
    metadata: Metadata = [(key, value) for key, value in context.invocation_metadata()]
    authorization = [str(value) for key, value in metadata if key == "authorization"]
    return identity.caller(authorization), metadata


def _handler(method: str, dispatch: Dispatch, identity: Identity) -> Handler:
    match dispatch.calls[method]:
        case Reading() | Unary():
            return grpc.unary_unary_rpc_method_handler(_unary(method, dispatch, identity))
        case Streaming(client_streams=True):
            return grpc.stream_stream_rpc_method_handler(_streaming(method, dispatch, identity))
        case _:
            streaming = _streaming(method, dispatch, identity)

            def of_one(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
                return streaming(iter([request]), context)

            return grpc.unary_stream_rpc_method_handler(of_one)


def _unary(
    method: str, dispatch: Dispatch, identity: Identity
) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    def behavior(request: bytes, context: grpc.ServicerContext) -> bytes:
        halt = halted_by(context)
        halt.spent()  # a call that waited for a thread may be over
        caller, metadata = identified(identity, context)
        return dispatch.unary(method, caller, metadata=metadata, request=request, halt=halt)

    return behavior


def _streaming(
    method: str, dispatch: Dispatch, identity: Identity
) -> Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]:
    def behavior(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        halt = halted_by(context)
        halt.spent()
        caller, metadata = identified(identity, context)
        return dispatch.streaming(method, caller, metadata=metadata, requests=requests, halt=halt)

    return behavior
