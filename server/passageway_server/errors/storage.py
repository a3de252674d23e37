"""What the disk, or an object store, did, and what it was found to hold."""

from typing import ClassVar, Final

from passageway_server.errors.base import PassagewayError, Precondition

_LOOK_AT_STORE: Final = "look at the store: endpoint (one of http:// needs AWS_ALLOW_HTTP=true), credentials, bucket and prefix"


class StorageFailed(PassagewayError):
    """A write to the disk failed; what stood there before stands there still."""

    code = "UNAVAILABLE"
    reason = "WRITE_FAILED"
    advice: ClassVar[str] = "nothing was changed; look at the disk and try again"

    def __init__(self, file: str, found: str) -> None:
        self.file, self.found = file, found
        super().__init__(f"{file}: {found}; {self.advice}")


class DiskFull(StorageFailed):
    """A write found no room, or no quota, on the disk."""

    code = "RESOURCE_EXHAUSTED"
    reason = "DISK_FULL"
    advice = "nothing was changed; make room and try again"


class NotDurable(StorageFailed):
    """A change was made that can no longer be taken back, and the disk did not say that it keeps it."""

    reason = "NOT_DURABLE"
    advice = "this was done, but a crash may undo it; look at the disk and try again"


class ReadFailed(StorageFailed):
    """The disk, or its permissions, did not let a file be read."""

    reason = "READ_FAILED"
    advice = "look at the disk and at the permissions of the file"


class StoreFailed(StorageFailed):
    """An object store did not take an object; ``file`` is its URL."""

    advice = f"nothing was changed; {_LOOK_AT_STORE}"


class StoreReadFailed(ReadFailed):
    """An object store, or its permissions, did not give an object; ``file`` is its URL."""

    advice = _LOOK_AT_STORE


class SnapshotDamaged(Precondition):
    """A stored file does not hold what the manifest says it holds."""

    reason = "SNAPSHOT_DAMAGED"
    advice: ClassVar[str] = (
        "`passageway repair FOLDER --dry-run` shows what can be kept; or restore a named snapshot"
    )

    def __init__(self, file: str, found: str) -> None:
        self.file, self.found = file, found
        super().__init__(f"{file}: {found}; {self.advice}")


class ObjectDamaged(SnapshotDamaged):
    """A published object is not there, or does not hold what its name says; ``file`` is its URL."""

    advice = "publish under another URL, whose objects are whole"


class ReadOnly(Precondition):
    """The disk failed in a way that leaves unknown what it holds: no commits until a restart."""

    reason = "READ_ONLY"

    def __init__(self, file: str, found: str) -> None:
        self.file, self.found = file, found
        super().__init__(
            f"{file}: {found}; reads go on, commits are taken again once the server was restarted. The commits"
            " that were under way may have been kept, or not"
        )


class LogDamaged(Precondition):
    """A log does not hold what was acknowledged: ``offset`` bytes into ``file`` stands something else."""

    reason = "LOG_DAMAGED"

    def __init__(self, file: str, *, offset: int, found: str) -> None:
        self.file, self.offset, self.found = file, offset, found
        super().__init__(f"{file}: {found} at offset {offset}; {SnapshotDamaged.advice}")


class FormatTooNew(Precondition):
    """A folder was written by a later release."""

    reason = "FORMAT_TOO_NEW"

    def __init__(self, file: str, *, found: int, newest: int) -> None:
        self.file, self.found, self.newest = file, found, newest
        super().__init__(
            f"{file}: format {found}, this release reads up to {newest}; use a later release"
        )
