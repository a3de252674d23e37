"""Calls that end only when somebody ends them: the work is a kernel's, which holds no lock of the interpreter."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from google.protobuf.message import Message

from passageway.v1 import store_pb2
from passageway_server.authz.callers import Caller
from passageway_server.engine.kernels.paths_bounds import spread
from passageway_server.values.halt import Halt
from passageway_server.version.catalog import Catalog
from passageway_server.wire.dispatch import Call, Reading, Streaming
from passageway_server.wire.server import CALLS


class Endless:
    """The table of calls, with Get and Export without an end."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Semaphore(0), threading.Semaphore(0)
        self.count = 0
        self._lock = threading.Lock()

    @property
    def calls(self) -> Mapping[str, Call]:
        """The table."""
        get = CALLS["GraphService/Get"]
        assert isinstance(get, Reading)
        export = Streaming(store_pb2.ExportRequest, self._export)
        return {
            **CALLS,
            "GraphService/Get": replace(get, serve=self._get),
            "StoreService/Export": export,
        }

    def wait_until_all_ended(self) -> None:
        """Wait for the end of each call that began; no more may begin."""
        for _ in range(self.count):
            assert self.ended.acquire(timeout=60), "a call goes on"

    def _get(self, _store: Catalog, _caller: Caller, _asked: object, halt: Halt) -> object:
        with self._lock:
            self.count += 1
        self.begun.release()
        try:
            edges = np.zeros(1000, dtype=np.int32)
            spread(
                edges, edges, np.array([0, 1000, 0]), np.zeros(1, dtype=np.uint8),
                1, 1 << 60, 1 << 61, halt.flag,
            )  # fmt: skip
            halt.spent()
            raise AssertionError("the kernel came to its end")
        finally:
            self.ended.release()

    def _export(
        self, _store: Catalog, _caller: Caller, _asked: Iterator[object]
    ) -> Iterator[Message]:
        try:
            while True:
                yield store_pb2.ExportResponse(version="1")
        finally:
            self.ended.release()
