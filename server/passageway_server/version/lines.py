"""The lines that the commits of a collection are of: which tokens name a version that it had, though it is not kept.

Each opening of a collection begins a line (tokens.py). A crash may take the last commits of one, where they were not yet on
the disk, and a repair, or an older copy of the folder, those of several; the next line then gives their numbers to others.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.version.tokens import LINE_BYTES, incarnation, precedes

_MOST = 4096


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines, oldest first, and the first commit that each is known of; of the latest 4,096. ``newest`` is the last commit.

    Of commits before the first one known it is not told which line they are of.
    """

    firsts: tuple[int, ...]
    lines: tuple[str, ...]
    newest: int

    def going_on(self, line: str, number: int) -> "Lines":
        """These, and commit *number* after them, which is of *line*."""
        if line == self.lines[-1]:
            return Lines(self.firsts, self.lines, number)
        return Lines((*self.firsts, number)[-_MOST:], (*self.lines, line)[-_MOST:], number)

    def through(self, line: str, number: int) -> "Lines":
        """Those of the commits up to *number*, which is of *line*."""
        count = max(1, bisect_right(self.firsts, number))
        return Lines(self.firsts[:count], self.lines[:count], number).going_on(line, number)

    def hold(self, line: str, number: int) -> bool:
        """Whether commit *number* is there and of *line*, or may be where that is not known."""
        if number > self.newest:
            return False
        place = bisect_right(self.firsts, number) - 1
        if place >= 0:
            return self.lines[place] == line
        return line == self.lines[0] or precedes(line, self.lines[0])

    def may_come_to(self, line: str) -> bool:
        """Whether a later commit than the newest may be of *line*, of this opening or a later one."""
        return line == self.lines[-1] or precedes(self.lines[-1], line)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a snapshot stores."""
        packed = np.frombuffer(bytes.fromhex("".join(self.lines)), np.uint8)
        return {
            "firsts": np.array(self.firsts, np.int64),
            "lines": packed.reshape(len(self.lines), LINE_BYTES),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], line: str, number: int) -> "Lines":
        """The inverse of `arrays`, in a snapshot of commit *number*, of *line*; without them no more than that is known.

        Raises ValueError or KeyError where they do not fit.
        """
        if not arrays:
            return cls((number,), (line,), number)
        firsts, packed = arrays["firsts"], arrays["lines"]
        if firsts.shape != (len(packed),) or packed.shape[1:] != (LINE_BYTES,):
            raise ValueError("lines of another form")
        lines = cls(tuple(firsts.tolist()), tuple(each.tobytes().hex() for each in packed), number)
        whose = {incarnation(each) for each in (*lines.lines, line)}
        ascending = np.all(firsts[1:] > firsts[:-1]) and lines.firsts[-1] <= number
        if lines.lines[-1] != line or len(whose) > 1 or not ascending:
            raise ValueError("lines that did not lead to this one")
        return lines
