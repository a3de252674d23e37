"""The server without a network: for `passageway.open`, and for tests.

Bytes pass through the same table of calls, the same refusals and the same errors as those that come by gRPC.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from google.rpc import status_pb2

from passageway._channel import Watched
from passageway._embedder import Embedder
from passageway._errors import PassagewayError as ClientError
from passageway._errors import Unavailable, from_status
from passageway._transport import Method, Request, Response, Transport
from passageway_server.authz.callers import OPERATOR, Caller
from passageway_server.errors import InvalidRequest
from passageway_server.values.halt import Halt
from passageway_server.values.principals import principal_fault
from passageway_server.version.marking import marked
from passageway_server.version.store import Store
from passageway_server.wire.dispatch import Dispatch, Metadata
from passageway_server.wire.embedding import guarded
from passageway_server.wire.ending import halted_after
from passageway_server.wire.errors import failure
from passageway_server.wire.server import CALLS

__all__ = ["Caller", "LocalServer", "LocalTransport", "Reply", "open_local"]


@dataclass(frozen=True, slots=True)
class Reply:
    """All that reaches a caller: ``details`` is a serialized google.rpc.Status, empty when all is well."""

    code: str
    message: str = ""
    details: bytes = b""
    trailers: tuple[tuple[str, str | bytes], ...] = ()
    response: bytes = b""


class LocalServer:
    """A server whose callers are given, not identified. With a *clock*, answers depend on nothing else."""

    def __init__(self, data: Path | None = None, *, clock: Callable[[], int] | None = None) -> None:
        if clock is None:
            self._store = Store.open(data)
            self._dispatch = Dispatch(self._store, CALLS)
        else:
            self._store = Store.open(data, now=clock)
            self._dispatch = Dispatch(self._store, CALLS, stopwatch=lambda: 0)
        self._close = self._store.close if data is None else marked(self._store)

    @property
    def store(self) -> Store:
        """The collections behind it."""
        return self._store

    def call(
        self, method: str, request: bytes, *, caller: Caller, metadata: Metadata = ()
    ) -> Reply:
        """The whole reply to one call of one message, such as ``GraphService/Expand``."""
        try:
            response = self._dispatch.unary(
                method, _whole(caller), metadata=metadata, request=request, halt=Halt()
            )
        except Exception as error:
            return _refusal(error, method)
        return Reply("OK", response=response)

    def stream(
        self, method: str, requests: Iterable[bytes], *, caller: Caller, metadata: Metadata = ()
    ) -> tuple[list[bytes], Reply]:
        """The responses of a streaming call, and the reply with which it ended."""
        responses: list[bytes] = []
        try:
            responses.extend(
                self._dispatch.streaming(
                    method, _whole(caller), metadata=metadata, requests=iter(requests)
                )
            )
        except Exception as error:
            return responses, _refusal(error, method)
        return responses, Reply("OK")

    def close(self) -> None:
        """Write what is newer than its snapshot, and let the folder go."""
        self._close()


class LocalTransport:
    """A client's way into an engine of the same process. Timeouts are deadlines, as on a channel: reads stop at theirs."""

    def __init__(self, store: Store, caller: Caller) -> None:
        """Over *store*, which has a folder."""
        self._close: Callable[[], None] | None = marked(store)
        self._dispatch = Dispatch(store, CALLS)
        self._caller = caller

    def unary(
        self, method: Method[Request, Response], request: Request, *, timeout: float
    ) -> Response:
        """The response to *request*, within *timeout* seconds where it is a read."""
        self._check_open()
        name, encoded = _name(method.path), request.SerializeToString()
        try:
            with halted_after(timeout) as halt:
                response = self._dispatch.unary(
                    name, self._caller, metadata=(), request=encoded, halt=halt
                )
        except Exception as error:
            raise _client_error(error, name) from None
        return method.response.FromString(response)

    def stream(
        self, method: Method[Request, Response], requests: Iterable[Request], *, timeout: float
    ) -> Iterator[Response]:
        """Responses as they come, within *timeout* seconds; an error of *requests* itself is raised as it is."""
        self._check_open()
        name, watched = _name(method.path), Watched(requests)
        encoded = (request.SerializeToString() for request in watched)
        try:
            with halted_after(timeout) as halt:
                for response in self._dispatch.streaming(
                    name, self._caller, metadata=(), requests=encoded, halt=halt
                ):
                    yield method.response.FromString(response)
        except Exception as error:
            raise watched.error or _client_error(error, name) from None

    def close(self) -> None:
        """Write what is newer than its snapshot, and let the folder go."""
        close, self._close = self._close, None
        if close is not None:
            try:
                close()
            except Exception as error:
                raise _client_error(error, "close") from None

    def _check_open(self) -> None:
        if self._close is None:
            raise Unavailable("the folder was closed; open it again")


def open_local(
    directory: str | os.PathLike[str],
    *,
    principals: Sequence[str] | None = None,
    create: bool = True,
    embedder: Embedder | None = None,
) -> Transport:
    """The engine over *directory*, whose lock it holds until it is closed; *create* makes it where there is none.

    *embedder* makes vectors of the texts of queries.

    The caller is ``public`` and *principals*; without them, ``public`` with every role. Raises the client's errors.
    """
    try:
        faults = [(one, fault) for one in principals or () if (fault := principal_fault(one))]
        if faults:
            raise InvalidRequest.one("principals", f"{faults[0][0]!r}: {faults[0][1]}")
        caller = OPERATOR if principals is None else Caller.holding(principals)
        store = Store.open(Path(directory), create=create)
        store.embed = None if embedder is None else guarded(embedder)
        return LocalTransport(store, caller)
    except Exception as error:
        raise _client_error(error, "open") from None


def _whole(caller: Caller) -> Caller:
    """*caller* with what every caller holds."""
    if caller.sub:
        whole = Caller.known(caller.sub, principals=caller.principals, roles=caller.roles)
    else:
        whole = Caller.holding(caller.principals, roles=caller.roles)
    return whole.before(caller.audiences)


def _refusal(error: Exception, method: str) -> Reply:
    failed = failure(error, call=method)
    return Reply(failed.code, failed.message, failed.details, failed.trailers)


def _client_error(error: Exception, call: str) -> ClientError:
    return from_status(status_pb2.Status.FromString(failure(error, call=call).details))


def _name(path: str) -> str:
    """``GraphService/Expand`` of ``/passageway.v1.GraphService/Expand``."""
    return path.rpartition(".")[2]
