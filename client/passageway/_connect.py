"""Clients over a channel. They connect with their first call."""

import grpc

from passageway._async_channel import AsyncChannelTransport
from passageway._channel import ChannelTransport
from passageway._generated.async_client import AsyncClient
from passageway._generated.client import Client
from passageway._session import TIMEOUT, AsyncSession, Session


def connect(
    target: str,
    *,
    token: str | None = None,
    timeout: float = TIMEOUT,
    credentials: grpc.ChannelCredentials | None = None,
) -> Client:
    """A client of the server at *target*, such as ``127.0.0.1:50051``.

    token: sent with each call as a bearer token. Without *credentials* it crosses the network readable: keep
    such a server on this machine or behind a proxy that speaks TLS. timeout: seconds of a call, retries included.
    credentials: ``grpc.ssl_channel_credentials()`` for TLS.
    """
    transport = ChannelTransport(target, token=token, credentials=credentials)
    return Client(Session(transport, timeout=timeout))


def connect_async(
    target: str,
    *,
    token: str | None = None,
    timeout: float = TIMEOUT,
    credentials: grpc.ChannelCredentials | None = None,
) -> AsyncClient:
    """The asynchronous twin of :func:`connect`, to be called where an event loop runs."""
    transport = AsyncChannelTransport(target, token=token, credentials=credentials)
    return AsyncClient(AsyncSession(transport, timeout=timeout))
