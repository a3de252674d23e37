"""What can go wrong, as a tree.

    PassagewayError
    ├── InvalidArgument       faults of the request, all at once in ``faults``
    ├── NotFound              no such collection, row or snapshot for this caller
    ├── AlreadyExists         the name is taken
    ├── ResourceExhausted     a cap of the call: ``limit``, and the ``parameter`` to lower
    ├── FailedPrecondition    the state does not allow it: version gone, folder in use, client closed
    ├── Aborted               a guarded write lost its race: ``newest`` version, ``ids`` that moved
    ├── Unimplemented         a feature that the server does not have
    ├── Unauthenticated       no or bad credentials
    ├── PermissionDenied      a role is missing
    ├── DeadlineExceeded      no answer within the timeout
    ├── Cancelled             the call was given up
    ├── Unavailable           no server at that address, it is stopping, or the disk refused a write
    └── Internal              a bug in the server; the text holds the id of its log line

    BadRecord (a ValueError)        a JSON object that is not a record
    MissingExtra (an ImportError)   what is asked for needs another part of the package

``reason`` is stable, texts are not.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, cast

from google.protobuf.message import DecodeError
from google.rpc import code_pb2, error_details_pb2, status_pb2

CLIENT_CLOSED = "CLIENT_CLOSED"
NO_SERVER = "NO_SERVER"
CONNECTION_LOST = "CONNECTION_LOST"
"""Reasons that no server gives: a closed client; no connection, so that nothing was sent; one that broke."""
STOPPING = "STOPPING"
"""The reason of a server that goes down; gRPC, which then ends its calls, has no word for it."""
VERSION_LATE = "VERSION_LATE"
"""The reason of a server to which the version that a read waits for has not come."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a request: the path of the parameter, such as hops[0].decay, and what is wrong."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Details:
    """What a status carries besides its code and text."""

    reason: str = ""
    faults: tuple[Fault, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


class PassagewayError(Exception):
    """The root of what calls raise; ``code`` is the name of its gRPC status."""

    code: ClassVar[str] = "UNKNOWN"

    def __init__(self, message: str, details: Details = Details()) -> None:
        super().__init__(message)
        self.message = message
        self.reason = details.reason or self.code
        self.faults = details.faults
        self.metadata = details.metadata


class InvalidArgument(PassagewayError):
    """The request cannot be understood; ``faults`` lists every reason."""

    code = "INVALID_ARGUMENT"


class NotFound(PassagewayError):
    """What was asked for does not exist, or not for this caller."""

    code = "NOT_FOUND"


class AlreadyExists(PassagewayError):
    """The name is taken."""

    code = "ALREADY_EXISTS"


class ResourceExhausted(PassagewayError):
    """The call passed a cap: ``limit`` is its value, ``parameter`` what to lower."""

    code = "RESOURCE_EXHAUSTED"

    @property
    def limit(self) -> int | None:
        """The cap that was passed, where the server names it."""
        text = self.metadata.get("limit", "")
        return int(text) if text.isdecimal() else None

    @property
    def parameter(self) -> str:
        """The parameter to lower, where the server names one."""
        return self.metadata.get("parameter", "")


class FailedPrecondition(PassagewayError):
    """The state does not allow the call; ``reason`` says why."""

    code = "FAILED_PRECONDITION"

    @property
    def oldest(self) -> str:
        """The oldest version that can be read, of a call whose version is gone; else empty."""
        return self.metadata.get("oldest", "")


class Aborted(PassagewayError):
    """A guarded write lost its race: nothing of it was applied."""

    code = "ABORTED"

    @property
    def newest(self) -> str:
        """The newest version at that time."""
        return self.metadata.get("newest", "")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids whose revisions moved, sorted: the first hundred of them, or fewer where they are long."""
        try:
            listed: object = json.loads(self.metadata.get("ids", "[]"))
        except ValueError:
            listed = []
        ids = cast(list[object], listed) if isinstance(listed, list) else []
        return tuple(id for id in ids if isinstance(id, str))


class Unimplemented(PassagewayError):
    """The server does not have this call or parameter."""

    code = "UNIMPLEMENTED"


class Unauthenticated(PassagewayError):
    """No credentials, or bad ones."""

    code = "UNAUTHENTICATED"


class PermissionDenied(PassagewayError):
    """The caller lacks a role."""

    code = "PERMISSION_DENIED"


class DeadlineExceeded(PassagewayError):
    """The timeout passed before the answer came."""

    code = "DEADLINE_EXCEEDED"


class Cancelled(PassagewayError):
    """The call was given up before its answer came."""

    code = "CANCELLED"


class Unavailable(PassagewayError):
    """The server cannot be reached, went away, or cannot do it now; what could be tried again was, until the timeout."""

    code = "UNAVAILABLE"


class Internal(PassagewayError):
    """A bug in the server."""

    code = "INTERNAL"


class BadRecord(ValueError):
    """A JSON object is not a record: ``field`` is the path of the member, ``fault`` what is wrong."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}" if field else fault)
        self.field = field
        self.fault = fault

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.field, self.fault)


class MissingExtra(ImportError):
    """A part of the package is not installed; ``extra`` names it."""

    def __init__(self, wanted: str, *, extra: str) -> None:
        super().__init__(f"{wanted} needs more packages: pip install 'passageway[{extra}]'")
        self.wanted = wanted
        self.extra = extra

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.wanted, extra=self.extra), ()


def from_status(status: status_pb2.Status) -> PassagewayError:
    """The error of a status; an unknown code gives the root class."""
    reason, metadata, faults = "", dict[str, str](), list[Fault]()
    for detail in status.details:
        info, request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
        if detail.Unpack(info):
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(request):
            faults += [Fault(fault.field, fault.description) for fault in request.field_violations]
    error = _CLASSES.get(status.code, PassagewayError)
    return error(status.message, Details(reason, tuple(faults), metadata))


def from_parts(code: int, message: str, details: bytes | None) -> PassagewayError:
    """The error of a gRPC status whose *details* are the trailer grpc-status-details-bin, if any."""
    status = status_pb2.Status()
    try:
        status.ParseFromString(details or b"")
    except DecodeError:
        status.Clear()
    status.code, status.message = code, message
    return from_status(status)


_CLASSES: dict[int, type[PassagewayError]] = {
    code_pb2.Code.Value(error.code): error
    for error in (
        InvalidArgument,
        NotFound,
        AlreadyExists,
        ResourceExhausted,
        FailedPrecondition,
        Aborted,
        Unimplemented,
        Unauthenticated,
        PermissionDenied,
        DeadlineExceeded,
        Cancelled,
        Unavailable,
        Internal,
    )
}
