"""Where a replica reads: the data folder of another server, or what one publishes, by way of a folder of its own."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from passageway_server.errors import FolderMissing, SettingInvalid
from passageway_server.storage import layout
from passageway_server.storage.directory import Directory, reading, writing
from passageway_server.storage.disk import DiskDirectory, make_root
from passageway_server.storage.lock import LOCK, FolderLock
from passageway_server.storage.page_key import PAGE_KEY
from passageway_server.storage.published.bucket import Bucket
from passageway_server.storage.published.mirror import PUBLISHED, Mirror
from passageway_server.storage.verification import collections_in


class Source(Protocol):
    """A folder that somebody else fills."""

    @property
    def directory(self) -> Directory:
        """Its files."""
        ...

    @property
    def page_key(self) -> bytes:
        """The key that seals page tokens where they come from."""
        ...

    def fetch(self) -> None:
        """Bring the folder up to date. Raises PassagewayError, and then it is as it was, at least in part."""
        ...

    def held(self) -> Mapping[str, int | None]:
        """The collections in it, and up to which commit each may be read, where files do not say. ReadFailed."""
        ...

    def renew(self, name: str) -> None:
        """What the folder holds of a collection cannot be read: fetch it anew next time, where that can be done."""
        ...

    def close(self) -> None:
        """Let the folder go."""
        ...


class OwnersFolder:
    """The data folder of another server, which is read and neither locked nor changed."""

    def __init__(self, folder: Path) -> None:
        """FolderMissing, FormatTooNew, SnapshotDamaged, ReadFailed."""
        self.directory = DiskDirectory(folder)
        if not folder.is_dir() or not layout.read_format(self.directory):
            raise FolderMissing(str(folder))
        with reading(PAGE_KEY):
            self.page_key = self.directory.read(PAGE_KEY, limit=64)

    def fetch(self) -> None:
        """Nothing: what is there is there."""

    def held(self) -> Mapping[str, int | None]:
        return dict.fromkeys(collections_in(self.directory))

    def renew(self, name: str) -> None:
        """Nothing: another server sees to its files."""

    def close(self) -> None:
        """Nothing: it was not locked."""


class Cache:
    """A folder of this machine that holds what another server published."""

    def __init__(self, url: str, folder: Path | None) -> None:
        """With what is in *folder* from before; without one, in a folder that goes when it is closed.

        SettingInvalid, FolderInUse, StorageFailed; where nothing is in it, ReadFailed where nothing can be fetched, and
        NothingPublished.
        """
        bucket = Bucket(url, setting="follow")
        self._made = None if folder else Path(tempfile.mkdtemp(prefix="passageway-cache-"))
        kept = folder or self._made
        assert kept is not None
        with writing(str(kept)):
            make_root(kept)
        _check_cache(kept)
        self._lock = FolderLock(kept)
        try:
            self.directory = DiskDirectory(kept)
            self._mirror = Mirror(self.directory, bucket)
            self.page_key = self._mirror.page_key()
        except BaseException:
            self.close()
            raise

    def fetch(self) -> None:
        self._mirror.fetch()
        for fault in self._mirror.failed.values():
            raise fault

    def held(self) -> Mapping[str, int | None]:
        return dict(self._mirror.held)

    def renew(self, name: str) -> None:
        self._mirror.renew(name)

    def close(self) -> None:
        self._lock.release()
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)


def source_of(follow: str, *, cache: Path | None) -> Source:
    """The source that *follow* names, a folder or a URL. Raises what its class does, and SettingInvalid."""
    if "://" in follow:
        return Cache(follow, cache)
    if cache is not None:
        raise SettingInvalid("cache", ["a folder is followed where it is; --cache goes with a URL"])
    return OwnersFolder(Path(follow))


def _check_cache(folder: Path) -> None:
    """Raise SettingInvalid where *folder* holds anything else: what is not published is removed from a cache."""
    names = {entry.name for entry in DiskDirectory(folder).entries("")}
    if names - {LOCK} and PUBLISHED not in names:
        raise SettingInvalid("cache", [f"{folder} holds something else; name an empty folder"])
