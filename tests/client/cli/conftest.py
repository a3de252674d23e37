"""A command line in this process, over a small collection: two teams, a memory with spans, a private node."""

import shutil
from pathlib import Path

import pytest

from passageway.cli.app import run
from tests.client.cli.shell import EDGES, NODES, PASSAGES, Cli, Ended, write


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command line: its exit code, stdout and stderr."""
    monkeypatch.delenv("PASSAGEWAY_SERVER", raising=False)
    monkeypatch.delenv("PASSAGEWAY_TOKEN", raising=False)

    def call(*arguments: str | Path) -> Ended:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capfd.readouterr()
        return Ended(code, printed.out, printed.err)

    return call


@pytest.fixture
def files(tmp_path: Path) -> list[str | Path]:
    """The options that name the three files of the small collection."""
    return options_of(tmp_path)


def options_of(folder: Path) -> list[str | Path]:
    """The three files, written into *folder*, behind their options."""
    kinds = {"nodes": NODES, "edges": EDGES, "passages": PASSAGES}
    files = {kind: write(folder / f"{kind}.jsonl", records) for kind, records in kinds.items()}
    return [part for kind, file in files.items() for part in (f"--{kind}", file)]


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that holds the small collection as ``notes``; copied, never opened."""
    folder = tmp_path_factory.mktemp("loaded")
    options = [str(part) for part in options_of(folder)]
    assert run(["load", "notes", *options, "--data", str(folder / "data")]) == 0
    return folder / "data"


@pytest.fixture
def folder(loaded: Path, tmp_path: Path) -> Path:
    """A copy of the loaded folder."""
    return Path(shutil.copytree(loaded, tmp_path / "data"))
