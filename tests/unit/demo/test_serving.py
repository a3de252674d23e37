"""The demo's server, where it does not do as it is told: the demo ends with the reason, and leaves no process."""

import os
import sys
from functools import partial
from pathlib import Path

import pytest

from passageway_server import demo

SILENT = "import signal; signal.pause()"
ENDS = "import sys; sys.exit('no room')"
DEAF = """
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("listening on", os.getpid(), flush=True)
while True:
    signal.pause()
"""


def command(program: str, data: Path, tokens: Path) -> list[str]:
    return [sys.executable, "-c", program, str(data), str(tokens)]


@pytest.mark.parametrize("program", [SILENT, ENDS])
def test_a_server_that_does_not_say_where_it_listens_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(demo, "FOLDER", tmp_path)
    monkeypatch.setattr(demo, "PATIENCE", 0.5)
    monkeypatch.setattr(demo, "_command", partial(command, program))

    with pytest.raises(RuntimeError, match="did not start"), demo._serving(tmp_path, tmp_path):
        pass


def test_a_server_that_does_not_stop_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "FOLDER", tmp_path)
    monkeypatch.setattr(demo, "_command", partial(command, DEAF))

    with (
        pytest.raises(RuntimeError, match="did not stop"),
        demo._serving(tmp_path, tmp_path) as process,
    ):
        monkeypatch.setattr(demo, "PATIENCE", 0.5)

    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)
