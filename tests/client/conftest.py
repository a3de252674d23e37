"""A fake server, and both clients of it."""

from collections.abc import AsyncIterator, Iterator

import pytest

import passageway
from tests.client.fake import FakeServer


@pytest.fixture
def server() -> Iterator[FakeServer]:
    fake = FakeServer()
    yield fake
    fake.stop()


@pytest.fixture
def client(server: FakeServer) -> Iterator[passageway.Client]:
    with passageway.connect(server.target, token="open-sesame") as connected:
        yield connected


@pytest.fixture
async def async_client(server: FakeServer) -> AsyncIterator[passageway.AsyncClient]:
    async with passageway.connect_async(server.target, token="open-sesame") as connected:
        yield connected
