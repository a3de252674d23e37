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

    bytes: int | None = None
    """How many bytes stand there, of a tail."""

    kept: str = ""
    """Where it is now, of what was moved to quarantine."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A collection that was looked at."""

    name: str

    snapshots: int
    """How many were read, the named ones too."""

    commits: int
    """How many of its logs were read, and found good."""

    refused: str = ""
    """The reason why a server does not serve it as it is; "" where it does."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The commits of a collection from *first* on that a repair cannot keep, and that were acknowledged, or may have been."""

    collection: str
    first: int

    last: int | None
    """The last that is known to have been there; None where none is."""

    more: bool = False
    """Whether there may have been later ones, of which nothing is known: the end of the log is gone."""


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify_folder` found, or what `repair_folder` found before, and did."""

    collections: tuple[Checked, ...]
    """All of them, by name."""

    findings: tuple[Finding, ...] = ()
    lost: tuple[Lost, ...] = ()
    """Of a repair: what is lost, in the order of `collections`."""

    left: tuple[str, ...] = ()
    """Of a repair: the collections that stay as they were, and are refused still."""

    steps: tuple[str, ...] = ()
    """Of a repair: what it does, in order, for people to read."""

    @property
    def damaged(self) -> bool:
        """Whether something that was kept cannot be read."""
        return any(finding.kind is Kind.DAMAGE for finding in self.findings)
