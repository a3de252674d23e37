"""What several files of tests begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.version.store import Store
from tests.unit.version.crashing import NEVER


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An open store that writes no snapshot of its own accord."""
    opened = Store.open(tmp_path / "data", durability=NEVER)
    yield opened
    opened.close()
