"""An object store by its URL: objects that never change, and names that move by compare-and-set.

The only door to obstore, which takes credentials and endpoints from the environment (AWS_ACCESS_KEY_ID and the like).
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from passageway_server.errors import ObjectDamaged, SettingInvalid, StoreFailed, StoreReadFailed
from passageway_server.storage.published.urls import told, without_secrets

_OF_NO_NETWORK: Final = ("memory:", "file:")
_RETRIES: Final = {"max_retries": 3, "retry_timeout": timedelta(seconds=10)}
_PART: Final = 1 << 20


class Lost(Exception):
    """Somebody else moved the name: it is not what it was."""


class Bucket:
    """The objects under one URL, such as ``s3://bucket/prefix``; ``url`` is that URL without secrets."""

    def __init__(self, url: str, *, setting: str) -> None:
        """SettingInvalid, with the name of the *setting*, where the URL is none or obstore is not installed."""
        try:
            import obstore
            from obstore.store import from_url
        except ModuleNotFoundError as missing:
            what = "needs the extra [replica]; run pip install 'passageway[server,replica]'"
            raise SettingInvalid(setting, [f"{without_secrets(url)} {what}"]) from missing
        self.url = without_secrets(url)
        self._obstore: Any = obstore
        self._failures = (obstore.exceptions.BaseError, OSError, NotImplementedError)
        try:
            # Without client options, which would put what the environment says of them aside.
            retries: Any = _RETRIES if "://" in url and not url.startswith(_OF_NO_NETWORK) else None
            self._store: Any = from_url(url, retry_config=retries)
        except (TypeError, ValueError, *self._failures) as cause:
            raise SettingInvalid(setting, [f"{self.url}: {told(cause)}"]) from cause

    def write(self, path: str, content: bytes | Iterator[bytes]) -> None:
        """Make an object; one that is there has the same bytes. StoreFailed."""
        with self._writing(path):
            self._obstore.put(self._store, path, content)

    def read(self, path: str) -> Iterator[bytes]:
        """The bytes of an object, a part at a time. ObjectDamaged where it is not there, StoreReadFailed."""
        with self._reading(path):
            for part in self._obstore.get(self._store, path).stream(min_chunk_size=_PART):
                yield bytes(part)

    def list(self, under: str) -> list[str]:
        """The paths of all objects under a path that ends with a slash. StoreReadFailed."""
        with self._reading(under):
            return [
                str(found["path"])
                for some in self._obstore.list(self._store, under.rstrip("/"))
                for found in some
            ]

    def remove(self, paths: Iterable[str]) -> None:
        """Remove objects, those that are not there too. StoreFailed."""
        for path in paths:
            with self._writing(path):
                try:
                    self._obstore.delete(self._store, path)
                except FileNotFoundError:
                    continue

    def named(self, name: str, *, unless: str = "") -> tuple[bytes, str] | None:
        """What stands under a name that moves, and its tag; None where the tag is *unless* still. StoreReadFailed.

        Where there is no such name it is nothing, and the tag is empty.
        """
        options: Any = {"if_none_match": unless} if unless else {}
        with self._reading(name):
            try:
                found = self._obstore.get(self._store, name, options=options)
                content = bytes(found.bytes())
            except self._obstore.exceptions.NotModifiedError:
                return None
            except FileNotFoundError:
                return b"", ""
        tag = str(found.meta["e_tag"] or "")
        return None if unless and tag == unless else (content, tag)

    def move(self, name: str, content: bytes, *, tag: str) -> str:
        """Let *content* stand under a name whose tag is *tag*, "" for one that is not there; the new tag.

        Lost where it is another one by now; StoreFailed, and then it is not known which stands there.
        """
        mode: Any = {"e_tag": tag} if tag else "create"
        exceptions = self._obstore.exceptions
        with self._writing(name):
            try:
                put = self._obstore.put(self._store, name, content, mode=mode)
                return str(put["e_tag"] or "")
            except (exceptions.PreconditionError, exceptions.AlreadyExistsError) as refused:
                cause = refused
        # An answer that was lost, and a second try: the first one may have been ours.
        stands = self.named(name)
        if stands is None or stands[0] != content:
            raise Lost from cause
        return stands[1]

    @contextmanager
    def _reading(self, path: str) -> Generator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise ObjectDamaged(f"{self.url}/{path}", "missing") from error
        except self._failures as error:
            raise StoreReadFailed(f"{self.url}/{path}", told(error)) from error

    @contextmanager
    def _writing(self, path: str) -> Generator[None]:
        try:
            yield
        except self._failures as error:
            raise StoreFailed(f"{self.url}/{path}", told(error)) from error
