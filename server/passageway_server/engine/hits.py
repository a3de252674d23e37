"""Hits in arrays, for answers that show of a node only what its row and the heaps of texts hold.

They are packed by one kernel. Whatever asks for more becomes `Hit` values, one by one.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.gates import Gate
from passageway_server.columns.nodes import SPAN
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.encode import Found, Heaps, Shown, encode_hits
from passageway_server.engine.previews import bodies
from passageway_server.engine.selection import Selection
from passageway_server.engine.sizes import Size
from passageway_server.engine.walked import Walked
from passageway_server.values.answers import HitFields
from passageway_server.version.version import Version

_PACKABLE = frozenset({"id", "type", "span", "name", "content"})
_ROOM = 64 * 1024  # bytes; more is asked for where it is needed
_I4S, _I8S = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
_NO_SPANS = _I4S, _I8S, _I8S, _I4S


def can_pack(selection: Selection) -> bool:
    """Whether packed hits show all of *selection*."""
    named = not (selection.everything or selection.properties or selection.links)
    return named and selection.builtins <= _PACKABLE


@dataclass(frozen=True, slots=True)
class ArrayHits:
    """The hits at *places* of a walk, for a selection that `can_pack`. They are `PackedHits`.

    *gate* is the read gate, whose hidden fields are in no preview; *size* is that of the answer
    without them.
    """

    version: Version
    gate: Gate
    walked: Walked
    places: NDArray[np.int32]
    selection: Selection
    max_chars: int
    with_scores: bool
    size: Size = field(default_factory=Size)

    def __len__(self) -> int:
        return len(self.places)

    def encode(self, fields: HitFields) -> memoryview:
        """The hits in protobuf's wire format, each as a field ``fields.hits`` of an answer.

        Raises LimitExceeded for more than a message carries, DeadlineExceeded, Cancelled.
        """
        version, walked, asked = self.version, self.walked, self.selection.builtins
        hidden = self.gate.hidden
        heaps = version.remember(Heaps, lambda: _heaps(version))
        shown = _shown(version, walked.rows[self.places], hidden)
        found = Found(
            walked.rows, walked.scores.view(np.int64), walked.hops, walked.via, walked.ways
        )
        room = _ROOM
        while True:
            out = np.empty(room, dtype=np.uint8)
            size = encode_hits(
                heaps,
                shown,
                found,
                self.places,
                fields,
                "name" in asked,
                "content" in asked,
                self.max_chars,
                self.with_scores,
                out,
                sealed(self.gate.halt.flag),
            )
            self.gate.halt.spent()
            self.size.check(size)
            if size <= room:
                return out[:size].data
            room = size


def _heaps(version: Version) -> Heaps:
    ids, types = version.nodes.ids.strings, version.types.strings
    texts, keywords = version.texts, version.keywords.strings
    return Heaps(
        ids=sealed(ids.heap),
        id_bounds=sealed(ids.bounds),
        types=sealed(types.heap),
        type_bounds=sealed(types.bounds),
        texts=sealed(texts.heap),
        text_bounds=sealed(texts.bounds),
        keywords=sealed(keywords.heap),
        keyword_bounds=sealed(keywords.bounds),
    )


def _shown(version: Version, rows: NDArray[np.int32], hidden: frozenset[str]) -> Shown:
    nodes = version.nodes
    kinds, types, names, contents = ByRow.read_all(
        (nodes.kind, nodes.type, nodes.name, nodes.content), rows
    )
    parents, indices, totals, breadcrumbs = _NO_SPANS
    if (kinds == SPAN).any():
        parents, indices, totals, breadcrumbs = ByRow.read_all(
            (nodes.parent, nodes.index, nodes.total, nodes.breadcrumb), rows
        )
    return Shown(
        types=types,
        names=names,
        bodies=bodies(version, rows, contents, hidden=hidden),
        kinds=kinds,
        parents=parents,
        indices=indices,
        totals=totals,
        breadcrumbs=breadcrumbs,
    )
