"""What all errors have: a status, a reason, and a text."""

from dataclasses import dataclass
from typing import ClassVar, TypeVar

_Error = TypeVar("_Error", bound=BaseException)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a request: the path of the parameter, and what is wrong with it."""

    field: str
    message: str


class PassagewayError(Exception):
    """The root of all errors that reach a caller; ``code`` is the name of its gRPC status."""

    code: ClassVar[str] = "INTERNAL"
    reason: ClassVar[str] = "INTERNAL"


class Precondition(PassagewayError):
    """The state does not allow the call."""

    code = "FAILED_PRECONDITION"


def bare(error: _Error) -> _Error:
    """*error* without the calls in which it came about, and all that these held: one that is kept for later."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
