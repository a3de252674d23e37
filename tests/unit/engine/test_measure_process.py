"""The process of a measure: it gives what it gives here, and ends with whoever asked."""

import io
import subprocess
import sys
from collections.abc import Generator
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from passageway_server.engine.measures import frames, spawned
from passageway_server.engine.measures.spawned import asked
from passageway_server.errors import Cancelled
from passageway_server.values.halt import UNHALTED, Halt
from tests.unit.engine.measuring import here

QUESTION: dict[str, Any] = {
    "measure": "communities",
    "vertices": 500,
    "resolution": 1.0,
    "seed": 7,
}
SILENT = "tests.unit.engine.never_answers"
CHILD = [sys.executable, "-m", "passageway_server.engine.measures.child"]


def arrays() -> list[Any]:
    """A random graph of 500 vertices, and their ids."""
    rng = Random(3)
    sources = np.array([rng.randrange(500) for _ in range(3000)], dtype=np.int32)
    targets = (sources + np.array([rng.randint(1, 9) for _ in sources], dtype=np.int32)) % 500
    ids = [f"é{vertex:03}".encode() for vertex in range(500)]
    heap = np.frombuffer(b"".join(ids), dtype=np.uint8)
    return [sources, targets.astype(np.int32), np.ones(3000), heap, np.arange(501) * len(ids[0])]


def drained(answering: Generator[float, None, list[bytes]]) -> tuple[list[float], list[bytes]]:
    """The shares of an answer, and its arrays."""
    shares: list[float] = []
    while True:
        try:
            shares.append(next(answering))
        except StopIteration as end:
            return shares, end.value


@pytest.fixture
def children() -> Generator[list["subprocess.Popen[bytes]"]]:
    """The processes that were started."""
    started: list[subprocess.Popen[bytes]] = []
    spawn = spawned._spawned

    def recorded() -> "subprocess.Popen[bytes]":
        started.append(spawn())
        return started[-1]

    with patch.object(spawned, "_spawned", recorded):
        yield started


def test_a_process_of_its_own_gives_the_same(children: list["subprocess.Popen[bytes]"]) -> None:
    shares, answer = drained(asked(QUESTION, arrays(), halt=UNHALTED))

    assert (shares, answer) == drained(here(QUESTION, arrays(), halt=UNHALTED))
    assert shares == sorted(shares)
    assert [child.returncode is not None for child in children] == [True]


def test_a_question_larger_than_a_pipe_arrives_whole() -> None:
    size = 300_000
    ends = np.arange(size, dtype=np.int32)
    question = {"measure": "pagerank", "vertices": size + 1, "alpha": 0.5}

    _, (scores,) = drained(asked(question, [ends, ends + 1, np.ones(size)], halt=UNHALTED))

    assert np.frombuffer(scores).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("module", [SILENT, spawned._CHILD])
def test_a_halt_ends_the_process(children: list["subprocess.Popen[bytes]"], module: str) -> None:
    halt = Halt()
    halt.cancel()

    with patch.object(spawned, "_CHILD", module), pytest.raises(Cancelled):
        drained(asked(QUESTION, arrays(), halt=halt))

    assert [child.returncode for child in children] == [-9]


def test_who_no_longer_listens_ends_the_process(children: list["subprocess.Popen[bytes]"]) -> None:
    answering = asked(QUESTION, arrays(), halt=UNHALTED)
    next(answering)

    answering.close()

    assert [child.returncode is not None for child in children] == [True]


def test_a_process_that_is_killed_is_an_error(children: list["subprocess.Popen[bytes]"]) -> None:
    answering = asked(QUESTION, arrays(), halt=UNHALTED)
    next(answering)
    children[0].kill()

    with pytest.raises(RuntimeError):
        drained(answering)


def test_a_process_ends_when_its_server_is_killed_before_all_is_asked() -> None:
    child = subprocess.Popen(CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(frames.header(frames.QUESTION, 100))

    child.stdin.close()

    assert child.wait(60) == 1
    child.stdout.close()


def test_a_process_ends_when_its_server_is_killed_after_it_asked() -> None:
    child = subprocess.Popen(CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    sent = b"".join(spawned._question(QUESTION, arrays()))
    child.stdout.close()

    child.stdin.write(sent)
    child.stdin.close()

    assert child.wait(60) == 1


def test_frames_arrive_whole_however_they_are_cut() -> None:
    out = io.BytesIO()
    frames.write_share(out, 0.5)
    frames.write(out, frames.ARRAY, b"x" * 40)
    frames.write(out, frames.END)
    sent = out.getvalue()

    for cut in range(len(sent) + 1):
        arriving = frames.Arriving()
        found = [*arriving.frames(sent[:cut]), *arriving.frames(sent[cut:])]
        assert [kind for kind, _ in found] == [frames.SHARE, frames.ARRAY, frames.END]
        assert frames.share(found[0][1]) == 0.5
        assert found[1][1] == b"x" * 40
