"""The server: a synchronous gRPC server with a pool of threads, over the store of one folder.

SO_REUSEPORT is off, so that a second server on a port fails; readers beside each other (wire/workers/) share one. A stop
drains: no new calls, those in flight end, then what is newer than its snapshot is written.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from logging import WARNING
from typing import ClassVar

import grpc
from grpc_reflection.v1alpha import reflection_pb2_grpc

from passageway_server.authz.identity import Identity, check_listen, identity
from passageway_server.errors import SettingInvalid
from passageway_server.version.catalog import Catalog
from passageway_server.wire.dispatch import PACKAGE, Call, Dispatch
from passageway_server.wire.embedding import named
from passageway_server.wire.graph_servicer import CALLS as GRAPH_CALLS
from passageway_server.wire.handlers import Handlers
from passageway_server.wire.health import SERVICE as HEALTH
from passageway_server.wire.health import Health
from passageway_server.wire.interceptor import Outermost
from passageway_server.wire.journal import to_stderr, write
from passageway_server.wire.opening import opened
from passageway_server.wire.ports import check_free
from passageway_server.wire.reflection import SERVICE as REFLECTION
from passageway_server.wire.reflection import Reflection
from passageway_server.wire.running import until_told
from passageway_server.wire.settings import Settings as Settings
from passageway_server.wire.store_servicer import CALLS as STORE_CALLS
from passageway_server.wire.warm import warm

CALLS: Mapping[str, Call] = {**GRAPH_CALLS, **STORE_CALLS}
"""Every call of the contract."""

_SERVICES = (f"{PACKAGE}.GraphService", f"{PACKAGE}.StoreService", HEALTH, REFLECTION)
MOST_BYTES = 64 * 1024 * 1024
OPTIONS: list[tuple[str, int]] = [
    ("grpc.max_receive_message_length", MOST_BYTES),
    ("grpc.max_send_message_length", MOST_BYTES),
    # A token has 8 KiB at most; for whom a call asks, 64 KiB a value. The default would cut near the former.
    ("grpc.max_metadata_size", 192 * 1024),
    ("grpc.absolute_max_metadata_size", 256 * 1024),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
]


class Server:
    """A server that is running, from construction on until `stop`."""

    _shares_port: ClassVar[bool] = False

    def __init__(self, settings: Settings, *, calls: Mapping[str, Call] = CALLS) -> None:
        """Bind, open the folder, and serve. Raises SettingInvalid, FolderInUse, FormatTooNew."""
        known = identity(settings.auth, tokens=settings.tokens)
        if settings.threads < 2:
            raise SettingInvalid("threads", [f"{settings.threads}: expected 2 or more"])
        self._settings = settings
        self._server = grpc.server(
            ThreadPoolExecutor(settings.threads, thread_name_prefix="call"),
            interceptors=[Outermost(streams=settings.threads // 2)],
            options=[*OPTIONS, ("grpc.so_reuseport", int(self._shares_port))],
        )
        self.address = "" if self._shares_port else self._bound(known)
        try:
            embed = None if settings.embedder is None else named(settings.embedder)
            self._store, self._close = self._opened()
            self._store.embed = embed
            warm()
            if (
                self._shares_port
            ):  # from then on it is handed connections, which others would serve before
                self.address = self._bound(known)
        except BaseException:
            self._server.stop(None)
            raise
        self._health = self._health_of(known)
        self._reflection = Reflection(_SERVICES, known)
        handlers = self._handlers(Dispatch(self._store, calls), known)
        self._server.add_generic_rpc_handlers([*handlers, self._health.handler()])
        if settings.reflection if settings.reflection is not None else known.mode == "none":
            reflection_pb2_grpc.add_ServerReflectionServicer_to_server(
                self._reflection, self._server
            )
        self._server.start()
        write("started", address=self.address, auth=known.mode)
        for name, damage in self._store.damaged.items():
            write("damaged", collection=name, reason=damage.reason)
        if settings.tokens is not None and settings.tokens.stat().st_mode & 0o022:
            write("tokens file is writable by others", level=WARNING)

    def _bound(self, known: Identity) -> str:
        """Bind, and say the address."""
        listen = self._settings.listen
        check_listen(listen, mode=known.mode)
        if not self._shares_port:
            check_free(listen)
        return f"{listen.rpartition(':')[0]}:{_port(self._server, listen)}"

    def _opened(self) -> tuple[Catalog, Callable[[], None]]:
        """The collections that are served, and what lets them go after the last call."""
        return opened(self._settings)

    def _handlers(self, dispatch: Dispatch, known: Identity) -> Sequence[grpc.GenericRpcHandler]:
        """What answers the calls of the contract."""
        return [Handlers(dispatch, known)]

    def _health_of(self, known: Identity) -> Health:
        """What says whether the server, and each collection, serves."""
        return Health(self._store, known)

    def stop(self) -> None:
        """Take no more calls, let those in flight end within the grace, write what is new, let the folder go."""
        try:
            self._health.drain()
            self._reflection.drain()
            self._server.stop(self._settings.grace).wait()
        finally:
            self._close()
        write("stopped", address=self.address)


def serve(settings: Settings, *, ready: Callable[[str], None] = print) -> None:
    """Serve by one process until it is told to stop, as ``running.until_told`` does."""
    to_stderr()
    until_told(lambda: Server(settings), ready=ready)


def _port(server: grpc.Server, listen: str) -> int:
    try:
        port = server.add_insecure_port(listen)
    except RuntimeError:
        port = 0
    if not port:
        raise SettingInvalid(
            "listen",
            [f"{listen} cannot be bound: another server may listen there"],
        )
    return port
