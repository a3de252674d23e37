"""What a supervisor gives a process to do, and the one line with which that says how its start went.

The task comes by stdin, which then stays open: when it ends, the supervisor has ended. The line goes to stdout.
"""

import json
import pickle
from dataclasses import dataclass, replace
from typing import IO

from passageway_server.wire.settings import Settings

MODULE = "passageway_server.wire.workers"


@dataclass(frozen=True, slots=True)
class Task:
    """The part of a server that a process is: the owner, which has ``number`` 0, or one of its readers.

    ``socket`` is the gRPC target of the owner.
    """

    number: int
    settings: Settings
    socket: str

    @property
    def name(self) -> str:
        """What the log calls the process."""
        return f"reader-{self.number}" if self.number else "owner"

    @property
    def listen(self) -> Settings:
        """The settings with the address at which this process itself is called."""
        return replace(self.settings, listen=self.socket) if not self.number else self.settings


@dataclass(frozen=True, slots=True)
class Begun:
    """How a start went: ``fault`` tells why it failed, and is empty where it did not."""

    fault: str = ""


def send(task: Task, pipe: IO[bytes]) -> None:
    """Give *task* to the process that reads *pipe*."""
    pickle.dump(task, pipe)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Task:
    """The task that the supervisor, and nobody else, wrote into *pipe*."""
    task = pickle.load(pipe)
    assert isinstance(task, Task)
    return task


def encoded(begun: Begun) -> bytes:
    """The line that tells of *begun*."""
    return json.dumps({"fault": begun.fault}).encode() + b"\n"


def decoded(line: bytes) -> Begun:
    """What a process told; where it ended without a word, that."""
    if not line.endswith(b"\n"):
        return Begun("it ended before it had started; its last lines on stderr tell more")
    return Begun(**json.loads(line))
