"""A data folder: the collections in it, held by one server at a time."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from passageway_server.errors import FolderForeign, FolderMissing
from passageway_server.storage import layout
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.directory import ROOT, Directory, reading, writing
from passageway_server.storage.disk import DiskDirectory, allow_open_files, make_root
from passageway_server.storage.lock import LOCK, FolderLock
from passageway_server.storage.names import is_name
from passageway_server.storage.page_key import PAGE_KEY, kept_page_key
from passageway_server.storage.snapshot import PARTIAL
from passageway_server.storage.sweeping import sweep

# What a folder without FORMAT may hold to become a data folder: what making one leaves, and what a new disk has.
_OF_NO_OTHER = {LOCK, layout.FORMAT + PARTIAL, "lost+found"}


class DataFolder:
    """The collections of a folder; ``swept`` names the leftovers that opening it removed.

    ``page_key`` seals page tokens; it is the same whenever the folder is opened.
    """

    def __init__(self, directory: Directory, *, lock: FolderLock | None = None) -> None:
        """Check the format and sweep. FormatTooNew, SnapshotDamaged (of FORMAT), StorageFailed."""
        self._directory = directory
        self._lock = lock
        with writing(layout.FORMAT):
            layout.settle_format(directory)
        self.swept = tuple(sweep(directory))
        with writing(PAGE_KEY):
            self.page_key = kept_page_key(directory)
        with writing("the data folder"):
            directory.sync(ROOT)  # whoever made or moved a collection may have come no further

    @classmethod
    def open(cls, folder: Path, *, create: bool = True) -> Self:
        """Lock and open *folder*; with *create* it is made where there is none, else that is FolderMissing.

        FolderForeign where it is a file, or holds something else; FolderInUse if it is open already.
        """
        if not _is_data_folder(folder):
            if not create:
                raise FolderMissing(str(folder))
            with writing(str(folder)):
                make_root(folder)
        lock = FolderLock(folder)
        try:
            allow_open_files()
            return cls(DiskDirectory(folder), lock=lock)
        except BaseException:
            lock.release()
            raise

    def collection(self, name: str) -> StoredCollection:
        """The collection *name*, there yet or not; InvalidRequest unless it can be a name."""
        return StoredCollection(self._directory, layout.collection_folder(name))

    def names(self) -> list[str]:
        """The names of all collections, damaged ones too, sorted; other folders are not ours."""
        with reading("the data folder"):
            entries = self._directory.entries(ROOT)
        return [entry.name for entry in entries if entry.is_folder and is_name(entry.name)]

    def close(self) -> None:
        """Let another open the folder. Arrays that are mapped stay."""
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def held(folder: Path) -> Generator[Directory]:
    """The files of the data folder *folder* as they are, locked until the end of the with block; nothing is swept.

    FolderMissing where there is none; FolderForeign, FolderInUse as of `DataFolder.open`.
    """
    if not _is_data_folder(folder):
        raise FolderMissing(str(folder))
    with FolderLock(folder, read_only=True):
        allow_open_files()
        yield DiskDirectory(folder)


def _is_data_folder(folder: Path) -> bool:
    """Whether *folder* is one; FolderForeign where it could not become one."""
    with reading(str(folder)):
        if not folder.exists():
            return False
        if not folder.is_dir():
            raise FolderForeign(str(folder), "a file, not a folder")
        names = {entry.name for entry in DiskDirectory(folder).entries(ROOT)}
    if layout.FORMAT in names:
        return True
    others = sorted(names - _OF_NO_OTHER)
    if others:
        what = f"no {layout.FORMAT} here, but {others[0]}"
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise FolderForeign(str(folder), what + more)
    return False
