"""What can go wrong, as a tree.

    PassagewayError
    ├── InvalidRequest        faults of the request, all at once
    ├── NotFound              no such collection, row or snapshot for this caller
    ├── AlreadyExists         the name is taken
    ├── LimitExceeded         a cap of the call, named with the parameter to lower
    ├── NotBuilt              a feature that this release does not have, by name
    ├── Unauthenticated       no or bad credentials, one text for every cause
    ├── Forbidden             a role is missing
    │   └── BeforeAudience    the role is there, but others read the answer too
    ├── DeadlineExceeded      the call was not done in its time
    ├── Cancelled             the caller has gone
    ├── StorageFailed         a write to the disk failed; nothing of it is kept
    │   ├── DiskFull          there is no room
    │   ├── NotDurable        it was done, but a crash may undo it
    │   └── ReadFailed        the disk does not give a file
    ├── Stopping              the server is going down
    ├── NoWriter              the process that takes writes is not there
    ├── WriterLost            it ended before it answered
    ├── VersionLate           that version did not come in time
    ├── VersionMoved          another commit came first
    ├── RevisionsMoved        rows are not what the writer took them for
    └── Precondition          the state does not allow it
        ├── VersionGone       that version is not kept
        ├── TextChanged       a page's digest no longer matches
        ├── ReadOnly          a disk that failed takes no more commits
        ├── FollowerOnly      a replica takes no commits
        ├── SnapshotDamaged   a stored file is not what the manifest says
        ├── LogDamaged        a commit that was acknowledged cannot be read
        ├── FormatTooNew      written by a later release
        ├── NoFolder          nothing is kept on disk
        ├── FolderMissing     there is no data folder, and none was to be made
        ├── FolderForeign     what is there is no data folder
        ├── FolderInUse       the folder is open already
        ├── SettingInvalid    a server cannot start as it is set
        └── NotStarted        a process of the server could not start

Each class names its gRPC status (``code``) and a stable ``reason``; texts may change, reasons do not.
No text names a row that the caller may not read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a request: the path of the parameter, and what is wrong with it."""

    field: str
    message: str


class PassagewayError(Exception):
    """The root of all errors that reach a caller; ``code`` is the name of its gRPC status."""

    code: ClassVar[str] = "INTERNAL"
    reason: ClassVar[str] = "INTERNAL"


class InvalidRequest(PassagewayError):
    """The request cannot be understood; ``faults`` lists every reason that was found."""

    code = "INVALID_ARGUMENT"
    reason = "INVALID_REQUEST"

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.field}: {fault.message}" for fault in self.faults))

    @classmethod
    def one(cls, field: str, message: str) -> "InvalidRequest":
        """An error of a single fault."""
        return cls([Fault(field, message)])


class NotFound(PassagewayError):
    """What was asked for does not exist, or not for this caller: the text is the same."""

    code = "NOT_FOUND"
    reason = "NOT_FOUND"

    def __init__(self, what: str, name: str) -> None:
        self.what, self.name = what, name
        super().__init__(f"no {what} {name!r}")


class AlreadyExists(PassagewayError):
    """The name is taken."""

    code = "ALREADY_EXISTS"
    reason = "ALREADY_EXISTS"

    def __init__(self, what: str, name: str) -> None:
        self.what, self.name = what, name
        super().__init__(f"{what} {name!r} exists; delete it first or choose another name")


class LimitExceeded(PassagewayError):
    """The work of a call passed one of its caps; ``parameter`` is the one to lower (or raise)."""

    code = "RESOURCE_EXHAUSTED"

    def __init__(self, reason: str, *, limit: int, parameter: str, advice: str) -> None:
        self.limit, self.parameter = limit, parameter
        self.limit_reason = reason
        super().__init__(f"{parameter}: more than {limit}; {advice}")


