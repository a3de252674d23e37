"""Ports: whether one can be had, and one that is held for the processes that will share it."""

import socket

from passageway_server.errors import SettingInvalid

_REUSED = (socket.SOL_SOCKET, socket.SO_REUSEADDR)
_SHARED = (socket.SOL_SOCKET, socket.SO_REUSEPORT)


def check_free(listen: str) -> None:
    """Raise SettingInvalid where no address of *listen* can be bound: gRPC would tell the cause on stderr alone."""
    for tried in _bound(listen, first=True):
        tried.close()


class HeldPort:
    """A port of this process, that others who share it may listen on; ``address`` tells which.

    Nothing listens here. A server that shares no port finds it taken, and so does another of these.
    """

    def __init__(self, listen: str) -> None:
        """Hold ``host:port``, of 0 one that the system picks. Raises SettingInvalid."""
        host = listen.rpartition(":")[0]
        self._sockets = _bound(listen, first=False)
        for held in self._sockets:
            # In this order: until it is shared nobody else may bind it, and from then on only who shares it may.
            held.setsockopt(*_REUSED, 0)
            held.setsockopt(*_SHARED, 1)
        self.address = f"{host}:{self._sockets[0].getsockname()[1]}"

    def close(self) -> None:
        """Let the port go."""
        for held in self._sockets:
            held.close()


def _bound(listen: str, *, first: bool) -> list[socket.socket]:
    """Sockets bound to the addresses of *listen* that can be bound, all on one port; to the *first* of them alone."""
    host, _, port = listen.rpartition(":")
    sockets: list[socket.socket] = []
    fault = ""
    try:
        found = socket.getaddrinfo(
            host.removeprefix("[").removesuffix("]"), int(port), type=socket.SOCK_STREAM
        )
    except OSError as cause:
        found, fault = [], cause.strerror or str(cause)
    for family, kind, protocol, _, address in found:
        tried = socket.socket(family, kind, protocol)
        tried.setsockopt(*_REUSED, 1)  # as gRPC binds: connections that have ended are no hindrance
        try:
            taken = sockets[0].getsockname()[1] if sockets else address[1]
            tried.bind((address[0], taken, *address[2:]))
        except OSError as cause:
            fault = cause.strerror or str(cause)
            tried.close()
            continue
        sockets.append(tried)
        if first:
            break
    if not sockets:
        raise SettingInvalid(
            "listen",
            [
                f"{listen} cannot be bound ({fault}): another server may listen there, or the address is not of this machine"
            ],
        )
    return sockets
