"""Who is asked in tests: anything that takes the bytes of a call and gives back the whole reply.

A `Peer` hides whether the server runs in this process or behind a channel; a test that is written over peers
holds for every one of them.
"""

import base64
import hashlib
import json
import logging
import secrets
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar, cast

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from passageway.v1 import read_pb2, store_pb2
from passageway_server.wire import local
from passageway_server.wire.server import Server, Settings
from tests.oracle.askers import Asker, viewer

MessageT = TypeVar("MessageT", bound=Message)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the subject, what the token's claims add, and the roles; for whom, and before whom."""

    sub: str = ""
    principals: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset({"reader"})
    on_behalf_of: frozenset[str] | None = None
    audiences: tuple[frozenset[str], ...] = ()

    @property
    def itself(self) -> "Caller":
        """Who the server knows by its token, whomever it acts for."""
        return replace(self, on_behalf_of=None, audiences=())

    @property
    def own(self) -> frozenset[str]:
        """All principals that the token gives."""
        own = {f"user:{self.sub}"} if self.sub else set[str]()
        return self.principals | own | {"public"}

    @property
    def asker(self) -> Asker:
        """Who asks, in the words of the oracle."""
        audiences = tuple(audience | {"public"} for audience in self.audiences)
        if self.on_behalf_of is not None:
            return Asker("", self.on_behalf_of | {"public"}, audiences=audiences)
        return Asker(self.sub, self.own, admin="admin" in self.roles, audiences=audiences)

    @property
    def held(self) -> frozenset[str]:
        """All principals that count, but for those that the graph adds."""
        return self.asker.principals

    @property
    def admin(self) -> bool:
        """Whether it reads every row."""
        return viewer(self.asker).admin

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What is sent along, besides the token."""
        behalf = () if self.on_behalf_of is None else (self.on_behalf_of,)
        return (
            *(("passageway-on-behalf-of", _listed(principals)) for principals in behalf),
            *(("passageway-audience", _listed(principals)) for principals in self.audiences),
        )


def _listed(principals: frozenset[str]) -> str:
    """A JSON array in base64url."""
    return base64.urlsafe_b64encode(json.dumps(sorted(principals)).encode()).decode()


OPERATOR = Caller(sub="operator", roles=frozenset({"reader", "writer", "admin"}))
"""The caller who makes and fills the collections of a test."""


@dataclass(frozen=True, slots=True)
class Reply:
    """All that reaches a caller: ``details`` is a serialized google.rpc.Status, empty when all is well."""

    code: str
    message: str = ""
    details: bytes = b""
    trailers: tuple[tuple[str, str | bytes], ...] = ()
    response: bytes = b""

    def read(self, message: type[MessageT]) -> MessageT:
        """The response as a message; an AssertionError where the call was refused."""
        assert self.code == "OK", f"{self.code}: {self.message}"
        return message.FromString(self.response)

    def faults(self) -> frozenset[str]:
        """The paths of the parameters at fault, of a request that was refused for them."""
        found: set[str] = set()
        for detail in status_pb2.Status.FromString(self.details).details:
            bad = error_details_pb2.BadRequest()
            if detail.Unpack(bad):
                found |= {violation.field for violation in bad.field_violations}
        return frozenset(found)

    def without_tokens(self, response: type[Message]) -> "Reply":
        """The reply with what may differ between two versions blanked: version tokens and the time taken.

        Of a page token is left how long it is.
        """
        if self.code != "OK":
            return self
        message = self.read(response)
        for name in ("version", "took_us"):
            if name in response.DESCRIPTOR.fields_by_name:
                message.ClearField(name)
        if isinstance(message, read_pb2.LookupResponse):
            message.next_page_token = "." * len(message.next_page_token)
        return replace(self, response=message.SerializeToString(deterministic=True))


class Peer(Protocol):
    """A server, near or far."""

    def call(self, method: str, request: Message | bytes, *, caller: Caller) -> Reply:
        """The whole reply to one unary call, such as ``GraphService/Expand``."""
        ...

    def close(self) -> None: ...


class LocalPeer:
    """The server's own wire layer in this process, without a network, by a clock of the test."""

    def __init__(
        self, data_dir: Path | None = None, *, now_us: Callable[[], int] | None = None
    ) -> None:
        self._server = local.LocalServer(data_dir, clock=now_us)

    def call(self, method: str, request: Message | bytes, *, caller: Caller) -> Reply:
        reply = self._server.call(
            method,
            _encoded(request),
            caller=local.Caller(caller.sub, caller.own, caller.roles),
            metadata=caller.metadata,
        )
        return Reply(
            reply.code, reply.message, reply.details, tuple(reply.trailers), reply.response
        )

    def stream(
        self, method: str, requests: Iterable[Message], *, caller: Caller
    ) -> tuple[list[bytes], str]:
        """The responses to a call of many messages, and the code that it ended with."""
        responses, reply = self._server.stream(
            method,
            [_encoded(request) for request in requests],
            caller=local.Caller(caller.sub, caller.own, caller.roles),
        )
        return responses, reply.code

    def close(self) -> None:
        self._server.close()


