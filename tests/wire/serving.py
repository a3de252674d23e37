"""Servers for tests of the wire: on a port of the loopback that the system picks, ended by the test that began them."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from passageway.v1 import store_pb2
from passageway_server.authz.tokens import new_token
from passageway_server.wire.dispatch import Call
from passageway_server.wire.server import CALLS, Server, Settings

Answer = TypeVar("Answer", bound=Message)
Metadata = tuple[tuple[str, str], ...]


class Failed(Exception):
    """A call that ended with another status than OK."""

    def __init__(self, error: grpc.RpcError) -> None:
        call = cast(grpc.Call, error)
        self.code: str = call.code().name
        self.text: str = call.details() or ""
        trailers = dict(call.trailing_metadata() or ())
        self.status = status_pb2.Status()
        details = trailers.get("grpc-status-details-bin", b"")
        self.status.ParseFromString(details if isinstance(details, bytes) else details.encode())
        super().__init__(f"{self.code}: {self.text}")

    @property
    def fields(self) -> list[str]:
        """The paths of the parameters at fault."""
        request = error_details_pb2.BadRequest()
        return [
            violation.field
            for detail in self.status.details
            if detail.Unpack(request)
            for violation in request.field_violations
        ]

    @property
    def info(self) -> error_details_pb2.ErrorInfo:
        """The reason, and what belongs to it."""
        info = error_details_pb2.ErrorInfo()
        assert any(detail.Unpack(info) for detail in self.status.details)
        return info


class Wire:
    """One channel to a server, and the calls that tests make over it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.channel = grpc.insecure_channel(server.address)

    def unary(
        self,
        method: str,
        request: Message | bytes,
        answer: type[Answer],
        metadata: Iterable[tuple[str, str]] = (),
    ) -> Answer:
        """One call by its name, such as ``GraphService/Get``; raises `Failed`."""
        call = self.channel.unary_unary(
            f"/passageway.v1.{method}",
            request_serializer=_encoded,
            response_deserializer=answer.FromString,
        )
        try:
            response: Answer = call(request, metadata=tuple(metadata), timeout=60)
        except grpc.RpcError as error:
            raise Failed(error) from None
        return response

    def load(
        self, requests: Iterable[store_pb2.LoadRequest], metadata: Iterable[tuple[str, str]] = ()
    ) -> Iterator[store_pb2.LoadResponse]:
        """A stream of batches; raises `Failed` where it ends so."""
        call = self.channel.stream_stream(
            "/passageway.v1.StoreService/Load",
            request_serializer=_encoded,
            response_deserializer=store_pb2.LoadResponse.FromString,
        )
        try:
            yield from call(iter(requests), metadata=tuple(metadata), timeout=60)
        except grpc.RpcError as error:
            raise Failed(error) from None

    def create(self, name: str, metadata: Iterable[tuple[str, str]] = ()) -> store_pb2.Collection:
        """Make a collection whose rows everyone reads."""
        settings = store_pb2.Collection(name=name, default_readers=["public"])
        request = store_pb2.CreateCollectionRequest(collection=settings)
        return self.unary("StoreService/CreateCollection", request, store_pb2.Collection, metadata)


IN_MEMORY = Settings(listen="127.0.0.1:0")


@contextmanager
def served(settings: Settings = IN_MEMORY, calls: Mapping[str, Call] = CALLS) -> Generator[Wire]:
    """A server of this process, stopped in the end."""
    server = Server(settings, calls=calls)
    wire = Wire(server)
    try:
        yield wire
    finally:
        wire.channel.close()
        server.stop()


class Keys:
    """A tokens file, and the metadata that present its tokens."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "tokens.toml"
        self._secrets: dict[str, str] = {}

    def add(self, sub: str, *, principals: Iterable[str] = (), roles: Iterable[str] = ()) -> None:
        """One more token, for *sub*."""
        made = new_token(sub, principals=tuple(principals), roles=tuple(roles))
        self._secrets[sub] = made.secret
        with self.file.open("a", encoding="utf-8") as file:
            file.write(made.entry)

    def secret(self, sub: str) -> str:
        """The token of *sub*."""
        return self._secrets[sub]

    def of(self, sub: str) -> Metadata:
        """The metadata of a call by *sub*."""
        return (("authorization", f"Bearer {self._secrets[sub]}"),)


def guarded(keys: Keys, *, data: Path | None = None) -> Settings:
    """Settings of a server that asks for tokens, in memory unless *data* is given."""
    return Settings(data, "127.0.0.1:0", tokens=keys.file)


def _encoded(request: Message | bytes) -> bytes:
    return request if isinstance(request, bytes) else request.SerializeToString()
