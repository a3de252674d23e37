"""Errors as gRPC says them: a code, a text, and google.rpc details.

Details and text travel in trailing metadata, of which a peer takes some 8 KiB: both are bounded here, and a list of
faults that was cut says how many it leaves out.
"""

import json
import secrets
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from logging import ERROR

from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2

from passageway_server.errors import (
    Fault,
    InvalidRequest,
    LimitExceeded,
    NotBuilt,
    PassagewayError,
    RevisionsMoved,
    VersionGone,
    VersionLate,
    VersionMoved,
)
from passageway_server.planner.faults import MOST
from passageway_server.wire.journal import write

DETAILS = "grpc-status-details-bin"
DOMAIN = "passageway"
_MOST_TEXT = 1024  # bytes
_MOST_FAULTS = 3072  # bytes of field and description together
_MOST_IDS = 100
_MOST_ID_BYTES = 2048  # of the ids as JSON
_VERSION_PAUSE = 100_000_000  # nanoseconds in which a version that is on its way should be here


@dataclass(frozen=True, slots=True)
class Failure:
    """How a call ended: the name of its status, its text, and a serialized google.rpc.Status."""

    code: str
    message: str
    details: bytes

    @property
    def trailers(self) -> tuple[tuple[str, bytes], ...]:
        """The trailing metadata that carry the details, where there are any."""
        return ((DETAILS, self.details),) if self.details else ()


class FailedElsewhere(Exception):
    """A call that another process of this server ended: what that said is told on as it is."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(f"{failure.code}: {failure.message}")


def failure(error: Exception, *, call: str) -> Failure:
    """What the caller learns of *error*: of one that is no PassagewayError, an id that is in the log."""
    if isinstance(error, FailedElsewhere):
        return error.failure
    if isinstance(error, PassagewayError):
        return _failure(error.code, _bounded(str(error), _MOST_TEXT), _details(error))
    id = secrets.token_hex(8)
    frames = [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    # The text of the error may hold content or ids of rows, so the log has its type and place alone.
    write("bug", level=ERROR, call=call, id=id, error=type(error).__name__, at=frames)
    return _failure(
        "INTERNAL", f"internal error; its id in the log is {id}", [_info("INTERNAL", {})]
    )


def _failure(code: str, message: str, details: list[Message]) -> Failure:
    packed: list[Any] = []
    for detail in details:
        one = Any()
        one.Pack(detail, deterministic=True)
        packed.append(one)
    status = status_pb2.Status(code=code_pb2.Code.Value(code), message=message, details=packed)
    return Failure(code, message, status.SerializeToString(deterministic=True))


def _details(error: PassagewayError) -> list[Message]:
    match error:
        case InvalidRequest():
            return [_bad_request(error.faults), _info(error.reason, {})]
        case LimitExceeded():
            metadata = {"limit": str(error.limit), "parameter": error.parameter}
            return [_info(error.limit_reason, metadata)]
        case NotBuilt():
            parameters = _bounded(",".join(error.parameters), _MOST_TEXT)
            return [_info(error.reason, {"parameter": parameters})]
        case VersionGone():
            return [_info(error.reason, {"oldest": error.oldest})]
        case VersionLate():
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.nanos = _VERSION_PAUSE
            return [_info(error.reason, {"newest": error.newest}), retry]
        case VersionMoved():
            return [_info(error.reason, {"newest": error.newest})]
        case RevisionsMoved():
            told = {
                "newest": error.newest,
                "ids": _ids(error.ids),
                "count": str(len(error.ids)),
            }
            return [_info(error.reason, told)]
        case _:
            return [_info(error.reason, {})]


def _info(reason: str, metadata: Mapping[str, str]) -> error_details_pb2.ErrorInfo:
    return error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata)


def _bad_request(faults: tuple[Fault, ...]) -> error_details_pb2.BadRequest:
    message = error_details_pb2.BadRequest()
    left = _MOST_FAULTS
    for place, fault in enumerate(faults):
        field = _bounded(fault.field, 256)
        description = _bounded(fault.message, 512)
        left -= len(field.encode()) + len(description.encode()) + 8
        if left < 0:
            least = "at least " if len(faults) >= MOST else ""
            more = len(faults) - place
            told = f"and {least}{more} more fault{'' if more == 1 else 's'}"
            message.field_violations.add(field="", description=told)
            break
        message.field_violations.add(field=field, description=description)
    return message


def _ids(ids: Sequence[str]) -> str:
    """The first of *ids* as a JSON array: whole ones alone, 100 at most."""
    told, left = list[str](), _MOST_ID_BYTES
    for id in sorted(ids)[:_MOST_IDS]:
        one = json.dumps(id, ensure_ascii=False)
        left -= len(one.encode("utf-8", "replace")) + 1
        if left < 0:
            break
        told.append(one)
    return f"[{','.join(told)}]"


def _bounded(text: str, most: int) -> str:
    """*text* in at most *most* bytes of UTF-8."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= most:
        return encoded.decode()
    return encoded[: most - 3].decode("utf-8", "ignore") + "…"
