"""Clients over a channel. They connect with their first call."""

from collections.abc import Sequence

import grpc

from passageway._async_channel import AsyncChannelTransport
from passageway._channel import ChannelTransport
from passageway._delegation import told
from passageway._generated.async_client import AsyncClient
from passageway._generated.client import Client
from passageway._session import TIMEOUT, AsyncSession, Session


def connect(
    target: str,
    *,
    token: str | None = None,
    on_behalf_of: Sequence[str] | None = None,
    audience: Sequence[Sequence[str]] = (),
    timeout: float = TIMEOUT,
    credentials: grpc.ChannelCredentials | None = None,
) -> Client:
    """A client of the server at *target*, such as ``127.0.0.1:50051``.

    token: sent with each call as a bearer token. Without *credentials* it crosses the network readable: keep
    such a server on this machine or behind a proxy that speaks TLS.
    on_behalf_of: the principals that the calls are made for, such as ``["user:ada"]``, and no others: rights of the token do
    not count then. It takes the role delegate.
    audience: lists of principals, one for each who will read the answers: what they hold is open to the caller and to
    each of these.
    timeout: seconds of a call, retries included.
    credentials: ``grpc.ssl_channel_credentials()`` for TLS.
    """
    transport = ChannelTransport(
        target, token=token, told=told(on_behalf_of, audience), credentials=credentials
    )
    return Client(Session(transport, timeout=timeout))


def connect_async(
    target: str,
    *,
    token: str | None = None,
    on_behalf_of: Sequence[str] | None = None,
    audience: Sequence[Sequence[str]] = (),
    timeout: float = TIMEOUT,
    credentials: grpc.ChannelCredentials | None = None,
) -> AsyncClient:
    """The asynchronous twin of :func:`connect`, to be called where an event loop runs."""
    transport = AsyncChannelTransport(
        target, token=token, told=told(on_behalf_of, audience), credentials=credentials
    )
    return AsyncClient(AsyncSession(transport, timeout=timeout))
