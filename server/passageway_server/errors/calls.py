"""What a call is refused for: what it asks, who calls, and how long it took."""

from collections.abc import Sequence
from typing import ClassVar

from passageway_server.errors.base import Fault, PassagewayError, Precondition


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


class TextChanged(Precondition):
    """The text that was being paged is another one now."""

    reason = "TEXT_CHANGED"

    def __init__(self) -> None:
        super().__init__("the text changed, start again at 0")


class EmbedderFailed(PassagewayError):
    """What makes vectors of texts, a part that the operator plugged in, made none."""

    code = "INTERNAL"
    reason = "EMBEDDER_FAILED"

    def __init__(self) -> None:
        super().__init__(
            "the embedder of this server failed, its log says how; send the vector, or leave vector_field out"
        )
