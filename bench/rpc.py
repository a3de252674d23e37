"""What a whole Expand costs over gRPC, beside an echo of the same size on the same channel.

Fifty hits with name, type and previews of 500 characters, one caller, from eight seeds of the Debian graph. The echo is
sent the bytes of the request and answers with the bytes of the answer, without looking at either. The time that the walk
takes in the engine is taken off: it is measured in the server, during these calls.

    python -m bench.rpc DATA_FOLDER [--out FILE]
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import grpc

from bench.measure import report
from passageway.v1 import graph_pb2
from passageway_server.authz.callers import Caller
from passageway_server.authz.identity import identity
from passageway_server.engine.walk import run_walk
from passageway_server.engine.walked import Walked
from passageway_server.service import expand as service
from passageway_server.version.store import Store
from passageway_server.wire.dispatch import Dispatch
from passageway_server.wire.findings import Findings
from passageway_server.wire.handlers import Handlers
from passageway_server.wire.interceptor import Outermost
from passageway_server.wire.messages.expand import from_message
from passageway_server.wire.server import CALLS

Call = Callable[[bytes], bytes]

ROUNDS, SEEDS, REQUESTS = 400, 8, 20
_LARGE = [("grpc.max_receive_message_length", 1 << 26), ("grpc.max_send_message_length", 1 << 26)]


class _Echo(grpc.GenericRpcHandler):
    """Answers the first bytes that it was ever sent to /echo/Keep, whatever /echo/Echo sends."""

    def __init__(self) -> None:
        self._kept = b""

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        behavior = {"/echo/Keep": self._keep, "/echo/Echo": self._echo}.get(
            handler_call_details.method
        )
        return behavior and grpc.unary_unary_rpc_method_handler(behavior)

    def _keep(self, request: bytes, _: grpc.ServicerContext) -> bytes:
        self._kept = request
        return b""

    def _echo(self, _request: bytes, _: grpc.ServicerContext) -> bytes:
        return self._kept


def _serve(data: Path) -> None:
    """Serve until stdin ends: first the port is printed, in the end the median of the seconds of all walks."""
    took: list[float] = []

    def timed_walk(*args: Any, **named: Any) -> Walked:
        begun = time.perf_counter()
        try:
            return run_walk(*args, **named)
        finally:
            took.append(time.perf_counter() - begun)

    server = grpc.server(ThreadPoolExecutor(32), interceptors=[Outermost()], options=_LARGE)
    dispatch = Dispatch(Store.open(data), CALLS)
    server.add_generic_rpc_handlers([_Echo(), Handlers(dispatch, identity("none"))])
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    with patch.object(service, "run_walk", timed_walk):
        server.start()
        sys.stdin.read()
        server.stop(None)
    print(statistics.median(took), flush=True)


def _requests(data: Path) -> list[bytes]:
    store = Store.open(data)
    version = store.collection("debian").current
    chosen = random.Random(7)
    packages = [
        version.nodes.ids[row]
        for row in chosen.sample(range(len(version.nodes)), 4000)
        if version.types[int(version.nodes.type[row])] == "package"
    ]
    caller = Caller.holding((), roles=("admin",))
    requests: list[bytes] = []
    while len(requests) < REQUESTS:
        message = graph_pb2.ExpandRequest(
            collection="debian",
            seeds=[graph_pb2.SeedGroup(ids=chosen.sample(packages, SEEDS))],
            hops=[graph_pb2.Hop(decay=0.5, max_degree=1000, max_per_node=100, max_frontier=1000)],
            limit=50,
            fields=["name", "type", "content"],
            content_max_chars=500,
        )
        answer = service.expand(store, caller, from_message(message, Findings()))
        if len(answer.hits) == 50:
            requests.append(message.SerializeToString())
    store.close()
    return requests


def _call(channel: grpc.Channel, method: str) -> Call:
    return channel.unary_unary(method, bytes, bytes)


def _median(call: Call, requests: list[bytes]) -> float:
    took: list[float] = []
    for i in range(ROUNDS):
        begun = time.perf_counter()
        call(requests[i % len(requests)])
        took.append(time.perf_counter() - begun)
    return statistics.median(took)


def measure(data: Path) -> dict[str, float]:
    """Medians in milliseconds, and the ratio that counts."""
    requests = _requests(data)
    command = [sys.executable, "-m", "bench.rpc", str(data), "--serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        port = int(server.stdout.readline())
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=_LARGE) as channel:
            expand = _call(channel, "/passageway.v1.GraphService/Expand")
            answer = max((expand(request) for request in requests), key=len)
            _call(channel, "/echo/Keep")(answer)
            echo = _call(channel, "/echo/Echo")
            pairs = [(_median(echo, requests), _median(expand, requests)) for _ in range(7)]
        server.stdin.close()
        walk = float(server.stdout.readline())
    echoed, expanded = (statistics.median(side) for side in zip(*pairs, strict=True))
    return {
        "answer_bytes": len(answer),
        "echo_ms": echoed * 1e3,
        "expand_ms": expanded * 1e3,
        "walk_ms": walk * 1e3,
        "ratio": (expanded - walk) / echoed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path(".bench/rpc.json"))
    parser.add_argument("--serve", action="store_true")
    chosen = parser.parse_args()
    if chosen.serve:
        _serve(chosen.data)
    else:
        report(chosen.out, {"rpc": measure(chosen.data)})


if __name__ == "__main__":
    main()
