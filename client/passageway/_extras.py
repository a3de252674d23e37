"""Parts of the package that an install may lack, told by the name of the extra that brings them."""

import importlib.util
from collections.abc import Generator
from contextlib import contextmanager

from passageway._errors import MissingExtra

_SERVER_PACKAGES = {
    "grpc_health",
    "grpc_reflection",
    "igraph",
    "lark",
    "msgpack",
    "numba",
    "numpy",
    "passageway_server",
}


@contextmanager
def needs_server(wanted: str) -> Generator[None]:
    """Imports in its block are of the extra [server]; MissingExtra where one of its packages is not installed.

    A module that an installed package lacks is a fault of that package, and told as it is.
    """
    try:
        yield
    except ModuleNotFoundError as fault:
        if fault.name not in _SERVER_PACKAGES:
            raise
        raise MissingExtra(wanted, extra="server") from fault


def installed(package: str) -> bool:
    """Whether *package* can be imported; it is not."""
    return importlib.util.find_spec(package) is not None
