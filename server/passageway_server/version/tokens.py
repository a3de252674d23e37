"""Version tokens: 24 hex digits, of which callers know nothing but that they are equal or not.

    token = line (12) + number of the commit (12)
    line  = incarnation (8) + epoch (4)

A collection that is made, or restored under a new name, is another incarnation: that is its identity in stored files. The epoch goes up each time that an owner
opens it: a commit that a crash lost and the one that takes its number have different tokens.
"""

import os
import re
from dataclasses import dataclass

from passageway_server.storage.manifest import IDENTITY_LENGTH

_TOKEN = re.compile("[0-9a-f]{24}")
_INCARNATION, _LINE = IDENTITY_LENGTH, 12
_EPOCHS = 1 << 16

LINE_BYTES = _LINE // 2
"""Bytes of a line, which is written in hex digits."""


@dataclass(frozen=True, slots=True)
class Token:
    """What a token tells the server."""

    line: str
    number: int

    @classmethod
    def of(cls, token: str) -> "Token | None":
        """What *token* tells; None where it is none."""
        if not _TOKEN.fullmatch(token):
            return None
        return cls(token[:_LINE], int(token[_LINE:], 16))

    @property
    def incarnation(self) -> str:
        """Which collection it is of."""
        return incarnation(self.line)

    def follows(self, other: "Token") -> bool:
        """Whether it is of the same collection as *other*, and not older."""
        return self.incarnation == other.incarnation and self.number >= other.number


def token_of(line: str, number: int) -> str:
    """The token of commit *number* of a line."""
    return f"{line}{number:012x}"


def incarnation(line: str) -> str:
    """Which collection *line* is of."""
    return line[:_INCARNATION]


def new_line() -> str:
    """The first line of a new incarnation."""
    return os.urandom(_INCARNATION // 2).hex() + "0000"


def next_line(line: str) -> str:
    """The line of those who open a collection after *line* was written."""
    return f"{line[:_INCARNATION]}{(_epoch(line) + 1) % _EPOCHS:04x}"


def precedes(line: str, other: str) -> bool:
    """Whether *line* is an earlier one than *other*, of the same collection: by less than half of all epochs."""
    return 0 < (_epoch(other) - _epoch(line)) % _EPOCHS < _EPOCHS // 2


def _epoch(line: str) -> int:
    return int(line[_INCARNATION:], 16)
