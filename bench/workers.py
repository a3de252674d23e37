"""What does a second worker cost, and how soon does each of them see a commit?

Server CPU seconds a call: Expand over gRPC on a random graph, by the same callers, with one process and with two readers and
an owner; all processes of the server are counted. Then a row is put by way of one reader, and read at that version by way of the
other: from the acknowledgement to the answer.

    python -m bench.workers [--out FILE]
"""

import os
import random
import statistics
import tempfile
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from bench.measure import run_bench
from bench.programs import Serving, serving
from passageway.v1 import graph_pb2, query_pb2, read_pb2, store_pb2

NODES, EDGES = 50_000, 250_000
CALLERS, CALLS, ROUNDS = 4, 400, 3  # calls of each caller, in each round
COMMITS = 100
_BATCH = 5_000
_TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """``passageway serve`` with some workers."""

    def __init__(self, running: Serving) -> None:
        self._address = running.address
        self._pids = [running.process.pid, *_children(running.process.pid)]

    def cpu_seconds(self) -> float:
        """What all its processes have used."""
        return sum(_cpu_seconds(pid) for pid in self._pids)

    def channels(self, count: int) -> list[grpc.Channel]:
        """Connections of their own, so that each may lead to another process."""
        alone = [("grpc.use_local_subchannel_pool", 1)]
        return [grpc.insecure_channel(self._address, alone) for _ in range(count)]


@contextmanager
def served(data: Path, workers: int) -> Generator[Server]:
    """A server that listens, ended in the end."""
    with serving(data, "--workers", str(workers)) as running:
        yield Server(running)


def measure() -> dict[str, Any]:
    """CPU milliseconds of a call, by how many workers there are, and the milliseconds of a commit to the other reader."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with served(data, 1) as server:
            _load(server.channels(1)[0])
        used: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(ROUNDS):  # by turns, for whatever else this machine does
            for workers, found in used.items():
                with served(data, workers) as server:
                    found.append(_cpu_of_a_call(server))
        with served(data, 2) as server:
            delays = sorted(_delays(server))
    best = {workers: min(found) for workers, found in used.items()}
    return {
        "cpu milliseconds a call": {str(workers): each for workers, each in best.items()},
        "as a multiple": best[2] / best[1],
        "milliseconds to the other reader": {
            "median": statistics.median(delays),
            "p99": delays[int(len(delays) * 0.99)],
            "worst": delays[-1],
        },
    }


def _cpu_of_a_call(server: Server) -> float:
    channels = server.channels(CALLERS)
    requests = _requests()
    for channel in channels:
        _expand(channel)(requests[0], timeout=60)
    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(_call_all, channels, [requests[:50]] * CALLERS))  # warm
        before = server.cpu_seconds()
        list(callers.map(_call_all, channels, [requests] * CALLERS))
        used = server.cpu_seconds() - before
    for channel in channels:
        channel.close()
    return used / (CALLERS * CALLS) * 1e3


def _call_all(channel: grpc.Channel, requests: list[bytes]) -> None:
    call = _expand(channel)
    for request in requests:
        call(request, timeout=60)


def _expand(channel: grpc.Channel) -> "grpc.UnaryUnaryMultiCallable[bytes, bytes]":
    return channel.unary_unary("/passageway.v1.GraphService/Expand", bytes, bytes)


def _requests() -> list[bytes]:
    chosen = random.Random(11)
    return [
        graph_pb2.ExpandRequest(
            collection="c",
            seeds=[graph_pb2.SeedGroup(ids=[f"n{chosen.randrange(NODES)}" for _ in range(8)])],
            hops=[graph_pb2.Hop(decay=0.5, max_per_node=100, max_frontier=1000)] * 2,
            limit=50,
            fields=["name", "type", "content"],
        ).SerializeToString()
        for _ in range(CALLS)
    ]


def _delays(server: Server) -> Iterator[float]:
    """Milliseconds from an acknowledgement to the answer of each of several connections at that version."""
    channels = server.channels(8)
    put = channels[0].unary_unary(
        "/passageway.v1.StoreService/Apply",
        store_pb2.ApplyRequest.SerializeToString,
        store_pb2.ApplyResponse.FromString,
    )
    for number in range(COMMITS):
        request = store_pb2.ApplyRequest(collection="c")
        request.batch.put_nodes.add(id=f"late{number}", name="late")
        version = put(request, timeout=60).version
        begun = time.perf_counter()
        read = query_pb2.ReadOptions(at_least_version=version)
        wanted = read_pb2.GetRequest(collection="c", ids=[f"late{number}"], read=read)
        answers = [
            channel.unary_unary(
                "/passageway.v1.GraphService/Get",
                read_pb2.GetRequest.SerializeToString,
                read_pb2.GetResponse.FromString,
            ).future(wanted, timeout=60)
            for channel in channels
        ]
        for answer in answers:
            assert len(answer.result().nodes) == 1
        yield (time.perf_counter() - begun) * 1e3


def _load(channel: grpc.Channel) -> None:
    create = channel.unary_unary(
        "/passageway.v1.StoreService/CreateCollection",
        store_pb2.CreateCollectionRequest.SerializeToString,
        store_pb2.Collection.FromString,
    )
    settings = store_pb2.Collection(name="c", default_readers=["public"])
    create(store_pb2.CreateCollectionRequest(collection=settings), timeout=60)
    load = channel.stream_stream(
        "/passageway.v1.StoreService/Load",
        store_pb2.LoadRequest.SerializeToString,
        store_pb2.LoadResponse.FromString,
    )
    for _ in load(_batches(), timeout=600):
        pass


def _batches() -> Iterator[store_pb2.LoadRequest]:
    chosen = random.Random(5)
    for start in range(0, NODES, _BATCH):
        request = store_pb2.LoadRequest(collection="c")
        for number in range(start, start + _BATCH):
            text = f"the node of number {number}, which says little more than that"
            request.batch.put_nodes.add(id=f"n{number}", type="T", name=f"N {number}", content=text)
        yield request
    for start in range(0, EDGES, _BATCH):
        request = store_pb2.LoadRequest(collection="c")
        for number in range(start, start + _BATCH):
            source, target = chosen.randrange(NODES), int(NODES * chosen.random() ** 2)
            request.batch.put_edges.add(
                id=f"e{number}", source=f"n{source}", target=f"n{target}", type="E", weight=0.5
            )
        yield request


def _children(pid: int) -> list[int]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(each) for children in lists for each in children.read_text().split()]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


if __name__ == "__main__":
    run_bench("workers", measure)
