"""An owner and one reader in this process, for tests that need no processes to end."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from passageway_server.wire.settings import Settings
from passageway_server.wire.workers.owner import Owner
from passageway_server.wire.workers.reader import Reader
from tests.wire.serving import Keys
from tests.workers.serving import Line


@dataclass(frozen=True, slots=True)
class Pair:
    """Both, and a line to the reader."""

    owner: Owner
    reader: Reader
    line: Line


@contextmanager
def pair(directory: Path, keys: Keys) -> Generator[Pair]:
    """A reader, and its owner of the folder ``data`` in *directory*; the owner may be stopped before the end."""
    socket, data = f"unix:{directory}/owner", directory / "data"
    owner = Owner(Settings(data, socket, tokens=keys.file, grace=1.0))
    reader = Reader(Settings(data, "127.0.0.1:0", tokens=keys.file), owner=socket)
    line = Line(reader.address)
    try:
        yield Pair(owner, reader, line)
    finally:
        line.channel.close()
        reader.stop()
        owner.stop()
