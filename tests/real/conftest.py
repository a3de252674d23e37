"""The real graph, loaded once for all tests here, by the command that users load with."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import passageway

REPOSITORY = Path(__file__).parents[2]


def data_folder() -> Path:
    """Where the graph lies; a run that requires it fails where it is not, another one skips."""
    folder = (
        Path(os.environ.get("PASSAGEWAY_DATA", REPOSITORY.parent / "shared" / "data")) / "debian"
    )
    if not (folder / "expected.json").is_file():
        reason = f"no graph in {folder}; set PASSAGEWAY_DATA to a folder that holds debian/"
        if os.environ.get("PASSAGEWAY_REQUIRE_DATA"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the collection debian."""
    source, folder = data_folder(), tmp_path_factory.mktemp("debian")
    files = [
        part
        for kind in ("nodes", "edges", "passages")
        for part in (f"--{kind}", str(source / f"{kind}.jsonl.zst"))
    ]
    load = [sys.executable, "-m", "passageway.cli", "load", "debian", "--data", str(folder), *files]
    done = subprocess.run(load, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """What other programs agreed on."""
    loaded: dict[str, Any] = json.loads((data_folder() / "expected.json").read_text())
    return loaded


@pytest.fixture(scope="session")
def caller(debian: Path, expected: dict[str, Any]) -> Iterator[passageway.CollectionClient]:
    """The collection as the caller in 17 groups sees it."""
    with passageway.open(debian, principals=expected["groups"]) as client:
        yield client.collection("debian")