class NotBuilt(PassagewayError):
    """The request uses features that this release does not have; ``parameters`` names them."""

    code = "UNIMPLEMENTED"
    reason = "NOT_BUILT"

    def __init__(self, parameters: Sequence[str]) -> None:
        self.parameters = tuple(parameters)
        super().__init__(f"not built yet: {', '.join(self.parameters)}")


class Unauthenticated(PassagewayError):
    """No credentials, or bad ones; the text never says which."""

    code = "UNAUTHENTICATED"
    reason = "UNAUTHENTICATED"

    def __init__(self) -> None:
        super().__init__("missing or bad credentials; send `authorization: Bearer <token>`")


class Forbidden(PassagewayError):
    """The caller lacks a role."""

    code = "PERMISSION_DENIED"
    reason = "ROLE_MISSING"
    why: ClassVar[str] = ""

    def __init__(self, role: str) -> None:
        self.role = role
        super().__init__(f"this call needs the role {role}{self.why}")


class BeforeAudience(Forbidden):
    """The caller has the role, which reads all rows; an audience that reads the answer too need not."""

    reason = "BEFORE_AUDIENCE"
    why = ", which reads all rows; send it without passageway-audience"


class DeadlineExceeded(PassagewayError):
    """The call was not done when its deadline passed."""

    code = "DEADLINE_EXCEEDED"
    reason = "DEADLINE_EXCEEDED"

    def __init__(self) -> None:
        super().__init__("the deadline of the call has passed; set timeout_ms for a partial answer")


class Cancelled(PassagewayError):
    """The caller gave the call up; nobody reads the answer."""

    code = "CANCELLED"
    reason = "CANCELLED"

    def __init__(self) -> None:
        super().__init__("the caller cancelled the call")


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


class Stopping(PassagewayError):
    """The server is going down and takes no more commits."""

    code = "UNAVAILABLE"
    reason = "STOPPING"

    def __init__(self) -> None:
        super().__init__("the server is stopping; send the call again to the one that follows")


class NoWriter(PassagewayError):
    """The process that takes the writes of a server is not there; the call did not reach it."""

    code = "UNAVAILABLE"
    reason = "NO_SERVER"

    def __init__(self) -> None:
        super().__init__(
            "the process of this server that takes writes is starting; nothing was done, send the call again"
        )


class WriterLost(PassagewayError):
    """The process that takes the writes of a server ended with the call in it."""

    code = "UNAVAILABLE"
    reason = "CONNECTION_LOST"

    def __init__(self) -> None:
        super().__init__(
            "the process of this server that takes writes ended before it answered; look what a write did, then send"
            " the call again"
        )


class VersionLate(PassagewayError):
    """The version that was to be waited for did not come in time; ``newest`` is what there is."""

    code = "UNAVAILABLE"
    reason = "VERSION_LATE"

    def __init__(self, asked: str, *, newest: str) -> None:
        self.asked, self.newest = asked, newest
        super().__init__(f"version {asked} is not here yet, the newest is {newest}; try again")


class VersionMoved(PassagewayError):
    """The commit was to follow one version, and another one is the newest by now."""

    code = "ABORTED"
    reason = "VERSION_MOVED"

    def __init__(self, asked: str, *, newest: str) -> None:
        self.asked, self.newest = asked, newest
        super().__init__(f"if_version: {asked} is not the newest version, {newest} is; read again")


class RevisionsMoved(PassagewayError):
    """Rows are not, or no longer, what the commit was made for; ``ids`` names them."""

    code = "ABORTED"
    reason = "REVISIONS_MOVED"

    def __init__(self, ids: Sequence[str], *, newest: str) -> None:
        self.ids, self.newest = tuple(ids), newest
        super().__init__(f"if_revisions: {len(self.ids)} of the rows changed; read them again")


class Precondition(PassagewayError):
    """The state does not allow the call."""

    code = "FAILED_PRECONDITION"


class VersionGone(Precondition):
    """The version asked for is not kept; ``oldest`` is the oldest that is."""

    reason = "VERSION_GONE"

    def __init__(self, asked: str, *, oldest: str) -> None:
        self.asked, self.oldest = asked, oldest
        super().__init__(f"version {asked} is not kept; the oldest that can be read is {oldest}")


