"""A measure in a process of its own, asked through pipes: the server goes on, and the process can be killed at any time.

igraph holds the interpreter's lock for a whole call, so that in the server it would stop every other call.
"""

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Generator, Sequence
from typing import Any, cast

from numpy.typing import NDArray

from passageway_server.engine.measures import frames
from passageway_server.engine.measures.frames import Arriving
from passageway_server.values.halt import Halt

_CHILD = "passageway_server.engine.measures.child"
_PIECE = 1 << 18  # bytes to send or to take at once
_LOOK = 0.02  # seconds from one look at the halt to the next
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Answering = Generator[float, None, list[bytes]]
"""The shares done, 0 to 1, and in the end the arrays of the answer."""


def asked(question: dict[str, Any], arrays: Sequence[NDArray[Any]], *, halt: Halt) -> Answering:
    """What a process of its own answers to *question* over *arrays*.

    However it ends, the process ends with it: by the error that *halt* raises too, and when the generator is closed.
    """
    child = _spawned()
    try:
        return (yield from _exchanged(child, question, arrays, halt))
    finally:
        child.kill()
        for pipe in (child.stdin, child.stdout):
            cast(Any, pipe).close()
        child.wait()


def _spawned() -> "subprocess.Popen[bytes]":
    """The process, that finds what this one imports, apart from this terminal's Ctrl-C."""
    known = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, **dict.fromkeys(_THREADS, "1"), "PYTHONPATH": known}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=environment,
        start_new_session=True,
    )


def _exchanged(
    child: "subprocess.Popen[bytes]",
    question: dict[str, Any],
    arrays: Sequence[NDArray[Any]],
    halt: Halt,
) -> Answering:
    assert child.stdin is not None
    assert child.stdout is not None
    source, sink = child.stdout.fileno(), child.stdin.fileno()
    os.set_blocking(sink, False)
    left = _question(question, arrays)
    arriving, answer = Arriving(), list[bytes]()
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_READ)
        selector.register(sink, selectors.EVENT_WRITE)
        while True:
            halt.spent()
            ready = {key.fd for key, _ in selector.select(_LOOK)}
            if sink in ready and not _sent(sink, left):
                selector.unregister(sink)
            if source not in ready:
                continue
            piece = os.read(source, _PIECE)
            if not piece:
                raise RuntimeError(f"the process of a measure ended with {child.wait()}")
            for kind, content in arriving.frames(piece):
                if kind == frames.END:
                    return answer
                if kind == frames.SHARE:
                    yield frames.share(content)
                else:
                    answer.append(content)


def _question(question: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> list[memoryview]:
    """What is to be sent, in its order."""
    left: list[memoryview] = []
    contents = [json.dumps(question).encode(), *(array.tobytes() for array in arrays)]
    kinds = [frames.QUESTION, *(frames.ARRAY for _ in arrays)]
    for kind, content in zip(kinds, contents, strict=True):
        left += [memoryview(frames.header(kind, len(content))), memoryview(content)]
    return [part for part in left if len(part)]


def _sent(sink: int, left: list[memoryview]) -> bool:
    """Send some of what is *left*, which is taken off it; whether there is more."""
    try:
        count = os.write(sink, left[0][:_PIECE])
    except BlockingIOError:
        return True
    except BrokenPipeError:
        return False  # it has ended; what it said last tells
    left[0] = left[0][count:]
    if not len(left[0]):
        del left[0]
    return bool(left)
