"""Real servers on a real disk that is full, or whose sync fails."""

import os
import re
import shutil
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from passageway.v1 import store_pb2
from tests.crash.servers import PATIENCE, Calls, Hatched, Hatchery, hatchery, line_of
from tests.wire.serving import Failed

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SIZE = 8 << 20
A_PART = 64 << 10


@pytest.fixture
def servers() -> Iterator[Hatchery]:
    with hatchery() as servers:
        yield servers


@contextmanager
def running(servers: Hatchery, data: Path) -> Generator[tuple[Hatched, Calls]]:
    """A server and a channel to it; in the end it is killed."""
    server = servers.serve(data)
    try:
        with Calls.to(server.address) as calls:
            yield server, calls
    finally:
        server.kill()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    where = tmp_path / "disk"
    where.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(where)]
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root mounts a small disk")
    if subprocess.run([mount, *options], check=False, capture_output=True).returncode:
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", str(where)], check=True)


def row(number: int, characters: int = A_PART) -> store_pb2.Batch:
    batch = store_pb2.Batch()
    batch.put_nodes.add(id=f"n{number}", content=chr(97 + number % 26) * characters)
    return batch


def fill_up(file: Path) -> None:
    """Let *file* take all the room that is left."""
    with file.open("wb", buffering=0) as rest:
        for part in (A_PART, 1):
            try:
                while rest.write(b"x" * part) == part:
                    pass
            except OSError:
                continue


def written_until_refused(calls: Calls, acknowledged: list[str]) -> Failed:
    """Commit rows that take all the room there is, name those that were acknowledged, and give the refusal."""
    for number in range(SIZE // A_PART):
        try:
            calls.apply("c", row(number))
        except Failed as full:
            return full
        acknowledged.append(f"n{number}")
    raise AssertionError("more was acknowledged than the disk holds")


def refusal(calls: Calls, batch: store_pb2.Batch, name: str = "c") -> Failed:
    with pytest.raises(Failed) as refused:
        calls.apply(name, batch)
    return refused.value


def test_a_full_disk_refuses_writes_and_not_reads_until_there_is_room(
    servers: Hatchery, small_disk: Path
) -> None:
    data, ballast = small_disk / "data", small_disk / "ballast"
    ballast.write_bytes(b"x" * (SIZE // 8 * 5))
    acknowledged: list[str] = []
    with running(servers, data) as (_, calls):
        calls.create("c")
        full = written_until_refused(calls, acknowledged)
        fill_up(small_disk / "rest")
        refused = [f"n{number}" for number in (len(acknowledged), 1000, 1001, 1002)]

        assert (full.code, full.info.reason) == ("RESOURCE_EXHAUSTED", "DISK_FULL")
        assert refusal(calls, row(1000)).code == "RESOURCE_EXHAUSTED"
        assert refusal(calls, row(1001, 5000)).info.reason == "DISK_FULL"
        assert list(calls.get("c", [*acknowledged, *refused])) == acknowledged

        ballast.unlink()
        for number in (2000, 2001):
            calls.apply("c", row(number))
            acknowledged.append(f"n{number}")
        fill_up(small_disk / "more")

    with running(servers, data) as (_, calls):
        assert list(calls.get("c", [*acknowledged, *refused])) == acknowledged
        for number in (1003, 1004):
            full = refusal(calls, row(number))
            assert (full.code, full.info.reason) == ("RESOURCE_EXHAUSTED", "DISK_FULL")

        (small_disk / "more").unlink()
        calls.apply("c", row(3000))
        acknowledged.append("n3000")

    with running(servers, data) as (_, calls):
        calls.apply("c", row(3001))
        acknowledged.append("n3001")
        assert list(calls.get("c", [*acknowledged, "n1003", "n1004"])) == acknowledged


@contextmanager
def syncs_fail(server: Hatched, trace: Path) -> Generator[None]:
    """From now on every fdatasync of a server fails; what it calls is written to *trace*."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace, which makes calls of the system fail, is not on the PATH")
    tracing = ["-f", "-y", "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO"]
    with subprocess.Popen(
        [strace, *tracing, "-o", str(trace), "-p", str(server.pid)],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = line_of(process.stderr)
        if "attached" not in said:
            process.kill()
            pytest.skip(f"strace may not look at other processes here: {said}")
        try:
            yield
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)


def test_a_collection_whose_sync_failed_takes_no_commits_and_is_never_synced_again(
    servers: Hatchery, tmp_path: Path
) -> None:
    data, trace = tmp_path / "data", tmp_path / "trace"
    with running(servers, data) as (server, calls):
        for name in ("c", "d"):
            calls.create(name)
            calls.apply(name, row(1, 10))
        health = health_pb2_grpc.HealthStub(calls.channel)

        def status(service: str) -> int:
            asked = health_pb2.HealthCheckRequest(service=service)
            return health.Check(asked, timeout=PATIENCE).status

        with syncs_fail(server, trace):
            first = refusal(calls, row(2, 10))
            second = refusal(calls, row(3, 10))

            assert {first.code, second.code} == {"FAILED_PRECONDITION"}
            assert {first.info.reason, second.info.reason} == {"READ_ONLY"}
            assert (status(""), status("c"), status("d")) == (SERVING, NOT_SERVING, SERVING)
            assert list(calls.get("c", ["n1", "n2", "n3"])) == ["n1"]
        calls.apply("d", row(2, 10))
        assert refusal(calls, row(4, 10)).info.reason == "READ_ONLY"

    synced = re.findall(r"fdatasync\(\d+<([^>]*)>", trace.read_text())
    assert len(synced) == len(set(synced)) == 1

    with running(servers, data) as (_, calls):
        there = list(calls.get("c", [f"n{number}" for number in range(1, 5)]))
        assert there in (["n1"], ["n1", "n2"])
        calls.apply("c", row(5, 10))
        assert list(calls.get("d", ["n1", "n2"])) == ["n1", "n2"]
