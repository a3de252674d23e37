"""The collections of a process that owns them, and what goes on beside: followers are told, and what is durable is published."""

import threading
from collections.abc import Callable
from logging import ERROR, WARNING

from passageway_server.errors import PassagewayError, SettingInvalid
from passageway_server.storage.directory import Directory
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.published.bucket import Bucket, Lost
from passageway_server.storage.published.publisher import Publisher
from passageway_server.version.durability import Durability
from passageway_server.version.marking import marked
from passageway_server.version.store import Store
from passageway_server.wire.faults import write_fault
from passageway_server.wire.journal import write
from passageway_server.wire.settings import Settings

Close = Callable[[], None]

_EVERY, _LATER = (
    0.2,
    2.0,
)  # seconds from one look at the folder to the next, and after one that failed


def opened(settings: Settings) -> tuple[Store, Close]:
    """The collections of the data folder that *settings* name, recovered, and what lets them go.

    Raises SettingInvalid, FolderInUse, FormatTooNew.
    """
    bucket = None
    if settings.publish is not None:
        if settings.data is None:
            raise SettingInvalid("publish", ["a server without a folder publishes nothing"])
        bucket = Bucket(settings.publish, setting="publish")
    kept = durability(settings)
    store = Store.open(settings.data, durability=kept)
    if kept.fsync == "interval":
        write("a crash may take the last 100 ms of what is acknowledged", level=WARNING)
    for one in store.findings:
        write(
            "recovered",
            level=WARNING,
            collection=one.collection,
            file=one.file,
            offset=one.offset,
            kind=one.kind.value,
            found=one.found,
            bytes=one.bytes,
            kept=one.kept,
        )
    if settings.data is None:
        return store, store.close
    directory = DiskDirectory(settings.data)
    close_marked = marked(store)
    publishing = None if bucket is None else Publishing(directory, bucket)

    def close() -> None:
        try:
            close_marked()
        finally:
            if publishing is not None:
                publishing.stop()

    return store, close


def durability(settings: Settings) -> Durability:
    """What *settings* say of the disk. Raises SettingInvalid."""
    faults: list[str] = []
    if settings.checkpoint_bytes < 1:
        faults.append(f"checkpoint_bytes {settings.checkpoint_bytes}: expected 1 or more")
    if not settings.checkpoint_seconds > 0:
        faults.append(f"checkpoint_seconds {settings.checkpoint_seconds}: expected more than 0")
    if faults:
        raise SettingInvalid("checkpoint", faults)
    return Durability(settings.fsync, settings.checkpoint_bytes, settings.checkpoint_seconds)


class Publishing:
    """Publishes a folder in a thread of its own, until `stop` or until somebody else publishes there."""

    def __init__(self, directory: Directory, bucket: Bucket) -> None:
        self._directory, self._bucket = directory, bucket
        self._stopping = threading.Event()
        self._faults: dict[str, str] = {}
        self._thread = threading.Thread(target=self._run, name="publish", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Publish what there is by now, if that can be done, and no more."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        publisher: Publisher | None = None
        last = False
        while not last:
            last = self._stopping.is_set()
            faults: dict[str, PassagewayError] = {}
            try:
                if publisher is None:
                    publisher = Publisher(self._directory, self._bucket)
                publisher.publish()
                faults = publisher.failed
            except Lost:
                write(
                    "no longer published: another server publishes there",
                    level=ERROR,
                    where=self._bucket.url,
                )
                return
            except PassagewayError as fault:
                faults[""] = fault
            self._tell(faults)
            self._stopping.wait(_LATER if "" in faults else _EVERY)

    def _tell(self, faults: dict[str, PassagewayError]) -> None:
        """Log what is wrong, once for as long as it is."""
        for name, fault in faults.items():
            if self._faults.get(name) != fault.reason:
                write_fault("not published", fault, collection=name, where=self._bucket.url)
        self._faults = {name: fault.reason for name, fault in faults.items()}
