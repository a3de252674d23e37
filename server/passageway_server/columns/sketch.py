"""Vectors as bytes: a quarter of the memory to read where a rough score tells enough.

Each number is rounded to a multiple of a step of its own vector, -127 to 127 times. How far that takes the vector off is kept, so
that a score of the sketch bounds that of the vector.
"""

from dataclasses import dataclass

import numpy as np

from passageway_server.columns.growing import Growing


@dataclass(frozen=True, slots=True)
class Sketch:
    """By entry; ``codes`` are as many as the vector has numbers."""

    codes: Growing[np.int8]
    steps: Growing[np.float64]
    errors: Growing[np.float64]  # no less than the distance of vector and sketch
    lengths: Growing[np.float64]  # 0 where every number is 0

    @classmethod
    def none(cls) -> "Sketch":
        """That of no vectors."""
        doubles = (Growing.empty(np.float64) for _ in range(3))
        return cls(Growing.empty(np.int8), *doubles)

    def __len__(self) -> int:
        return len(self.steps)

    def extended(self, more: "Sketch") -> "Sketch":
        """This one with *more* behind it."""
        if not len(self):
            return more
        return Sketch(
            self.codes.extended(more.codes.array),
            self.steps.extended(more.steps.array),
            self.errors.extended(more.errors.array),
            self.lengths.extended(more.lengths.array),
        )
