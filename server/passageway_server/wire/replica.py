"""A server that follows another one: it answers reads from what that keeps in its folder, or publishes, and commits nothing."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from passageway_server.authz.callers import ADMIN, WRITER, Caller
from passageway_server.errors import FollowerOnly, PassagewayError, SettingInvalid
from passageway_server.storage.disk import allow_open_files
from passageway_server.storage.published.urls import without_secrets
from passageway_server.storage.sources import Source, source_of
from passageway_server.version.catalog import Catalog
from passageway_server.version.following import Following
from passageway_server.wire.dispatch import Call, Streaming, Unary, Working
from passageway_server.wire.faults import reason_of, write_fault
from passageway_server.wire.journal import to_stderr
from passageway_server.wire.running import Ready, until_told
from passageway_server.wire.server import CALLS, Server
from passageway_server.wire.settings import Settings

_EVERY, _LATER = 0.25, 5.0
"""Seconds from one look to the next, and to the next at what could not be read."""
_HERE = {"StoreService/GetCollection", "StoreService/ListCollections", "StoreService/Export"}
"""Calls beside the reads that a replica answers."""
_OF_WRITERS = {"StoreService/Load", "StoreService/Apply", "StoreService/Analyze"}
"""Calls that need the role writer; all others that a replica refuses need the role admin."""


class Replica(Server):
    """A server without a data folder of its own."""

    def __init__(self, settings: Settings) -> None:
        """Catch up, and serve. Raises SettingInvalid, and what the source does that cannot be read."""
        assert settings.follow is not None
        for name, given in (("data", settings.data), ("publish", settings.publish)):
            if given is not None:
                raise SettingInvalid(name, ["a replica has none; leave it or --follow out"])
        if settings.workers > 1:
            raise SettingInvalid(
                "workers", ["a replica is one process; start several, on other ports or machines"]
            )
        super().__init__(settings, calls=replica_calls(without_secrets(settings.follow)))

    def _opened(self) -> tuple[Catalog, Callable[[], None]]:
        allow_open_files()
        follow = self._settings.follow or ""
        source = source_of(follow, cache=self._settings.cache)
        try:
            pursuit = Pursuit(source, name=without_secrets(follow))
        except BaseException:
            source.close()
            raise

        def close() -> None:
            pursuit.stop()
            source.close()

        return pursuit.following, close


def follow(settings: Settings, *, ready: Ready = print) -> None:
    """Serve as a replica until it is told to stop, as ``running.until_told`` does."""
    to_stderr()
    until_told(lambda: Replica(settings), ready=ready)


class Pursuit:
    """Keeps ``following`` where *source* is, from construction on until `stop`."""

    def __init__(self, source: Source, *, name: str) -> None:
        """With all that is there by now; *name* is what others are told of the source.

        Raises what the source does where there is nothing at all.
        """
        self.following = Following(
            source.directory, source=name, page_key=source.page_key, report=self._report
        )
        self._source, self._name = source, name
        self._faults: dict[str, str] = {}
        self._not_before: dict[str, float] = {}  # of collections that could not be read
        self._stopping = threading.Event()
        try:
            source.fetch()
        except PassagewayError as fault:
            if not source.held():
                raise
            self._report("", fault)
        self._catch_up()
        self._thread = threading.Thread(target=self._run, name="follow", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stay where it is."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        pause = _EVERY
        while not self._stopping.wait(pause):
            pause = _EVERY
            try:
                self._source.fetch()
                self._faults.pop("", None)
            except PassagewayError as fault:
                self._report("", fault)
                pause = 4 * _EVERY
            self._catch_up()

    def _catch_up(self) -> None:
        try:
            held = self._source.held()
        except PassagewayError as fault:
            self._report("", fault)
            return
        now = time.monotonic()
        for name, upto in held.items():
            if now < self._not_before.get(name, 0.0):
                continue
            if self.following.catch_up(name, upto=upto):
                self._faults.pop(name, None)
            else:
                self._source.renew(name)
                self._not_before[name] = now + _LATER
        for name in {*self.following.names(), *self.following.damaged} - held.keys():
            self.following.drop(name)
            self._not_before.pop(name, None)

    def _report(self, name: str, fault: Exception) -> None:
        """Log what is wrong, once for as long as it is."""
        reason = reason_of(fault)
        if self._faults.get(name) != reason:
            self._faults[name] = reason
            write_fault("not followed", fault, collection=name, where=self._name)


def replica_calls(source: str) -> Mapping[str, Call]:
    """The calls of a replica of *source*: those that would change something raise FollowerOnly.

    Who lacks the role for one is told Forbidden, as by the source, and admins alone are told where that is.
    """
    return {
        name: call
        if name in _HERE
        else _refusing(call, WRITER if name in _OF_WRITERS else ADMIN, source)
        for name, call in CALLS.items()
    }


def _refusing(call: Call, role: str, source: str) -> Call:
    def refuse(_: Any, caller: Caller, *_asked: Any) -> NoReturn:
        caller.require(role)
        raise FollowerOnly(source if caller.admin else "another one")

    match call:
        case Unary():
            return replace(call, serve=refuse)
        case Streaming():
            return replace(call, serve=refuse)
        case Working():
            return replace(call, serve=refuse)
        case _:
            return call
