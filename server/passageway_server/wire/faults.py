"""What the log holds of a collection, or a whole store, that cannot be read or published."""

from logging import WARNING

from passageway_server.errors import (
    FormatTooNew,
    LogDamaged,
    NothingPublished,
    PassagewayError,
    SnapshotDamaged,
    StorageFailed,
)
from passageway_server.wire.journal import write

_OF_STORAGE = (FormatTooNew, LogDamaged, NothingPublished, SnapshotDamaged, StorageFailed)
"""Errors whose texts hold files, URLs and what was found there; texts of others may hold what a caller sent."""


def write_fault(event: str, fault: Exception, *, collection: str, where: str) -> None:
    """Log *event* of *collection*, "" for all of them, with its cause; *where* is a folder, or a URL without secrets."""
    write(
        event,
        level=WARNING,
        collection=collection,
        where=where,
        reason=reason_of(fault),
        text=str(fault) if isinstance(fault, _OF_STORAGE) else "",
    )


def reason_of(fault: Exception) -> str:
    """The reason of a refusal, the kind of any other error."""
    return fault.reason if isinstance(fault, PassagewayError) else type(fault).__name__
