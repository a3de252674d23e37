"""Servers in processes of their own that tests kill, and the calls that are made to them."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self, TypeVar

import grpc
from google.protobuf.message import Message

from passageway.v1 import query_pb2, read_pb2, store_pb2, types_pb2
from tests.peers import CHANNEL_OPTIONS
from tests.wire.serving import Failed

Answer = TypeVar("Answer", bound=Message)
PATIENCE = 60
"""Seconds after which a test gives up: far more than anything takes."""


@dataclass(frozen=True, slots=True)
class Hatched:
    """A server that is running: the number of its process, and where it listens."""

    pid: int
    address: str

    def kill(self) -> None:
        """End it without a word, and return once it is gone and holds nothing."""
        with ending([self.pid]):
            os.kill(self.pid, signal.SIGKILL)


@contextmanager
def ending(pids: Iterable[int]) -> Generator[None]:
    """Processes that end by what is done in the block: after it they are gone with all of their threads, and hold nothing."""
    watched = {os.pidfd_open(pid): pid for pid in pids}
    try:
        yield
        for each, pid in watched.items():
            assert select.select([each], [], [], PATIENCE)[0], f"{pid} does not end"
    finally:
        for each in watched:
            os.close(each)


class Hatchery:
    """A process that begins servers (hatching.py)."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def serve(self, data: Path) -> Hatched:
        """A server of the folder *data*, ready for calls."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{data}\n")
        self._process.stdin.flush()
        pid, _, said = line_of(self._process.stdout).partition(" ")
        assert said.startswith("listening on "), said
        return Hatched(int(pid), said.removeprefix("listening on "))


@contextmanager
def hatchery() -> Generator[Hatchery]:
    """One for as long as the block lasts; servers that are left then are killed."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.crash.hatching"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        try:
            yield Hatchery(process)
        finally:
            process.communicate(timeout=PATIENCE)  # which ends its input


def line_of(output: IO[str]) -> str:
    """The next line that a process says."""
    assert select.select([output], [], [], PATIENCE)[0], "it does not say a word"
    return output.readline().strip()


class Calls:
    """A channel to a server that trusts everyone, and calls over it that raise `Failed`."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel

    @classmethod
    def to(cls, address: str) -> Self:
        """Over a connection of its own."""
        options = [*CHANNEL_OPTIONS, ("grpc.use_local_subchannel_pool", 1)]
        return cls(grpc.insecure_channel(address, options))

    def close(self) -> None:
        """Close the channel."""
        self.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, request: Message, answer: type[Answer]) -> Answer:
        """One call by its name, such as ``GraphService/Get``."""
        send = self.channel.unary_unary(
            f"/passageway.v1.{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        try:
            response: Answer = send(request, timeout=PATIENCE)
        except grpc.RpcError as error:
            raise Failed(error) from None
        return response

    def create(self, name: str) -> None:
        """Make a collection whose rows everyone reads."""
        settings = store_pb2.Collection(name=name, default_readers=["public"])
        self.call(
            "StoreService/CreateCollection",
            store_pb2.CreateCollectionRequest(collection=settings),
            store_pb2.Collection,
        )

    def apply(self, collection: str, batch: store_pb2.Batch) -> str:
        """Commit a batch; its version."""
        request = store_pb2.ApplyRequest(collection=collection, batch=batch)
        return self.call("StoreService/Apply", request, store_pb2.ApplyResponse).version

    def get(
        self, collection: str, ids: Iterable[str], *, at_least: str = ""
    ) -> dict[str, types_pb2.Node]:
        """Those of *ids* that are there, at a version or a later one."""
        read = query_pb2.ReadOptions(at_least_version=at_least) if at_least else None
        found: dict[str, types_pb2.Node] = {}
        asked = list(ids)
        for start in range(0, len(asked), 1000):
            part = asked[start : start + 1000]
            request = read_pb2.GetRequest(collection=collection, ids=part, read=read)
            nodes = self.call("GraphService/Get", request, read_pb2.GetResponse).nodes
            found |= {node.id: node for node in nodes}
        return found