class TextChanged(Precondition):
    """The text that was being paged is another one now."""

    reason = "TEXT_CHANGED"

    def __init__(self) -> None:
        super().__init__("the text changed, start again at 0")


class SnapshotDamaged(Precondition):
    """A stored file does not hold what the manifest says it holds."""

    reason = "SNAPSHOT_DAMAGED"

    def __init__(self, file: str, found: str) -> None:
        self.file, self.found = file, found
        super().__init__(f"{file}: {found}; restore an older snapshot")


class ReadOnly(Precondition):
    """The disk failed in a way that leaves unknown what it holds: no commits until a restart."""

    reason = "READ_ONLY"

    def __init__(self, file: str, found: str) -> None:
        self.file, self.found = file, found
        super().__init__(
            f"{file}: {found}; reads go on, commits are taken again once the server was restarted. The commits"
            " that were under way may have been kept, or not"
        )


class FollowerOnly(Precondition):
    """This server follows another one, which takes the commits."""

    reason = "REPLICA"

    def __init__(self, source: str) -> None:
        self.source = source
        super().__init__(
            f"this server follows {source} and takes no commits; send it to the one it follows"
        )


class LogDamaged(Precondition):
    """A log does not hold what was acknowledged: ``offset`` bytes into ``file`` stands something else."""

    reason = "LOG_DAMAGED"

    def __init__(self, file: str, *, offset: int, found: str) -> None:
        self.file, self.offset, self.found = file, offset, found
        super().__init__(
            f"{file}: {found} at offset {offset}; restore a snapshot, or salvage with `passageway repair`"
        )


class FormatTooNew(Precondition):
    """A folder was written by a later release."""

    reason = "FORMAT_TOO_NEW"

    def __init__(self, file: str, *, found: int, newest: int) -> None:
        self.file, self.found, self.newest = file, found, newest
        super().__init__(
            f"{file}: format {found}, this release reads up to {newest}; use a later release"
        )


class NoFolder(Precondition):
    """The server keeps everything in memory alone."""

    reason = "NO_FOLDER"

    def __init__(self) -> None:
        super().__init__("this server keeps no folder; start it with --data DIR to write snapshots")


class FolderMissing(Precondition):
    """There is no data folder, and none was to be made."""

    reason = "FOLDER_MISSING"

    def __init__(self, folder: str) -> None:
        self.folder = folder
        super().__init__(
            f"{folder}: no data folder here; `passageway load` or `collection create` makes one"
        )


class FolderForeign(Precondition):
    """What stands in the place of a data folder is something else, which nothing is written into."""

    reason = "FOLDER_FOREIGN"

    def __init__(self, folder: str, found: str) -> None:
        self.folder, self.found = folder, found
        super().__init__(f"{folder}: {found}; name a data folder, or one that is to be made")


class FolderInUse(Precondition):
    """The data folder is open already, here or in another process; ``holder`` is that one's number, where known."""

    reason = "FOLDER_IN_USE"

    def __init__(self, folder: str, *, holder: int | None = None, here: bool = False) -> None:
        self.folder, self.holder = folder, holder
        told = "" if holder is None else f" (pid {holder})"
        who = "this process" if here else f"another process{told}"
        super().__init__(
            f"{folder} is in use by {who}: a server, a load or an open client; stop it, or ask its server"
        )


class SettingInvalid(Precondition):
    """A server cannot start with a setting, or with the file that it names; ``faults`` lists every reason."""

    reason = "SETTING_INVALID"

    def __init__(self, setting: str, faults: Sequence[str]) -> None:
        self.setting, self.faults = setting, tuple(faults)
        super().__init__("\n".join(f"{setting}: {fault}" for fault in self.faults))


class NotStarted(Precondition):
    """A process of the server could not start; the text is what it said."""

    reason = "NOT_STARTED"
