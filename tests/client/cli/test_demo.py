"""The demo shows two callers their own answers to the same requests, and leaves what its commands need."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from passageway_server import demo


@pytest.fixture
def shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> str:
    """What the demo prints, run in a folder of its own."""
    monkeypatch.setattr(demo, "FOLDER", tmp_path / ".demo")
    assert demo.main() == 0
    return capfd.readouterr().out


def test_two_callers_get_different_answers_from_each_call(shown: str, tmp_path: Path) -> None:
    search, expand, paths, window, lookup = (
        shown.partition(f"\n{call}: ")[2].partition("\n\n")[0]
        for call in ("Search", "Expand", "Paths", "Slice", "Lookup")
    )

    assert search.splitlines()[2].split() == ["fairymax", "6.61158", "polyglot", "6.55927"]
    assert "  [fairymax] package: fairymax\n" in shown.partition("\nContext: ")[2]

    assert expand.splitlines()[-1].split() == ["of", "52", "in", "all", "of", "63", "in", "all"]
    assert "libgl1 <-Depends- libgl-dev" in paths
    assert "libx11-dev" in paths
    assert "0ad-data#1" in window
    assert "no row '0ad-data'" in window
    assert lookup.splitlines()[-1].split() == ["of", "25", "in", "all", "of", "21", "in", "all"]
    assert (tmp_path / ".demo" / "tokens.toml").read_text().count("[[token]]") == 2


def test_the_server_of_the_demo_has_ended_and_let_the_folder_go(shown: str, tmp_path: Path) -> None:
    assert "serve --data" in shown

    ended = subprocess.run(
        [sys.executable, "-m", "passageway.cli", "describe", "--data", tmp_path / ".demo" / "data"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.stdout.split() == ["collection", "debian"]


def test_a_copy_that_is_served_is_not_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import passageway

    monkeypatch.setattr(demo, "FOLDER", tmp_path / ".demo")
    shutil.copytree(demo.SNAPSHOT, tmp_path / ".demo" / "data")

    with passageway.open(tmp_path / ".demo" / "data"):
        assert demo.main() == 1

    assert "in use" in capfd.readouterr().err
    assert (tmp_path / ".demo" / "data" / "FORMAT").exists()
