"""What a look at stored files finds: one finding for each thing that is not as it was written."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a finding is; of these, damage alone is a loss."""

    DAMAGE = "damage"
    """Something that was kept cannot be read."""

    TAIL = "tail"
    """Commits that never became durable, behind the last one that did: a crash leaves such."""

    LEFTOVER = "leftover"
    """Something half made or half removed; the next start sweeps it."""

    QUARANTINED = "quarantined"
    """What was set aside earlier; nothing reads it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it was written, or was not once."""

    collection: str
    """The name of the collection, "" for the data folder itself."""

    file: str
    """The path in the data folder."""

    offset: int | None
    """Where in the file, in bytes; None for all of it."""

    kind: Kind
    found: str
    """What stands there, for people to read."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The commits *first* to *last* of a collection, which cannot be read any more."""

    collection: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify_folder` found, or what `repair_folder` found and did."""

    collections: tuple[str, ...]
    """All of them, sorted."""

    snapshots: int
    """How many were read, the named ones too."""

    frames: int
    """How many commits of logs were read, and found good."""

    findings: tuple[Finding, ...] = ()
    lost: tuple[Lost, ...] = ()
    """Of a repair: the commits that are gone for good."""

    done: tuple[str, ...] = ()
    """Of a repair: what was done, a sentence each."""

    @property
    def damaged(self) -> bool:
        """Whether something that was kept cannot be read."""
        return any(finding.kind is Kind.DAMAGE for finding in self.findings)
