"""A gRPC server that answers what a test tells it to, and remembers what it was asked."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from passageway._generated import methods
from passageway._transport import Method


@dataclass(frozen=True, slots=True)
class Failure:
    """A status instead of an answer, with the details of the contract."""

    code: grpc.StatusCode
    message: str = ""
    reason: str = ""
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    faults: tuple[tuple[str, str], ...] = ()

    def trailers(self) -> tuple[tuple[str, bytes], ...]:
        status = status_pb2.Status(code=self.code.value[0], message=self.message)
        if self.reason:
            status.details.append(
                _packed(error_details_pb2.ErrorInfo(reason=self.reason, metadata=self.metadata))
            )
        if self.faults:
            violations = [
                error_details_pb2.BadRequest.FieldViolation(field=path, description=text)
                for path, text in self.faults
            ]
            status.details.append(
                _packed(error_details_pb2.BadRequest(field_violations=violations))
            )
        if not status.details:
            return ()
        return (("grpc-status-details-bin", status.SerializeToString()),)


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that came in."""

    path: str
    requests: list[Any]
    metadata: dict[str, str | bytes]
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Hangs:
    """No answer until the caller goes away, or the server is stopped."""


Answer = Message | Failure | Hangs


class FakeServer:
    """Serves every rpc of the contract; each call takes the next answer of its method."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._answers: dict[str, list[Answer]] = {}
        self._pool = ThreadPoolExecutor(4)
        self._server = grpc.server(self._pool)
        self._server.add_generic_rpc_handlers((_Rpcs(self._serve),))
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self.target = f"127.0.0.1:{self.port}"
        self._server.start()

    def answers(self, method: Method[Any, Any], *answers: Answer) -> None:
        """Give *answers* to the next calls of *method*; a streaming call takes them all."""
        self._answers[method.path] = list(answers)

    def stop(self) -> None:
        self._server.stop(None).wait()
        self._pool.shutdown()

    def _serve(
        self, path: str, requests: Iterable[Any], context: grpc.ServicerContext
    ) -> Iterator[Any]:
        metadata = dict(context.invocation_metadata())
        asked = Asked(path, [], metadata, context.time_remaining() or 0.0)
        self.asked.append(asked)
        waiting = self._answers.get(path, [])
        for request in requests:
            asked.requests.append(request)
            yield _given(waiting.pop(0), context)
        while waiting and path in _STREAMS:
            yield _given(waiting.pop(0), context)


class _Rpcs(grpc.GenericRpcHandler):
    def __init__(
        self, serve: Callable[[str, Iterable[Any], grpc.ServicerContext], Iterator[Any]]
    ) -> None:
        self._serve = serve

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        path = handler_call_details.method
        method = _METHODS[path]

        def unary(request: Any, context: grpc.ServicerContext) -> Any:
            return next(self._serve(path, [request], context))

        def download(request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            return self._serve(path, [request], context)

        def both(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
            return self._serve(path, requests, context)

        coding = {
            "request_deserializer": method.request.FromString,
            "response_serializer": method.response.SerializeToString,
        }
        if method.client_streams:
            return grpc.stream_stream_rpc_method_handler(both, **coding)
        if path in _STREAMS:
            return grpc.unary_stream_rpc_method_handler(download, **coding)
        return grpc.unary_unary_rpc_method_handler(unary, **coding)


def _given(answer: Answer, context: grpc.ServicerContext) -> Message:
    if isinstance(answer, Hangs):
        gone = Event()
        if context.add_callback(gone.set):
            gone.wait()
        context.abort(grpc.StatusCode.CANCELLED, "gone")
    if isinstance(answer, Failure):
        context.set_trailing_metadata(answer.trailers())
        context.abort(answer.code, answer.message)
    return answer


def _packed(detail: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed


_METHODS: dict[str, Method[Any, Any]] = {
    method.path: method for method in vars(methods).values() if isinstance(method, Method)
}
_STREAMS = {methods.EXPORT.path, methods.ANALYZE.path}
