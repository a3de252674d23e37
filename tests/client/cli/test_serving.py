"""A server that cannot be started as it was asked for says why: 2 for its command line, 1 for what it found."""

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from passageway_server.wire.server import Settings
from tests.client.cli.shell import Cli


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["--data", "D", "--fsync", "never"], "'always', 'interval'"),
        (["--data", "D", "--checkpoint-bytes", "1"], "--checkpoint-bytes"),
        (["--data", "D", "--checkpoint-seconds", "inf"], "--checkpoint-seconds inf: ex"),
        ([], "--data DIR is needed, or --follow SOURCE"),
        (["--workers", "2"], "--data DIR is needed, or --follow SOURCE"),
        (["--workers", "0", "--data", "D"], "--workers"),
        (["--data", "D", "--listen", "here"], "--listen: 'here': expected HOST:PORT"),
        (["--data", "D", "--listen", "127.0.0.1:99999"], "expected HOST:PORT"),
        (["--data", "D", "--listen", "0.0.0.0:0"], "give a tokens file"),
        (["--data", "D", "--cache", "C"], "--cache goes with --follow URL"),
        (["--data", "D", "--publish", "here"], "expected is a URL such as s3://"),
        (["--data", "D", "--publish", "nope://x", "--listen", "127.0.0.1:0"], "s3://"),
        (["--follow", "nope://x", "--listen", "127.0.0.1:0"], "expected is a URL such"),
        (["--follow", ""], "expected is another server's folder, or a URL such as"),
        (["--follow", "D", "--cache", "C"], "--cache goes with --follow URL"),
        (["--follow", "D", "--data", "E"], "--data is of a server that takes writes"),
        (["--follow", "D", "--publish", "s3://b/p"], "leave it or --follow out"),
        (["--follow", "D", "--workers", "2"], "start several replicas instead"),
        (["--follow", "D", "--fsync", "interval"], "--fsync is of a server that takes"),
        (["--follow", "D", "--checkpoint-bytes", "2000000"], "--checkpoint-bytes is of"),
    ],
)
def test_a_wrong_command_line_says_what_to_do_and_makes_nothing(
    cli: Cli, arguments: list[str], remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    ended = cli("serve", *arguments)

    assert (ended.code, ended.out) == (2, "")
    assert remedy in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_one_line_and_none_of_grpc(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = subprocess.run(
            [
                sys.executable,
                "-m",
                "passageway.cli",
                "serve",
                "--data",
                tmp_path,
                "--listen",
                listen,
            ],
            capture_output=True,
            text=True,
            check=False,
        )

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith(
        f"passageway: --listen: {listen} cannot be bound (Address already in use)"
    )


def test_a_file_of_no_token_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").write_text("# none yet\n")

    ended = cli("serve", "--data", tmp_path / "data", "--tokens", tmp_path / "tokens.toml")

    assert ended.code == 1
    assert "no token in it" in ended.err


def test_a_server_that_cannot_start_is_a_failure(cli: Cli, tmp_path: Path) -> None:
    nothing = cli("serve", "--data", tmp_path / "data", "--tokens", tmp_path / "missing.toml")

    assert nothing.code == 1
    assert "missing.toml: cannot be read" in nothing.err


def test_a_replica_of_a_folder_that_is_not_there_says_what_to_name(
    cli: Cli, tmp_path: Path
) -> None:
    ended = cli("serve", "--follow", tmp_path / "nope", "--listen", "127.0.0.1:0")

    assert ended.code == 1
    assert f"--follow {tmp_path / 'nope'}: no data folder here; name the one that" in ended.err
    assert "load" not in ended.err


def test_without_its_package_an_object_store_names_the_extra(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def installed(package: str) -> bool:
        return package != "obstore"

    monkeypatch.setattr("passageway.cli.serve.installed", installed)

    ended = cli("serve", "--data", tmp_path / "data", "--publish", "s3://bucket/prefix")

    assert ended.code == 1
    assert "pip install 'passageway[replica]'" in ended.err


@pytest.mark.parametrize(
    ("flags", "asked"), [([], None), (["--reflection"], True), (["--no-reflection"], False)]
)
def test_reflection_is_as_it_was_asked_for(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    asked: bool | None,
) -> None:
    served: list[Settings] = []

    def serve(settings: Settings, *, ready: Callable[[str], None]) -> None:
        served.append(settings)

    monkeypatch.setattr("passageway_server.wire.server.serve", serve)

    assert cli("serve", "--data", tmp_path, *flags).code == 0

    assert [settings.reflection for settings in served] == [asked]
