"""A process that answers reads beside others, on the port that they share, from the versions that the owner tells of."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import grpc

from passageway_server.authz.identity import Identity
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.disk import DiskDirectory, allow_open_files
from passageway_server.storage.page_key import kept_page_key
from passageway_server.version.catalog import Catalog
from passageway_server.wire.dispatch import Dispatch
from passageway_server.wire.faults import write_fault
from passageway_server.wire.handlers import Handlers
from passageway_server.wire.health import Health
from passageway_server.wire.server import Server
from passageway_server.wire.settings import Settings
from passageway_server.wire.workers.feed import Feed, Held
from passageway_server.wire.workers.health import HealthOfReader
from passageway_server.wire.workers.passing import OPTIONS, Passing


class Reader(Server):
    """A server that takes no lock and writes nothing: what is no read is passed on to the *owner*, a gRPC target."""

    _shares_port: ClassVar[bool] = True

    def __init__(self, settings: Settings, *, owner: str) -> None:
        """Wait for the owner, follow it, and serve."""
        self._channel = grpc.insecure_channel(owner, OPTIONS)
        super().__init__(settings)

    def _opened(self) -> tuple[Catalog, Callable[[], None]]:
        assert self._settings.data is not None
        grpc.channel_ready_future(self._channel).result()
        allow_open_files()
        directory = DiskDirectory(self._settings.data)
        held = Held(
            directory,
            source="its owner",
            page_key=kept_page_key(directory),
            report=partial(_cannot_follow, self._settings.data),
            opening=StoredCollection.map,  # the owner compared every byte, or wrote it
        )
        feed = Feed(held, self._channel)
        feed.wait_for(0, seconds=None)
        self._heard = feed.wait_for

        def close() -> None:
            feed.stop()
            self._channel.close()

        return held, close

    def _handlers(self, dispatch: Dispatch, known: Identity) -> Sequence[grpc.GenericRpcHandler]:
        return [Passing(dispatch, Handlers(dispatch, known), self._channel, heard=self._heard)]

    def _health_of(self, known: Identity) -> Health:
        return HealthOfReader(self._store, known, self._channel)


def _cannot_follow(data: Path, name: str, fault: Exception) -> None:
    write_fault("not followed", fault, collection=name, where=str(data))
