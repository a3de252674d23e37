"""What the owner tells its readers: for each collection the version that is published, and what became of it.

A stream of JSON objects. The first one tells of all collections, each later one of those that changed.

    {"changes": 17, "states": {
        "<collection>": {"token": "<version>", "line": "<of commits to come>", "read_only": ["<file>", "<found>"] or null},    served
        "<collection>": null}}                                                                 not served (any more)

``changes`` counts what happened at the owner. Calls that were passed on to it end with the count of that moment, and so
does a stream that fails, for a load keeps what it acknowledged. A reader answers once it has heard of what the call did: who
stays on one connection reads what it wrote. All this goes over the owner's unix socket, in a folder that no other user may
enter.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import grpc

from passageway_server.errors import ReadOnly
from passageway_server.version.catalog import Catalog
from passageway_server.version.collection import Collection
from passageway_server.wire.handlers import Handler, Handlers
from passageway_server.wire.interceptor import calls_back

SERVICE = "passageway.internal.Owner"
METHOD = f"/{SERVICE}/Follow"
CHANGES = "passageway-changes"
"""The trailing metadata that tell how much had happened when a call ended."""

State: TypeAlias = dict[str, Any] | None
Send = Callable[[bytes | None], None]
"""Sends a message to one reader; None ends its stream."""


@dataclass(frozen=True, slots=True)
class News:
    """What became of some collections, and how much had happened by then."""

    changes: int
    states: Mapping[str, State]


def encoded(news: News) -> bytes:
    """A message of these *news*."""
    told = {"changes": news.changes, "states": news.states}
    return json.dumps(told, separators=(",", ":")).encode()


def decoded(message: bytes) -> News:
    """The news in a message."""
    return News(**json.loads(message))


class Telling:
    """Tells every reader of each change in *store*, for as long as the owner runs."""

    def __init__(self, store: Catalog) -> None:
        self._store = store
        self._changed = threading.Condition()
        self.changes = 0
        self._draining = False
        store.on_change(self.changed)

    def handler(self) -> grpc.GenericRpcHandler:
        """The service as gRPC serves it."""
        follow = grpc.unary_stream_rpc_method_handler(self.follow, bytes, bytes)
        return grpc.method_handlers_generic_handler(SERVICE, {"Follow": follow})

    def changed(self) -> None:
        """Something was published, or a collection came or went."""
        with self._changed:
            self.changes += 1
            self._changed.notify_all()

    @calls_back
    def follow(self, request: bytes, context: grpc.ServicerContext, send: Send) -> None:  # noqa: ARG002
        """All states, and then changes. It holds none of the threads that calls have."""
        gone = threading.Event()
        if not context.add_callback(partial(self._end, gone)):
            return
        telling = threading.Thread(target=self._tell, args=(send, gone), name="tell", daemon=True)
        telling.start()

    def drain(self) -> None:
        """End all streams."""
        with self._changed:
            self._draining = True
            self._changed.notify_all()

    def _end(self, gone: threading.Event) -> None:
        with self._changed:
            gone.set()
            self._changed.notify_all()

    def _tell(self, send: Send, gone: threading.Event) -> None:
        told: dict[str, State] = {}
        seen = -1
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: gone.is_set() or self._draining or self.changes != seen  # noqa: B023
                )
                if gone.is_set():
                    return
                if self._draining:
                    break
                seen = self.changes
            states = _states(self._store)
            news = {name: state for name, state in states.items() if told.get(name) != state}
            news |= dict.fromkeys(told.keys() - states.keys())
            send(encoded(News(seen, news)))
            told = states
        send(None)


class Counted(grpc.GenericRpcHandler):
    """The calls of *handlers*, each of which ends with the count of changes."""

    def __init__(self, handlers: Handlers, telling: Telling) -> None:
        self._counted = {
            method: _counted(handler, telling) for method, handler in handlers.every.items()
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "Handler | None":
        return self._counted.get(handler_call_details.method)


def _counted(handler: Any, telling: Telling) -> Handler:
    def count(context: grpc.ServicerContext) -> None:
        context.set_trailing_metadata(((CHANGES, str(telling.changes)),))

    def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
        response: bytes = handler.unary_unary(request, context)
        count(context)
        return response

    def stream(requests: Any, context: grpc.ServicerContext) -> Iterator[bytes]:
        try:
            yield from (handler.unary_stream or handler.stream_stream)(requests, context)
        finally:
            count(context)

    if handler.unary_unary is not None:
        return grpc.unary_unary_rpc_method_handler(answer)
    if handler.unary_stream is not None:
        return grpc.unary_stream_rpc_method_handler(stream)
    return grpc.stream_stream_rpc_method_handler(stream)


def _states(store: Catalog) -> dict[str, State]:
    return {collection.current.settings.name: _state(collection) for collection in store.followed()}


def _state(collection: Collection) -> State:
    fault = collection.read_only
    read_only = [fault.file, fault.found] if isinstance(fault, ReadOnly) else None
    return {"token": collection.current.token, "line": collection.coming, "read_only": read_only}
