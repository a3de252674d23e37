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
    ├── EmbedderFailed        what makes vectors of texts made none
    ├── StorageFailed         a write to the disk failed; nothing of it is kept
    │   ├── DiskFull          there is no room
    │   ├── NotDurable        it was done, but a crash may undo it
    │   ├── StoreFailed       an object store takes nothing
    │   └── ReadFailed        the disk does not give a file
    │       └── StoreReadFailed   nor an object store an object
    ├── Stopping              the server is going down
    ├── NoWriter              the process that takes writes is not there
    ├── WriterLost            it ended before it answered
    ├── VersionLate           that version did not come in time
    ├── VersionMoved          another commit came first
    ├── RevisionsMoved        rows are not what the writer took them for
    ├── LoadOvertaken         the same load was begun again
    └── Precondition          the state does not allow it
        ├── VersionGone       that version is not kept
        ├── TextChanged       a page's digest no longer matches
        ├── ReadOnly          a disk that failed takes no more commits
        ├── FollowerOnly      a replica takes no commits
        ├── SnapshotDamaged   a stored file is not what the manifest says
        │   └── ObjectDamaged     nor a published object
        ├── LogDamaged        a commit that was acknowledged cannot be read
        ├── FormatTooNew      written by a later release
        ├── NoFolder          nothing is kept on disk
        ├── FolderMissing     there is no data folder, and none was to be made
        ├── NothingPublished  nobody publishes at a URL that was to be followed
        ├── FolderForeign     what is there is no data folder
        ├── FolderInUse       the folder is open already
        ├── SettingInvalid    a server cannot start as it is set
        └── NotStarted        a process of the server could not start

Each class names its gRPC status (``code``) and a stable ``reason``; texts may change, reasons do not.
No text names a row that the caller may not read.
"""

from passageway_server.errors.base import (
    Fault,
    PassagewayError,
    Precondition,
    bare,
)
from passageway_server.errors.calls import (
    AlreadyExists,
    BeforeAudience,
    Cancelled,
    DeadlineExceeded,
    EmbedderFailed,
    Forbidden,
    InvalidRequest,
    LimitExceeded,
    NotBuilt,
    NotFound,
    TextChanged,
    Unauthenticated,
)
from passageway_server.errors.serving import (
    FolderForeign,
    FolderInUse,
    FolderMissing,
    FollowerOnly,
    NoFolder,
    NothingPublished,
    NotStarted,
    NoWriter,
    SettingInvalid,
    Stopping,
    WriterLost,
)
from passageway_server.errors.storage import (
    DiskFull,
    FormatTooNew,
    LogDamaged,
    NotDurable,
    ObjectDamaged,
    ReadFailed,
    ReadOnly,
    SnapshotDamaged,
    StorageFailed,
    StoreFailed,
    StoreReadFailed,
)
from passageway_server.errors.versions import (
    LoadOvertaken,
    RevisionsMoved,
    VersionGone,
    VersionLate,
    VersionMoved,
)

__all__ = [
    "AlreadyExists",
    "BeforeAudience",
    "Cancelled",
    "DeadlineExceeded",
    "DiskFull",
    "EmbedderFailed",
    "Fault",
    "FolderForeign",
    "FolderInUse",
    "FolderMissing",
    "FollowerOnly",
    "Forbidden",
    "FormatTooNew",
    "InvalidRequest",
    "LimitExceeded",
    "LoadOvertaken",
    "LogDamaged",
    "NoFolder",
    "NoWriter",
    "NotBuilt",
    "NotDurable",
    "NotFound",
    "NotStarted",
    "NothingPublished",
    "ObjectDamaged",
    "PassagewayError",
    "Precondition",
    "ReadFailed",
    "ReadOnly",
    "RevisionsMoved",
    "SettingInvalid",
    "SnapshotDamaged",
    "Stopping",
    "StorageFailed",
    "StoreFailed",
    "StoreReadFailed",
    "TextChanged",
    "Unauthenticated",
    "VersionGone",
    "VersionLate",
    "VersionMoved",
    "WriterLost",
    "bare",
]
