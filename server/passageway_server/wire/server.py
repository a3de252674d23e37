"""The server: a synchronous gRPC server with a pool of threads, over the store of one folder.

SO_REUSEPORT is off, so that a second server on a port fails. A stop drains: no new calls, those in flight end, then what
is newer than its snapshot is written.
"""

import signal
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from logging import WARNING
from pathlib import Path
from types import FrameType

import grpc
from grpc_reflection.v1alpha import reflection_pb2_grpc

from passageway_server.authz.identity import check_listen, identity
from passageway_server.errors import SettingInvalid
from passageway_server.version.store import Store
from passageway_server.wire.dispatch import PACKAGE, Call, Dispatch
from passageway_server.wire.graph_servicer import CALLS as GRAPH_CALLS
from passageway_server.wire.handlers import Handlers
from passageway_server.wire.health import SERVICE as HEALTH
from passageway_server.wire.health import Health
from passageway_server.wire.interceptor import Outermost
from passageway_server.wire.journal import to_stderr, write
from passageway_server.wire.reflection import SERVICE as REFLECTION
from passageway_server.wire.reflection import Reflection
from passageway_server.wire.store_servicer import CALLS as STORE_CALLS
from passageway_server.wire.warm import warm

CALLS: Mapping[str, Call] = {**GRAPH_CALLS, **STORE_CALLS}
"""Every call of the contract."""

_SERVICES = (f"{PACKAGE}.GraphService", f"{PACKAGE}.StoreService", HEALTH, REFLECTION)
_MOST_BYTES = 64 * 1024 * 1024
_OPTIONS: list[tuple[str, int]] = [
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", _MOST_BYTES),
    ("grpc.max_send_message_length", _MOST_BYTES),
    # A token has 8 KiB at most; for whom a call asks, 64 KiB a value. The default would cut near the former.
    ("grpc.max_metadata_size", 192 * 1024),
    ("grpc.absolute_max_metadata_size", 256 * 1024),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is started with.

    ``data`` None keeps everything in memory. Without ``auth`` the mode is tokens where there is a file of
    them, else none. ``reflection`` None is on in mode none and off elsewhere. Of the ``threads``, of which
    there are at least 2, streams hold half at most. ``grace`` is how many seconds a stop waits for calls in
    flight.
    """

    data: Path | None = None
    listen: str = "127.0.0.1:50051"
    auth: str | None = None
    tokens: Path | None = None
    reflection: bool | None = None
    threads: int = 32
    grace: float = 30.0


class Server:
    """A server that is running, from construction on until `stop`."""

    def __init__(self, settings: Settings, *, calls: Mapping[str, Call] = CALLS) -> None:
        """Bind, open the folder, and serve. Raises SettingInvalid, FolderInUse, FormatTooNew."""
        known = identity(settings.auth, tokens=settings.tokens)
        check_listen(settings.listen, mode=known.mode)
        if settings.threads < 2:
            raise SettingInvalid("threads", [f"{settings.threads}: expected 2 or more"])
        self._grace = settings.grace
        self._server = grpc.server(
            ThreadPoolExecutor(settings.threads, thread_name_prefix="call"),
            interceptors=[Outermost(streams=settings.threads // 2)],
            options=_OPTIONS,
        )
        self.port = _bound(self._server, settings.listen)
        try:
            self._store = Store.open(settings.data)
            warm()
        except BaseException:
            self._server.stop(None)
            raise
        self._health = Health(self._store, known)
        self._reflection = Reflection(_SERVICES, known)
        handlers = Handlers(Dispatch(self._store, calls), known)
        self._server.add_generic_rpc_handlers([handlers, self._health.handler()])
        if settings.reflection if settings.reflection is not None else known.mode == "none":
            reflection_pb2_grpc.add_ServerReflectionServicer_to_server(
                self._reflection, self._server
            )
        self.address = f"{settings.listen.rpartition(':')[0]}:{self.port}"
        self._server.start()
        write("started", address=self.address, auth=known.mode)
        for name, damage in self._store.damaged.items():
            write("damaged", collection=name, reason=damage.reason)
        if settings.tokens is not None and settings.tokens.stat().st_mode & 0o022:
            write("tokens file is writable by others", level=WARNING)

    def stop(self) -> None:
        """Take no more calls, let those in flight end within the grace, write what is new, let the folder go."""
        try:
            self._health.drain()
            self._reflection.drain()
            self._server.stop(self._grace).wait()
        finally:
            self._store.close()
        write("stopped", address=self.address)


def serve(settings: Settings, *, ready: Callable[[str], None] = print) -> None:
    """Serve until SIGTERM or SIGINT, then drain. *ready* is told ``listening on HOST:PORT``, once it is so.

    To be called in the main thread. One signal is enough, also before it listens; a second one ends the process at
    once.
    """
    to_stderr()
    asked_to_stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        for each in before:
            signal.signal(each, signal.SIG_DFL)
        asked_to_stop.set()

    for number in before:
        signal.signal(number, stop)
    try:
        server = Server(settings)
        try:
            ready(f"listening on {server.address}")
            asked_to_stop.wait()
        finally:
            server.stop()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _bound(server: grpc.Server, listen: str) -> int:
    _check_free(listen)
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


def _check_free(listen: str) -> None:
    """Raise SettingInvalid where no address of *listen* can be bound: gRPC would tell the cause on stderr alone."""
    host, _, port = listen.rpartition(":")
    fault = ""
    try:
        found = socket.getaddrinfo(
            host.removeprefix("[").removesuffix("]"), int(port), type=socket.SOCK_STREAM
        )
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as gRPC binds
                try:
                    tried.bind(address)
                except OSError as cause:
                    fault = cause.strerror or str(cause)
                else:
                    return
    except OSError as cause:
        fault = cause.strerror or str(cause)
    raise SettingInvalid(
        "listen",
        [
            f"{listen} cannot be bound ({fault}): another server may listen there, or the address is not of this machine"
        ],
    )
