"""A process of a server, started by its supervisor: ``python -m passageway_server.wire.workers``.

SIGTERM drains it. When its supervisor ends, however that comes about, it ends at once: what it acknowledged is durable.
"""

import os
import signal
import sys
import threading
from types import FrameType
from typing import IO

from passageway_server.errors import PassagewayError
from passageway_server.wire.journal import to_stderr
from passageway_server.wire.server import Server
from passageway_server.wire.workers.owner import Owner
from passageway_server.wire.workers.reader import Reader
from passageway_server.wire.workers.tasks import Begun, Task, encoded, receive


def main() -> int:
    """Be what the task says until SIGTERM."""
    # Bare, for what follows in it is only its end; a thread waits for that in a read of its own.
    told: IO[bytes] = os.fdopen(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    task = receive(told)
    to_stderr(process=task.name, pid=os.getpid())
    asked_to_stop, started = threading.Event(), threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if not started.is_set():
            os._exit(1)  # nobody is served yet, and a start may wait for long
        asked_to_stop.set()

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_end_with, args=(told,), name="supervised", daemon=True).start()
    try:
        server = _server(task)
    except PassagewayError as fault:
        _say(Begun(str(fault)))
        return 1
    try:
        started.set()
        _say(Begun())
        asked_to_stop.wait()
    finally:
        server.stop()
    return 0


def _server(task: Task) -> Server:
    if task.number:
        return Reader(task.listen, owner=task.socket)
    return Owner(task.listen)


def _say(begun: Begun) -> None:
    sys.stdout.buffer.write(encoded(begun))
    sys.stdout.buffer.flush()


def _end_with(supervisor: IO[bytes]) -> None:
    while supervisor.read(1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
