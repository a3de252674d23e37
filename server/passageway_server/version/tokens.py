"""Version tokens: 32 hex digits, of which callers know nothing but that they are equal or not.

    token = line (20) + number of the commit (12)
    line  = incarnation (8) + epoch (4) + drawn (8)

A collection that is made, or restored under a new name, is another incarnation: that is its identity in stored files. The epoch goes up each time that an owner
opens it, and each opening draws the rest of its line: a commit that a crash, a repair or an older copy of the folder lost and the one that takes its number have
different tokens.
"""

import os
import re
from dataclasses import dataclass

from passageway_server.storage.manifest import IDENTITY_LENGTH

_TOKEN = re.compile("[0-9a-f]{32}")
_INCARNATION, _EPOCH, _LINE = IDENTITY_LENGTH, IDENTITY_LENGTH + 4, 20
_STORED = re.compile("[0-9a-f]{12}(?:[0-9a-f]{8})?")
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
    return f"{os.urandom(_INCARNATION // 2).hex()}0000{_drawn()}"


def next_line(line: str) -> str:
    """A line of those who open a collection after *line* was written: another one each time."""
    return f"{line[:_INCARNATION]}{(_epoch(line) + 1) % _EPOCHS:04x}{_drawn()}"


def stored_line(line: str) -> str:
    """The line that a snapshot names *line*: in formats 1 and 2 nothing of it was drawn. Raises ValueError where it is none."""
    if not _STORED.fullmatch(line):
        raise ValueError(f"{line!r:.40} is no line of versions")
    return line.ljust(_LINE, "0")


def precedes(line: str, other: str) -> bool:
    """Whether *line* is an earlier one than *other*, of the same collection: by less than half of all epochs.

    Of two lines of one epoch neither does.
    """
    return 0 < (_epoch(other) - _epoch(line)) % _EPOCHS < _EPOCHS // 2


def _epoch(line: str) -> int:
    return int(line[_INCARNATION:_EPOCH], 16)


def _drawn() -> str:
    return os.urandom((_LINE - _EPOCH) // 2).hex()
