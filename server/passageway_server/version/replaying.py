"""A commit of a log, made again: on the same contents it gives the same rows, in the same order.

What a batch infers of fields was logged with it, and the batch is not checked again: what was acknowledged once stays so,
though a later release may be stricter.
"""

from dataclasses import dataclass
from typing import assert_never

from passageway_server.errors import LogDamaged
from passageway_server.storage.log.reading import Logged
from passageway_server.values.collections import CollectionSettings
from passageway_server.version.applying import drafted
from passageway_server.version.commits.record import Commit, Named, Puts, Stamp, from_record
from passageway_server.version.contents import Contents
from passageway_server.version.draft import Draft
from passageway_server.version.measures import Measured, write_measure
from passageway_server.version.redeclare import redeclare
from passageway_server.version.tokens import incarnation
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a logged *commit* made of the version before it, of which line and when, and the key that it came under."""

    commit: Commit
    what: Draft | Contents
    stamp: Stamp
    named: Named | None


def replayed(base: Version, logged: Logged) -> Replayed:
    """The commit *logged*, on *base*, the version before it. Raises LogDamaged, whatever is wrong with it."""
    number = logged.number
    try:
        if number != base.identity.number + 1:
            raise ValueError(f"it does not follow commit {base.identity.number}")
        commit, stamp = from_record(logged.payload, base.contents)
        if incarnation(stamp.line) != incarnation(base.identity.line):
            raise ValueError("it is of another collection")
        named = commit.named if isinstance(commit, Puts) else None
        return Replayed(commit, made_again(commit, base), stamp, named)
    except Exception as cause:  # whatever foreign bytes lead to, it is this collection's alone
        log = f"{base.settings.name}/log"
        found = f"commit {number} cannot be applied ({cause!r:.200})"
        raise LogDamaged(log, offset=0, found=found) from cause


def made_again(commit: Commit, base: Version) -> Draft | Contents:
    """What *commit*, which was made on contents equal to those of *base*, makes of it."""
    match commit:
        case Puts():
            return drafted(
                base,
                commit.batch,
                fields=base.fields.with_inferred(commit.inferred),
                edge_fields=base.edge_fields.with_inferred(commit.inferred_of_edges),
            )
        case CollectionSettings():
            return redeclare(base.contents, commit)
        case Measured():
            return write_measure(base, commit)[0]
        case _:
            assert_never(commit)
