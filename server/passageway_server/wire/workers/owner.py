"""The process that holds the folder and takes every commit; readers call it over a unix socket."""

from collections.abc import Sequence
from dataclasses import replace

import grpc

from passageway_server.authz.identity import Identity
from passageway_server.errors import SettingInvalid
from passageway_server.wire.dispatch import Dispatch
from passageway_server.wire.handlers import Handlers
from passageway_server.wire.server import Server
from passageway_server.wire.settings import Settings
from passageway_server.wire.workers.telling import Counted, Telling


class Owner(Server):
    """A server without a port, that also tells of each version. Who calls is found out here as in any server."""

    _telling: Telling

    def __init__(self, settings: Settings) -> None:
        super().__init__(replace(settings, reflection=False))

    def stop(self) -> None:
        """As any server, and tell no more."""
        self._telling.drain()
        super().stop()

    def _bound(self, known: Identity) -> str:  # noqa: ARG002
        target = self._settings.listen
        if not self._server.add_insecure_port(target):
            raise SettingInvalid("workers", [f"{target} cannot be bound"])
        return target

    def _handlers(self, dispatch: Dispatch, known: Identity) -> Sequence[grpc.GenericRpcHandler]:
        self._telling = Telling(self._store)
        return [Counted(Handlers(dispatch, known), self._telling), self._telling.handler()]
