"""The collections that can be served, by name: all that reading needs to know, wherever they come from."""

import threading
from collections.abc import Callable, Mapping

from passageway_server.errors import AlreadyExists, NotFound, PassagewayError
from passageway_server.values.records import Vector
from passageway_server.version.collection import Collection
from passageway_server.version.readable import clock

Clock = Callable[[], int]
Embed = Callable[[str], Vector]
"""Makes the vector of a text. Raises EmbedderFailed."""


class Catalog:
    """Collections by name. ``now`` is the clock, in microseconds since 1970; ``page_key`` seals page tokens; ``embed`` makes
    vectors of the texts of queries, if there is one.

    ``damaged`` says of those that are there and cannot be served why.
    """

    def __init__(self, *, page_key: bytes, now: Clock = clock) -> None:
        self.now = now
        self.page_key = page_key
        self.embed: Embed | None = None
        self.damaged: dict[str, PassagewayError] = {}
        self._collections: dict[str, Collection] = {}
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._listening = threading.Lock()

    def names(self) -> list[str]:
        """The names of all collections that can be served, sorted."""
        return sorted(self._collections.copy())

    def collections(self) -> list[Collection]:
        """All collections that can be served, by name."""
        return [collection for _, collection in sorted(self._collections.copy().items())]

    def collection(self, name: str) -> Collection:
        """The collection *name*. Raises NotFound, or what is wrong with a damaged one."""
        found = self._collections.get(name)
        if found is not None:
            return found
        self._check_known(name)
        raise self.damaged[name].with_traceback(None)  # one of an earlier call would grow

    def followed(self) -> list[Collection]:
        """Of `collections` those that other processes may read from the same files."""
        return self.collections()

    @property
    def read_only(self) -> Mapping[str, PassagewayError]:
        """Why some collections take no commits until a restart, by name."""
        found = {name: each.read_only for name, each in self._collections.copy().items()}
        return {name: error for name, error in found.items() if error is not None}

    @property
    def unsaved(self) -> Mapping[str, Exception]:
        """Why no snapshot of some collections can be written, which will not change by itself, by name."""
        return {}

    def on_change(self, act: Callable[[], None]) -> None:
        """Call *act*, which must not wait, whenever a version was published, or a collection came, went or was closed."""
        with self._listening:
            self._listeners = (*self._listeners, act)

    def put(self, name: str, collection: Collection) -> None:
        """Serve *collection* under *name* from now on, in the place of what was served there."""
        self.damaged.pop(name, None)
        self._collections[name] = collection
        collection.on_change(self._changed)
        self._changed()

    def take_away(self, name: str) -> Collection | None:
        """Serve *name* no longer; what was served."""
        collection = self._collections.pop(name, None)
        self.damaged.pop(name, None)
        self._changed()
        return collection

    def _changed(self) -> None:
        for act in self._listeners:
            act()

    def _check_known(self, name: str) -> None:
        """Raise NotFound where there is no such collection, served or damaged."""
        if name not in self._collections and name not in self.damaged:
            raise NotFound("collection", name)

    def _check_free(self, name: str) -> None:
        """Raise AlreadyExists, or what is wrong with a damaged one, where *name* is taken."""
        if name in self.damaged:
            raise self.damaged[name].with_traceback(None)
        if name in self._collections:
            raise AlreadyExists("collection", name)
