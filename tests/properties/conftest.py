"""What holds for all properties: random collections are small, and still take the ways of large ones."""

from collections.abc import Iterator

import pytest

from passageway_server.engine import vectors


@pytest.fixture(scope="session", autouse=True)
def sketched_vectors() -> Iterator[None]:
    """More than three vectors are compared by their sketches first."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vectors, "_FEW", 3)
        yield
