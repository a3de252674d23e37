"""An object store on the loopback that speaks as S3 does: moto's server, in a thread of the test."""

import logging
import os
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest import mock

import obstore
from moto.server import ThreadedMotoServer
from obstore.store import from_url

_NUMBERS = count()


class ObjectServer:
    """The store, and buckets in it."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint

    @contextmanager
    def in_environment(self) -> Generator[None]:
        """The variables by which obstore finds it."""
        with mock.patch.dict(os.environ, self._variables(self._endpoint)):
            yield

    @contextmanager
    def away(self) -> Generator[None]:
        """As if nobody answered."""
        with mock.patch.dict(os.environ, self._variables("http://127.0.0.1:1")):
            yield

    def new_url(self) -> str:
        """A place in it where nothing is."""
        bucket = f"bucket-{next(_NUMBERS)}"
        urllib.request.urlopen(
            urllib.request.Request(f"{self._endpoint}/{bucket}", method="PUT")
        ).close()
        return f"s3://{bucket}/some/prefix"

    def damage(self, url: str) -> int:
        """Change the last byte of each object that never changes; how many there are."""
        store: Any = from_url(url)
        listed: Any = obstore.list(store, prefix="objects")  # pyright: ignore[reportUnknownMemberType]
        paths = [found["path"] for some in listed for found in some]
        for path in paths:
            content = bytes(obstore.get(store, path).bytes())
            obstore.put(store, path, content[:-1] + bytes([content[-1] ^ 1]))
        return len(paths)

    @staticmethod
    def _variables(endpoint: str) -> dict[str, str]:
        return {
            "AWS_ENDPOINT": endpoint,
            "AWS_ACCESS_KEY_ID": "id",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }


@contextmanager
def object_server() -> Generator[ObjectServer]:
    """A store that answers until the end of the with block."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield ObjectServer(f"http://{host}:{port}")
    finally:
        server.stop()
