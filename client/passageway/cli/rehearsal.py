"""Whether a call can be sent at all: it is made once on a client that leads nowhere.

What no message can hold is the command line's fault, found before anything is opened or sent; what the real call
raises afterwards is none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from passageway import CollectionClient
from passageway._expected import UNSENDABLE
from passageway._session import Session
from passageway._transport import Method, Request, Response
from passageway.cli.failures import Usage

Parameters = dict[str, Any]


def rehearse(
    method: Callable[..., object], asked: Parameters, *, defaults: Mapping[str, object]
) -> None:
    """Raise Usage, with the name of a parameter, when *method* of CollectionClient cannot send *asked*.

    *defaults* alone, the parameters that the method wants in any case, can be sent.
    """
    fault = _fault(method, asked)
    if fault is None:
        return
    for name, value in asked.items():
        alone = _fault(method, {**defaults, name: value})
        if alone is not None:
            text = unsendable(value, alone)
            raise Usage(text if text.startswith(name) else f"{name}: {text}") from alone
    raise Usage(str(fault)) from fault


def unsendable(value: object, fault: Exception) -> str:
    """What is wrong with *value*, of which no message could be made."""
    if isinstance(fault, UnicodeEncodeError):
        return "text that is not UTF-8"
    if isinstance(fault, AttributeError):
        return f"{value!r} is not of the kind that is expected ({fault})"
    return str(fault)


def _fault(method: Callable[..., object], asked: Parameters) -> Exception | None:
    try:
        method(CollectionClient(Session(_Nowhere()), ""), **asked)
    except UNSENDABLE as fault:
        return fault
    return None


class _Nowhere:
    """A transport that answers each call with an empty message."""

    def unary(
        self,
        method: Method[Request, Response],
        request: Request,  # noqa: ARG002
        *,
        timeout: float,  # noqa: ARG002
    ) -> Response:
        return method.response()

    def stream(
        self,
        method: Method[Request, Response],  # noqa: ARG002
        requests: Iterable[Request],  # noqa: ARG002
        *,
        timeout: float,  # noqa: ARG002
    ) -> Iterator[Response]:
        return iter(())

    def close(self) -> None:
        pass
