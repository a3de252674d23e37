"""One table of calls for all ways in: gRPC, an engine in the same process, tests.

A call is three steps: from message, one service call, to message. A read joins the faults of the message with those that its
plan has.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from google.protobuf.message import DecodeError, Message

from passageway_server.authz.callers import Caller
from passageway_server.authz.delegation import AUDIENCE, ON_BEHALF_OF, acting
from passageway_server.errors import InvalidRequest, NotBuilt
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version.catalog import Catalog
from passageway_server.wire.findings import Findings

PACKAGE = "passageway.v1"
Metadata = Sequence[tuple[str, str | bytes]]
Stopwatch = Callable[[], int]
"""Nanoseconds from some fixed moment on."""


@dataclass(frozen=True, slots=True)
class Spliced:
    """A response of which the fields in the middle are bytes already.

    ``before`` holds the fields with lower numbers, ``after`` those with higher ones, so that the whole is what a message
    of all fields would be.
    """

    before: Message
    encoded: bytes | memoryview
    after: Message


Response = Message | Spliced


@dataclass(frozen=True, slots=True)
class Reading:
    """A call of one message that is answered by one, and changes nothing.

    ``serve`` takes what ``from_message`` gives, in spite of faults of the message, so that all faults are found; it stops when
    the halt says so.
    """

    request: type[Message]
    from_message: Callable[[Any, Findings], Any]
    serve: Callable[[Catalog, Caller, Any, Halt], Any]
    to_message: Callable[[Any, Halt], Response]


@dataclass(frozen=True, slots=True)
class Unary:
    """A call of one message that is answered by one.

    ``serve`` takes what ``from_message`` gives; ``to_message`` takes the answer and the request message.
    """

    request: type[Message]
    from_message: Callable[[Any, Findings], Any]
    serve: Callable[[Any, Caller, Any], Any]
    to_message: Callable[[Any, Any], Response]


@dataclass(frozen=True, slots=True)
class Streaming:
    """A call that answers with a stream; its requests, one or a stream of them, are decoded as their turn comes."""

    request: type[Message]
    serve: Callable[[Any, Caller, Iterator[Any]], Iterator[Message]]
    client_streams: bool = False


@dataclass(frozen=True, slots=True)
class Working:
    """A call of one message that works for long, and answers with a stream that tells how far it is.

    ``serve`` takes what ``from_message`` gives, and stops when the halt says so.
    """

    request: type[Message]
    from_message: Callable[[Any, Findings], Any]
    serve: Callable[[Any, Caller, Any, Halt], Generator[Any]]
    to_message: Callable[[Any], Message]


Call = Reading | Unary | Streaming | Working


class Dispatch:
    """The calls of a server over one store. It raises what goes wrong; the ways in turn that into a status."""

    def __init__(
        self,
        store: Catalog,
        calls: Mapping[str, Call],
        *,
        stopwatch: Stopwatch = time.perf_counter_ns,
    ) -> None:
        self.store = store
        self.calls = calls
        self._stopwatch = stopwatch

    def unary(
        self,
        method: str,
        caller: Caller,
        *,
        metadata: Metadata,
        request: bytes,
        halt: Halt = UNHALTED,
    ) -> bytes:
        """The response to the call *method*, such as ``GraphService/Expand``; a read stops when *halt* says so."""
        call = self.calls.get(method)
        if not isinstance(call, Reading | Unary):
            raise NotBuilt([method.rpartition("/")[2]])
        caller = answered_to(caller, metadata)
        message = _admitted(call.request, request)
        findings = Findings()
        started = self._stopwatch()
        value = call.from_message(message, findings)
        if isinstance(call, Reading):
            try:
                answer = call.serve(self.store, caller, value, halt)
            except InvalidRequest as invalid:
                raise findings.joined(invalid) from None
            findings.check()
            halt.spent()
            response = call.to_message(answer, halt)
            halt.spent()
        else:
            findings.check()
            response = call.to_message(call.serve(self.store, caller, value), message)
        last = response.after if isinstance(response, Spliced) else response
        if "took_us" in last.DESCRIPTOR.fields_by_name:
            last.took_us = (self._stopwatch() - started) // 1000  # type: ignore[attr-defined]
        return _encoded(response)

    def streaming(
        self,
        method: str,
        caller: Caller,
        *,
        metadata: Metadata,
        requests: Iterator[bytes],
        halt: Halt = UNHALTED,
    ) -> Iterator[bytes]:
        """The responses of the call *method*, as they come; it stops between two of them when *halt* says so, and one
        that works for long also while it works.
        """
        call = self.calls.get(method)
        if not isinstance(call, Streaming | Working):
            raise NotBuilt([method.rpartition("/")[2]])
        caller = answered_to(caller, metadata)
        messages = map(partial(_admitted, call.request), requests)
        if isinstance(call, Working):
            responses = self._working(call, caller, next(messages), halt)
        else:
            responses = call.serve(self.store, caller, messages)
        for response in responses:
            halt.spent()
            yield response.SerializeToString(deterministic=True)

    def _working(
        self, call: Working, caller: Caller, message: Message, halt: Halt
    ) -> Iterator[Message]:
        """A first answer says that the request is fit: only then it is worked on."""
        findings = Findings()
        value = call.from_message(message, findings)
        with closing(call.serve(self.store, caller, value, halt)) as answers:
            try:
                begun = next(answers)
            except InvalidRequest as invalid:
                raise findings.joined(invalid) from None
            findings.check()
            yield call.to_message(begun)
            yield from map(call.to_message, answers)


def _encoded(response: Response) -> bytes:
    if not isinstance(response, Spliced):
        return response.SerializeToString(deterministic=True)
    before = response.before.SerializeToString(deterministic=True)
    after = response.after.SerializeToString(deterministic=True)
    return b"".join((before, response.encoded, after))


def _admitted(kind: type[Message], request: bytes) -> Message:
    """The message of *kind* that the bytes hold. Raises InvalidRequest."""
    try:
        message = kind.FromString(request)
    except DecodeError as cause:
        name = kind.DESCRIPTOR.name
        raise InvalidRequest.one("request", f"the bytes are not a {name} in protobuf") from cause
    return message


def answered_to(caller: Caller, metadata: Metadata) -> Caller:
    """The caller that the call is answered to: the one that sends it, or for whom, and before whom, it does."""
    told = [(key, value) for key, value in metadata if key in (ON_BEHALF_OF, AUDIENCE)]
    if not told:
        return caller
    return acting(
        caller,
        on_behalf_of=[value for key, value in told if key == ON_BEHALF_OF],
        audiences=[value for key, value in told if key == AUDIENCE],
    )
