"""Writes down how far the logs of a folder are on the disk, once no commit has said so for a moment.

Each commit says it of the ones before; without this nobody would learn it of the last one before a pause: who follows the
folder would not show it, and a log that lost its end would pass for one that a crash cut.
"""

import threading
from collections.abc import Callable

from passageway_server.errors import DiskFull, PassagewayError, StorageFailed
from passageway_server.version.catalog import Catalog
from passageway_server.version.collection import Collection
from passageway_server.version.store import Store

_MOMENT = 0.1  # seconds
_PAUSE = 1.0  # seconds until a mark that failed is tried again, though nothing changed


def marked(store: Store) -> Callable[[], None]:
    """Mark the collections of *store*, which has a folder; what ends that, and closes the store."""
    marking = Marking(store)

    def close() -> None:
        marking.stop()
        store.close()

    return close


class Marking:
    """Marks the collections of *catalog*, from construction on until `stop`."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._marked: dict[str, str] = {}  # tokens by collection
        self._failed = False
        self._changed = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mark", daemon=True)
        catalog.on_change(self._changed.set)
        self._thread.start()

    def stop(self) -> None:
        """Mark no longer."""
        self._stopping.set()
        self._changed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._changed.wait(_PAUSE if self._failed else None)
            while self._changed.is_set() and not self._stopping.is_set():
                self._changed.clear()
                self._stopping.wait(_MOMENT)
            if self._stopping.is_set():
                return
            self._failed = False
            collections = self._catalog.collections()
            self._marked = {
                each.current.settings.name: self._mark(each.current.settings.name, each)
                for each in collections
            }

    def _mark(self, name: str, collection: Collection) -> str:
        """The token of the version up to which *collection* is marked."""
        before, version = self._marked.get(name, ""), collection.current
        if version.token != before:
            try:
                if collection.mark():
                    return version.token
            except (DiskFull, StorageFailed):
                self._failed = True
            except PassagewayError:  # what could not be synced is not marked, nor will it be
                pass
        return before
