"""A server of several processes, one of which is killed, over and over, while several write: nothing that was acknowledged is lost.

The processes take turns. What the others do goes on, and with the supervisor all end: port and folder are free.
"""

import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from itertools import cycle, islice
from pathlib import Path
from random import Random

from passageway.v1 import store_pb2, types_pb2
from passageway_server.storage.lock import FolderLock
from tests.crash.servers import Calls, ending
from tests.crash.sizes import PROCESS_KILLS, seed_of
from tests.crash.writers import NAME, Writer, writing
from tests.wire.serving import Failed
from tests.workers.serving import Served, served, two_workers, wait_until

WRITERS = 4
OWNER, READERS, SUPERVISOR = "owner", ("reader-1", "reader-2"), "supervisor"


def test_no_acknowledged_commit_is_lost_whichever_process_is_killed(tmp_path: Path) -> None:
    draw, data = Random(seed_of(6)), tmp_path / "data"
    writers = [Writer(f"w{number}", tmp_path) for number in range(WRITERS)]
    victims = cycle((OWNER, draw.choice(READERS), SUPERVISOR))
    with ExitStack() as running:
        server = running.enter_context(served(*two_workers(data)))
        with Calls.to(server.address) as calls:
            calls.create(NAME)
        for victim in islice(victims, PROCESS_KILLS):
            with writing(writers, server.address) as done:
                for _ in range(draw.choice((0, 1, 5, 15))):
                    done.acquire()
                if victim == SUPERVISOR:
                    end_with_supervisor(server, data)
                else:
                    server.kill(victim)

            if victim == SUPERVISOR:
                running.close()
                again = (*two_workers(data), "--listen", server.address)
                server = running.enter_context(served(*again))
            check(server, writers)
        check(server, writers, anew=True)


def end_with_supervisor(server: Served, data: Path) -> None:
    """Kill the supervisor: its processes end, and hold neither the port nor the folder."""
    with ending([server.running.pid, *(server.pid(name) for name in (OWNER, *READERS))]):
        server.running.kill()
    FolderLock(data).release()
    host, _, port = server.address.rpartition(":")
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # for connections that ended
        free.bind((host, int(port)))
        free.listen()


def check(server: Served, writers: list[Writer], *, anew: bool = False) -> None:
    """Both readers have all that was acknowledged, up to a commit that follows."""
    with both(server) as every:
        last = [commit_once_more(calls) for calls in every][-1]
        for writer in writers:
            writer.check(every, at_least=last, anew=anew)


def commit_once_more(calls: Calls) -> str:
    """A version after all that is there, once the owner is back and that reader has found it."""
    versions = list[str]()

    def taken() -> bool:
        try:
            versions.append(
                calls.apply(NAME, store_pb2.Batch(put_nodes=[types_pb2.Node(id="last")]))
            )
        except Failed as failed:
            if failed.info.reason != "NO_SERVER":
                raise
        return bool(versions)

    wait_until(taken)
    return versions[0]


@contextmanager
def both(server: Served) -> Generator[list[Calls]]:
    """Calls to each of the readers."""
    lines = server.lines()
    yield [Calls(line.channel) for line in lines.values()]
    for line in lines.values():
        line.channel.close()
