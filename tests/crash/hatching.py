"""A process in which all of a server is loaded: for each folder that it reads a line of, it begins a server of its own.

A server that is begun so is the one of ``passageway serve``, but for the second that loading takes. The answer is a line too: the
number of the process and where it listens, or what went wrong.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from passageway_server.wire.server import Settings, serve
from passageway_server.wire.warm import warm


def main() -> None:
    """Hatch servers until the input ends, and with it those that are left."""
    warm()
    assert threading.active_count() == 1, "only the thread that forks is there afterwards"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that are killed
    hatched: list[int] = []
    while line := sys.stdin.readline():
        process = os.fork()
        if process == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _be_a_server(Path(line.removesuffix("\n")))
        hatched.append(os.pidfd_open(process))
    for each in hatched:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(each, signal.SIGKILL)


def _be_a_server(data: Path) -> None:
    """Never returns: the loop above is the parent's."""
    status = 1
    try:
        serve(Settings(data, "127.0.0.1:0", auth="none"), ready=_say)
        status = 0
    except Exception as error:
        _say(f"failed {error!r}")
    finally:
        os._exit(status)


def _say(words: str) -> None:
    sys.stdout.write(f"{os.getpid()} {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
