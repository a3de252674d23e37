"""Which rows do ids name? Only those that a call may see: another id is as good as none."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.kernels import ids as kernel
from passageway_server.engine.kernels.arrays import Sight, sealed
from passageway_server.version.version import Version

_AT_ONCE = 4096  # ids looked for between two looks at the halt


def open_rows(version: Version, gate: Gate, ids: Sequence[str]) -> NDArray[np.int32]:
    """The row of each of *ids*, -1 where *gate* opens none: int32[len(ids)].

    Raises DeadlineExceeded and Cancelled where the call of *gate* is over.
    """
    if len(ids) <= _AT_ONCE:
        return _open_rows(version, gate, ids)
    starts = range(0, len(ids), _AT_ONCE)
    return np.concatenate(
        [_open_rows(version, gate, ids[start : start + _AT_ONCE]) for start in starts]
    )


def _open_rows(version: Version, gate: Gate, ids: Sequence[str]) -> NDArray[np.int32]:
    gate.halt.spent()
    encoded = [id.encode() for id in ids]
    rows = np.zeros(len(ids), dtype=np.int32)
    kernel.open_rows(
        version.remember(kernel.Index, lambda: _index(version)),
        Sight.of(version.gates, gate),
        np.frombuffer(b"".join(encoded), dtype=np.uint8),
        np.array([*accumulate(map(len, encoded))], dtype=np.int64),
        np.empty(len(ids), dtype=np.uint32),
        rows,
    )
    return rows


def _index(version: Version) -> kernel.Index:
    ids = version.nodes.ids
    return kernel.Index(
        hashes=sealed(ids.base.hashes),
        order=sealed(ids.base.order),
        before_hashes=sealed(ids.before.hashes),
        before_order=sealed(ids.before.order),
        recent_hashes=sealed(ids.recent.hashes),
        recent_order=sealed(ids.recent.order),
        bounds=sealed(ids.strings.bounds),
        heap=sealed(ids.strings.heap),
    )