CHANNEL_OPTIONS = [
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.max_send_message_length", 64 * 1024 * 1024),
]


class GrpcPeer:
    """A server behind a channel at *address*; a token makes one the caller."""

    def __init__(self, address: str, tokens: Mapping[Caller, str]) -> None:
        self.address = address
        self._tokens = tokens
        self._channel = grpc.insecure_channel(address, options=CHANNEL_OPTIONS)

    def token(self, caller: Caller) -> str:
        """What the server knows *caller* by."""
        return self._tokens[caller.itself]

    def call(self, method: str, request: Message | bytes, *, caller: Caller) -> Reply:
        send = self._channel.unary_unary(
            f"/passageway.v1.{method}", request_serializer=bytes, response_deserializer=bytes
        )
        metadata = (("authorization", f"Bearer {self.token(caller)}"), *caller.metadata)
        try:
            response, sent = send.with_call(_encoded(request), metadata=metadata, timeout=60)
        except grpc.RpcError as refused:
            call = cast("grpc.Call", refused)
            trailers = _pairs(call.trailing_metadata())
            details = dict(trailers).get("grpc-status-details-bin", b"")
            return Reply(
                call.code().name,
                call.details() or "",
                details if isinstance(details, bytes) else details.encode(),
                trailers,
            )
        return Reply("OK", trailers=_pairs(sent.trailing_metadata()), response=response)

    def close(self) -> None:
        self._channel.close()


@contextmanager
def served(
    folder: Path, callers: Iterable[Caller], *, data: Path | None = None
) -> Generator[GrpcPeer]:
    """A server of its own behind a channel, in memory unless it has a folder for its *data*.

    It takes one token for each of *callers*.
    """
    known = {caller.itself for caller in callers} | {OPERATOR}
    tokens = {caller: secrets.token_urlsafe() for caller in known}
    file = folder / "tokens.toml"
    file.write_text("\n".join(_entry(caller, token) for caller, token in tokens.items()))
    # `passageway serve` in this process, of a test before, leaves the log on a stderr that is closed by now.
    log = logging.getLogger("passageway.server")
    log.handlers.clear()
    log.propagate = True
    server = Server(Settings(data, listen="127.0.0.1:0", tokens=file, grace=1.0))
    peer = GrpcPeer(server.address, tokens)
    try:
        yield peer
    finally:
        peer.close()
        server.stop()


def _entry(caller: Caller, token: str) -> str:
    lines = [
        "[[token]]",
        f"sha256 = {json.dumps(hashlib.sha256(token.encode()).hexdigest())}",
        f"sub = {json.dumps(caller.sub)}",
        f"principals = {json.dumps(sorted(caller.principals))}",
        f"roles = {json.dumps(sorted(caller.roles))}",
    ]
    return "\n".join(lines)


def _encoded(request: Message | bytes) -> bytes:
    return request if isinstance(request, bytes) else request.SerializeToString(deterministic=True)


def _pairs(
    metadata: Iterable[tuple[str, str | bytes]] | None,
) -> tuple[tuple[str, str | bytes], ...]:
    return tuple((key, value) for key, value in metadata or ())


def fill(peer: Peer, settings: store_pb2.Collection, batches: Sequence[store_pb2.Batch]) -> None:
    """Make the collection that *settings* name, and apply the batches, each as one commit."""
    created = peer.call(
        "StoreService/CreateCollection",
        store_pb2.CreateCollectionRequest(collection=settings),
        caller=OPERATOR,
    )
    assert created.code == "OK", f"create: {created.code}: {created.message}"
    for batch in batches:
        apply(peer, settings.name, batch)


def apply(peer: Peer, collection: str, batch: store_pb2.Batch) -> None:
    """Commit one more batch."""
    applied = peer.call(
        "StoreService/Apply",
        store_pb2.ApplyRequest(collection=collection, batch=batch),
        caller=OPERATOR,
    )
    assert applied.code == "OK", f"apply: {applied.code}: {applied.message}"


@contextmanager
def filled(
    peer: Peer, settings: store_pb2.Collection, batches: Sequence[store_pb2.Batch]
) -> Generator[None]:
    """The collection of `fill`, for as long as the block lasts."""
    fill(peer, settings, batches)
    try:
        yield
    finally:
        drop(peer, settings.name)


def drop(peer: Peer, name: str) -> None:
    """Delete a collection, so that a long test holds one at a time."""
    dropped = peer.call(
        "StoreService/DeleteCollection",
        store_pb2.DeleteCollectionRequest(name=name),
        caller=OPERATOR,
    )
    assert dropped.code == "OK", f"delete: {dropped.code}: {dropped.message}"
