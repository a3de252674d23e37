"""The process that works out a measure: ``python -m passageway_server.engine.measures.child``.

It knows no version and no rows, only what comes in on stdin: steps, and for communities the ids to hash. It steps
back behind the calls of the server, and ends when nobody reads what it says.
"""

import json
import os
import sys
import warnings
from hashlib import sha256
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.hashing import hashes_of
from passageway_server.engine import igraph_view
from passageway_server.engine.measures import frames
from passageway_server.engine.measures.arcs import Arcs

_NICE = 10
_PASS = 0.9  # what is left after a pass, of what was before: nobody knows how many there will be


def main() -> None:
    """Answer the one question on stdin."""
    os.nice(_NICE)
    warnings.simplefilter("ignore")  # igraph's word on an alpha close to 1
    asking = sys.stdin.buffer
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no frame
    try:
        _, question = frames.read(asking)
        answer(json.loads(question), asking, out)
    except (EOFError, BrokenPipeError):
        os._exit(1)  # the server has gone; nothing is left to flush


def answer(question: dict[str, Any], asking: BinaryIO, out: BinaryIO) -> None:
    """Answer *question*, whose arrays come in from *asking*."""
    vertices: int = question["vertices"]
    arcs = Arcs(*(_array(asking, dtype) for dtype in (np.int32, np.int32, np.float64)))
    frames.write_share(out, 0.0)
    if question["measure"] == "pagerank":
        scores = igraph_view.page_rank(arcs.directed(), vertices, alpha=question["alpha"])
        frames.write(out, frames.ARRAY, scores.tobytes())
    else:
        ids = _ids(asking)
        of, left = np.empty(0, dtype=np.int32), 1.0
        for better in igraph_view.leiden(
            arcs.undirected(), vertices, resolution=question["resolution"], seed=question["seed"]
        ):
            of, left = better, left * _PASS
            frames.write_share(out, 1.0 - left)
        communities, edges = named(of, ids)
        frames.write(out, frames.ARRAY, of.tobytes())
        frames.write(out, frames.ARRAY, b"".join(communities))
        frames.write(out, frames.ARRAY, b"".join(edges))
        frames.write(out, frames.ARRAY, hashes_of(edges).tobytes())
    frames.write(out, frames.END)


def named(of: NDArray[np.int32], ids: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The ids of communities, and by vertex that of the edge to its own; each list is of one width.

    *of* has the community of each vertex, *ids* their ids in UTF-8, sorted by code point. A community's id is
    ``community:`` and the first 16 hex digits of SHA-256 over the JSON array of its members' ids, sorted, in UTF-8
    without spaces; the edge's is the community's, ``/`` and the first 32 hex digits of SHA-256 over its member's id.
    """
    members: list[list[str]] = [[] for _ in range(int(of.max(initial=-1)) + 1)]
    numbers: list[int] = of.tolist()
    for number, id in zip(numbers, ids, strict=True):
        members[number].append(id.decode())
    communities = [b"community:" + _digest(_json(several), 16) for several in members]
    edges = [
        communities[number] + b"/" + _digest(id, 32)
        for number, id in zip(numbers, ids, strict=True)
    ]
    return communities, edges


def _json(ids: list[str]) -> bytes:
    return json.dumps(ids, ensure_ascii=False, separators=(",", ":")).encode()


def _digest(content: bytes, digits: int) -> bytes:
    return sha256(content).hexdigest()[:digits].encode()


def _array(asking: BinaryIO, dtype: type[np.generic]) -> NDArray[Any]:
    _, content = frames.read(asking)
    return np.frombuffer(content, dtype=dtype)


def _ids(asking: BinaryIO) -> list[bytes]:
    _, heap = frames.read(asking)
    bounds: list[int] = _array(asking, np.int64).tolist()
    return [heap[start:end] for start, end in pairwise(bounds)]


if __name__ == "__main__":
    main()
