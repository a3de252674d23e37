"""A tokens file of an admin, a writer and a reader."""

from pathlib import Path

import pytest

from tests.wire.serving import Keys


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """Tokens of an admin, a writer and a reader."""
    keys = Keys(tmp_path)
    keys.add("root", roles=["admin"])
    keys.add("wim", roles=["writer"])
    keys.add("ada", principals=["group:eng"])
    return keys
