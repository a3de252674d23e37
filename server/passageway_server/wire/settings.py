"""What a server is started with; it imports nothing of a server, for a process that only starts others."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is started with.

    ``data`` None keeps everything in memory. Without ``auth`` the mode is tokens where there is a file of
    them, else none. ``reflection`` None is on in mode none and off elsewhere. Of the ``threads``, of which
    there are at least 2, streams hold half at most. ``grace`` is how many seconds a stop waits for calls in
    flight.

    ``workers`` of 2 and more are processes that read, beside one that writes (wire/workers/). ``follow``, a data
    folder or the URL of an object store, makes a replica of what another server keeps or publishes there; ``cache`` is
    where it keeps what it fetched from a URL. ``publish`` is the URL where this server publishes.

    ``fsync`` is "always", or "interval" for commits that are acknowledged before they are on the disk. A snapshot is
    written once the log since the last one has ``checkpoint_bytes``, or is ``checkpoint_seconds`` old.

    ``embedder`` is a ``module:callable`` that makes vectors of the texts of queries (wire/embedding.py).
    """

    data: Path | None = None
    listen: str = "127.0.0.1:50051"
    auth: str | None = None
    tokens: Path | None = None
    reflection: bool | None = None
    threads: int = 32
    grace: float = 30.0
    workers: int = 1
    follow: str | None = None
    publish: str | None = None
    cache: Path | None = None
    fsync: Literal["always", "interval"] = "always"
    checkpoint_bytes: int = 64 << 20
    checkpoint_seconds: float = 300.0
    embedder: str | None = None
