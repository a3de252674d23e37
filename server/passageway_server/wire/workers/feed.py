"""What a reader makes of what its owner tells: versions that it lets be read, as soon as they are durable there.

A collection that it cannot follow it does not serve; reads of it are passed on, as are those of what it has not heard of.
"""

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import grpc

from passageway_server.errors import ReadOnly
from passageway_server.version.collection import Collection
from passageway_server.version.following import Following
from passageway_server.wire.journal import write
from passageway_server.wire.workers.passing import Elsewhere
from passageway_server.wire.workers.telling import METHOD, News, State, decoded

_PAUSE = 0.05  # seconds before the owner is asked again
_MOMENT = 0.1  # seconds within which a version is to be seen everywhere


class Held(Following):
    """The collections that this process can answer for."""

    def collection(self, name: str) -> Collection:
        """The collection *name*; raises Elsewhere where another process has to say what there is."""
        found = self._collections.get(name)
        if found is None:
            raise Elsewhere
        return found


class Feed:
    """Follows the owner behind *channel* from construction on until `stop`; while it is away, all stays as it is."""

    def __init__(self, held: Held, channel: grpc.Channel) -> None:
        self._held = held
        self._follow: Any = channel.unary_stream(METHOD, bytes, bytes)
        self._known = threading.Condition()
        self._changes = -1
        self._stopping = threading.Event()
        self._stream: Any = None
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)
        self._thread.start()

    def wait_for(self, changes: int, *, seconds: float | None = _MOMENT) -> None:
        """Wait until what *changes* of the owner led to can be read here; past *seconds* no longer."""
        with self._known:
            self._known.wait_for(lambda: self._changes >= changes, timeout=seconds)

    def stop(self) -> None:
        """Follow no longer."""
        self._stopping.set()
        if self._stream is not None:
            self._stream.cancel()
        self._thread.join()

    def _run(self) -> None:
        away = True
        while not self._stopping.is_set():
            try:
                for place, news in enumerate(self._news()):
                    if not place:
                        self._drop_all_but(news.states)
                        if away:
                            write("following", collections=len(news.states))
                        away = False
                    for name, state in news.states.items():
                        self._take(name, state)
                    self._know(news.changes)
            except grpc.RpcError:
                pass  # it ended, and another one will come
            self._know(-1)  # another owner counts anew
            if not away and not self._stopping.is_set():
                write("the owner is away")
                away = True
            self._stopping.wait(_PAUSE)

    def _know(self, changes: int) -> None:
        with self._known:
            self._changes = changes
            self._known.notify_all()

    def _news(self) -> Iterator[News]:
        self._stream = self._follow(b"")
        if self._stopping.is_set():
            self._stream.cancel()
        yield from map(decoded, self._stream)

    def _drop_all_but(self, states: Mapping[str, State]) -> None:
        for name in set(self._held.names()) - states.keys():
            self._held.drop(name)

    def _take(self, name: str, state: State) -> None:
        if state is None:
            self._held.drop(name)
            return
        if not self._held.catch_up(name, state["token"]):
            self._held.drop(name)
            return
        collection, fault = self._held.collection(name), state["read_only"]
        collection.expect(state["line"])
        if fault is not None:
            collection.freeze(ReadOnly(*fault))
        elif collection.read_only is not None:  # it was, and its owner is another one now
            self._held.drop(name)
            if self._held.catch_up(name, state["token"]):
                self._held.collection(name).expect(state["line"])
