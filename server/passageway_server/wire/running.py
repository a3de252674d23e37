"""Serving until a signal says stop, by one process or several; nothing of a server is imported before it is needed."""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Protocol

from passageway_server.wire.settings import Settings

Ready = Callable[[str], None]


class Running(Protocol):
    """What serves from its construction on, at ``address``, until `stop` has drained it."""

    address: str

    def stop(self) -> None:
        """Take no more calls, let those in flight end, and let everything go."""
        ...


def serve(settings: Settings, *, ready: Ready = print) -> None:
    """Serve as *settings* say until SIGTERM or SIGINT, as `until_told` does; the log goes to stderr."""
    if settings.workers > 1 and settings.follow is None:
        from passageway_server.wire.workers.supervisor import supervise  # it makes no gRPC object

        supervise(settings, ready=ready)
    elif settings.follow is not None:
        from passageway_server.wire.replica import follow

        follow(settings, ready=ready)
    else:
        from passageway_server.wire.server import serve as serve_alone

        serve_alone(settings, ready=ready)


def until_told(start: Callable[[], Running], *, ready: Ready) -> None:
    """Run what *start* gives until SIGTERM or SIGINT. *ready* is told ``listening on HOST:PORT``, once it is so.

    To be called in the main thread. One signal is enough, also before it listens; a second one ends the process at
    once.
    """
    asked_to_stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        for each in before:
            signal.signal(each, signal.SIG_DFL)
        asked_to_stop.set()

    for number in before:
        signal.signal(number, stop)
    try:
        running = start()
        try:
            ready(f"listening on {running.address}")
            asked_to_stop.wait()
        finally:
            running.stop()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
