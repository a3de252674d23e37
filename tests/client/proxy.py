"""A way to a server that is far: every byte is late by a fixed time, and the way may break."""

import socket
import threading
from contextlib import suppress

FAR = 0.15
"""Seconds that a byte takes, each way."""


class Proxy:
    """Listens on ``target`` and hands on to *port*, both ways, what comes in, *delay* seconds later.

    With *breaks* each connection ends with the first bytes after the ones that open it.
    """

    def __init__(self, port: int, *, delay: float = 0.0, breaks: bool = False) -> None:
        self._port, self._delay, self._breaks = port, delay, breaks
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.target = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._ended = threading.Event()
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections, and let those that are open go."""
        self._ended.set()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                self.connections += 1
                far = socket.create_connection(("127.0.0.1", self._port))
                for source, sink, breaks in ((near, far, self._breaks), (far, near, False)):
                    arguments = (source, sink, breaks)
                    threading.Thread(target=self._pump, args=arguments, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, breaks: bool) -> None:
        with suppress(OSError):
            while received := source.recv(1 << 16):
                # The path of a call stands in its headers as text, unlike anything that opens a connection.
                if (breaks and b"StoreService" in received) or self._ended.wait(self._delay):
                    break
                sink.sendall(received)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
