"""How much a crash may take, and how much a restart has to do."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Durability:
    """When commits reach the disk, and when a snapshot is written in the background.

    ``fsync`` always: a commit is on the disk before it can be read. ``interval``: it can be read at once, and is on the disk
    within a tenth of a second or so; a crash of the machine takes the last ones, acknowledged or not. A snapshot is due
    once the log after the last one is longer than ``checkpoint_bytes`` and half of that snapshot, or holds commits since
    ``checkpoint_seconds``.
    """

    fsync: Literal["always", "interval"] = "always"
    checkpoint_bytes: int = 64 << 20
    checkpoint_seconds: float = 300.0


USUAL = Durability()
"""Nothing that was acknowledged is lost."""
