"""Wrong command lines end with 2, failures with 1: told on stderr in plain words, with what to do."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from passageway.cli import main
from passageway.cli.app import NOT_BUILT
from passageway.cli.connection import Place
from passageway_server.planner import limits
from tests.client.cli.shell import Cli

COMMANDS = [
    *(name.split() for name in ("serve", "load", "export", "describe", "get", "lookup", "slice")),
    *(
        name.split()
        for name in (
            "search",
            "context",
            "expand",
            "paths",
            "analyze",
            "token new",
            "verify",
            "repair",
        )
    ),
    *(["collection", verb] for verb in ("create", "update", "list", "delete")),
    *(["snapshot", verb] for verb in ("create", "list", "restore", "delete")),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(cli: Cli, command: list[str]) -> None:
    ended = cli(*command, "--help")

    assert ended.code == 0
    assert "Example" in ended.out
    assert f"passageway {' '.join(command)}" in ended.out.partition("Example")[2]


def test_every_command_is_tried_here(cli: Cli) -> None:
    listed = cli("--help").out.partition("Commands:")[2].splitlines()
    names = {line.split()[0] for line in listed if line.startswith("  ") and line[2:3].isalpha()}

    assert names - {"Each", "wrong"} == {command[0] for command in COMMANDS}


@pytest.mark.parametrize("name", NOT_BUILT)
def test_a_command_of_a_later_release_is_refused_by_name(cli: Cli, name: str) -> None:
    ended = cli(name, "anything", "--at", "all")

    assert ended.code == 2
    assert f"`passageway {name}` is not built yet" in ended.err


@pytest.mark.parametrize("flag", ["--max-concurrent", "--tls-cert", "--jwks", "--config"])
def test_a_flag_of_a_later_release_is_refused_by_name(cli: Cli, tmp_path: Path, flag: str) -> None:
    ended = cli("serve", "--data", tmp_path, flag, "4")

    assert ended.code == 2
    assert flag in ended.err


@pytest.mark.parametrize("flag", ["--install-completion", "--show-completion"])
def test_there_is_no_shell_completion(cli: Cli, flag: str) -> None:
    assert cli(flag).code == 2


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["describe"], "give --server HOST:PORT"),
        (["describe", "--server", "x:1", "--principal", "public"], "--principal goes with --data"),
        (["load", "notes", "--data", "D"], "give --nodes, --edges or --passages"),
        (["load", "n", "--nodes", "-", "--edges", "-", "--data", "D"], "give - to one option only"),
        (["export", "notes", "--data", "D"], "give --dir, or --nodes"),
        (["export", "n", "--dir", "x", "--nodes", "y", "--data", "D"], "--dir names all files"),
        (["export", "n", "--edges", "y", "--nodes", "y", "--data", "D"], "each its own"),
        (["slice", "n", "a", "--offset", "3", "--data", "D"], "go with --page"),
        (["expand", "n", "a", "--hop", "x decoy=1", "--data", "D"], "unknown decoy; known are"),
        (
            ["expand", "n", "a", "--hop", "x decay=much", "--data", "D"],
            "decay: 'much' is no number",
        ),
        (["expand", "n", "a", "--hop", "x max_degree=1.5", "--data", "D"], "'1.5' is no whole"),
        (["expand", "n", "a", "--hop", "x edge_max_frontier=1", "--data", "D"], "unknown edge_max"),
        (["expand", "n", "--hop", "x", "--data", "D"], "give SEED"),
        (["get", "n", "--data", "D"], "give ID"),
        (["slice", "n", "--data", "D"], "give ID"),
        (["paths", "n", "--from", "a", "--data", "D"], "give --to ID"),
        (["paths", "n", "--data", "D"], "give --from ID and --to ID"),
        (["describe", "--server", "http://localhost:50051"], "expected is HOST:PORT"),
        (["describe", "--server", "localhost"], "expected is HOST:PORT"),
        (["describe", "--server", ":50051"], "expected is HOST:PORT"),
        (["describe", "--server", "localhost:0"], "expected is HOST:PORT"),
        (["describe", "--server", "localhost:70000"], "expected is HOST:PORT"),
        (["describe", "--server", "::1:50051"], "expected is HOST:PORT"),
        (["expand", "n", "a", "--hop", "x direction=up", "--data", "D"], "one of out, in, both"),
        (["expand", "n", "a", "--hop", "{", "--data", "D"], "--hop '{'"),
        (["paths", "n", "--edges", "x decay=1", "--data", "D"], "unknown decay; known are"),
        (["lookup", "n", "--var", "x", "--data", "D"], "expected is NAME=VALUE"),
        (["lookup", "n", "--request", "missing.json", "--data", "D"], "missing.json: No such file"),
        (["collection", "create", "n", "--field", "x:y", "--data", "D"], "NAME:KIND"),
        (["collection", "create", "n", "--field", "v:vector", "--data", "D"], "NAME:vector:DIM"),
        (["collection", "update", "n", "--data", "D"], "nothing to change"),
        (["collection", "create", "n", "--file", "missing.json", "--data", "D"], "No such file"),
        (["collection", "update", "n", "--membership", "{sub}", "--data", "D"], "--member-edge"),
        (["collection", "create", "n", "--member-edge", "M", "--data", "D"], "--membership"),
        (["collection", "create", "n", "--field-reader", "x", "--data", "D"], "NAME=PRINCIPAL"),
        (["collection", "create", "n", "--field-reader", "x=a", "--data", "D"], "no field 'x'"),
        (["describe", "--on-behalf-of", "user:ada", "--data", "D"], "go with --server"),
        (["describe", "--audience", "user:ada", "--data", "D"], "go with --server"),
        (["describe", "--audience", "[1]", "--server", "x:1"], "JSON array of texts"),
        (["describe", "--audience", "[", "--server", "x:1"], "JSON array of texts"),
        (["token", "new", "--sub", "ada", "--roles", "king"], "expected reader, writer, admin or"),
        (["token", "new", "--sub", " "], "sub"),
        (
            ["expand", "n", "a", "--limit", "99999999999", "--data", "D"],
            "limit: is 99999999999; at most",
        ),
        (["lookup", "n", "--page-size", "-1", "--data", "D"], "page_size: is -1; at least 0"),
        (
            ["slice", "n", "a", "--page", "x", "--offset", "-1", "--data", "D"],
            "page.offset: is -1; at least 0",
        ),
        (
            ["expand", "n", "a", "--hop", "x max_per_node=-1", "--data", "D"],
            "hops[0].max_per_node: is",
        ),
        (
            ["expand", "n", "a", "--budget", "nodes=-1", "--data", "D"],
            "budget.nodes: is -1; at least 0",
        ),
        (["expand", "n", "a", "--hop", "", "--data", "D"], "names no edge type; * is every type"),
        (["expand", "n", "a", "--hop", ",", "--data", "D"], "names no edge type; * is every type"),
        (["paths", "n", "--edges", " ", "--data", "D"], "names no edge type; * is every type"),
        (["analyze", "n", "degree", "--as-principal", "a", "--edges", ""], "* is every type"),
        (
            ["expand", "n", "a", "--hop", "x filter=section = games", "--data", "D"],
            "a value with spaces stands in quotes: filter='section …'",
        ),
        (["expand", "n", "a", "--hop", "x edge_filter=w > 3", "--data", "D"], "edge_filter='w …'"),
        (["expand", "n", "a", "--hop", "x decay = 3", "--data", "D"], "without spaces"),
        (["expand", "n", "a", "--ppr", "alpha", "--data", "D"], "alpha: '' is no number"),
        (["expand", "n", "a", "--hop", "{" * 99_999, "--data", "D"], "--hop"),
        (["lookup", "n", "--var", 'x={"a":1}', "--data", "D"], "an object; a property is one"),
        (["lookup", "n", "--var", "x=null", "--data", "D"], "null, which is no value"),
        (["lookup", "n", "--var", f"x={10**24}", "--data", "D"], "a whole number beyond 64 bits"),
        (["lookup", "n", "--var", "x=1e999", "--data", "D"], "a number beyond a double"),
        (["get", "n", "\udcff", "--data", "D"], "ids: text that is not UTF-8"),
        (["get", "\udcff", "a", "--data", "D"], "'\\udcff' is not UTF-8"),
        (["snapshot", "create", "n", "\udcff", "--data", "D"], "'\\udcff' is not UTF-8"),
        (["collection", "create", "n", "--description", "\udcff", "--data", "D"], "not UTF-8"),
        (["load", "n", "--collection-file", "no.json", "--data", "D"], "--collection-file no.json"),
        (["describe", "--data", "D", "--timeout", "3"], "--timeout goes with --server"),
        (["describe", "--server", "x:1", "--token", "a\nb"], "without the line break"),
        (["describe", "--server", "x:1", "--token", "\udcff"], "without the line break"),
        (["describe", "--server", "\udcff:1"], "--server"),
        (["snapshot", "restore", "n", "s", "--data", "D"], "--into COLLECTION, a new one, or --in"),
        (["snapshot", "restore", "n", "s", "--into", "m", "--in-place"], "give either --into"),
        (["load", "n", "--nodes", "-", "--resume", "--data", "D"], "--resume takes files"),
        (["get", "n", "a", "--at-version", "x", "--at-least-version", "y"], "exclude each other"),
        (["collection", "create", "n", "--retain-versions", "0", "--data", "D"], "--retain"),
    ],
)
def test_a_wrong_command_line_says_what_to_do(
    cli: Cli,
    arguments: list[str],
    remedy: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)

    ended = cli(*arguments)

    assert ended.code == 2
    assert remedy in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert not (tmp_path / "D").exists()


def test_nobody_is_asked_where_there_is_no_terminal(cli: Cli, folder: Path) -> None:
    ended = cli("collection", "delete", "notes", "--data", folder)

    assert ended.code == 2
    assert "--yes" in ended.err
    assert cli("describe", "notes", "--data", folder).code == 0


def test_no_server_at_the_address_is_a_failure(cli: Cli) -> None:
    ended = cli("describe", "--server", "127.0.0.1:1", "--timeout", "0.2")

    assert ended.code == 1
    assert ended.err.startswith("passageway: ")
    assert "127.0.0.1:1" in ended.err


def test_where_nobody_listens_the_remedy_is_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = cli("describe", "--server", "localhost:1", "--timeout", "0.2")

    assert ended.err == (
        "passageway: no server answers at localhost:1;"
        " start one with `passageway serve --listen localhost:1` (NO_SERVER)\n"
    )
    monkeypatch.setenv("PASSAGEWAY_DEBUG", "1")
    assert (
        "gRPC: failed to connect" in cli("describe", "--server", "[::1]:1", "--timeout", "0.2").err
    )


def test_a_number_that_is_left_out_is_told_by_the_help(cli: Cli) -> None:
    told = {
        ("expand", "--limit"): limits.HITS,
        ("expand", "--max-nodes"): limits.NODES,
        ("expand", "--max-edges"): limits.EDGES,
        ("paths", "-k"): limits.SHORTEST,
        ("paths", "--max-depth"): limits.DEPTH,
        ("paths", "--max-paths"): limits.SIMPLE_PATHS,
        ("paths", "--max-frontier"): limits.SEARCH_FRONTIER,
        ("slice", "--window"): limits.WINDOW,
        ("lookup", "--limit"): limits.PAGE_SIZE,
        ("lookup", "--max-values"): limits.MAX_VALUES,
    }
    for (command, option), limit in told.items():
        options = " ".join(cli(command, "--help").out.partition("Options:")[2].split())
        described = options.partition(f"{option} ")[2]

        assert f"[default: ({limit.absent})]" in described.partition(" --")[0], option


def test_an_unknown_collection_is_a_failure(cli: Cli, folder: Path) -> None:
    ended = cli("get", "nothing", "a", "--data", folder)

    assert ended.code == 1
    assert ended.err == "passageway: no collection 'nothing' (NOT_FOUND)\n"


def test_every_fault_of_a_request_is_told_with_its_parameter(cli: Cli, folder: Path) -> None:
    ended = cli(
        "expand", "notes", "a", "--hop", "calls decay=-1", "--limit", "-5", "--data", folder
    )

    assert ended.code == 1
    assert "hops[0].decay: " in ended.err
    assert "limit: " in ended.err


def test_the_version_is_that_of_the_package(cli: Cli) -> None:
    assert cli("--version").out == "0.1.0\n"


def test_a_reader_that_goes_away_is_no_error_to_tell(folder: Path) -> None:
    command = f"{sys.executable} -m passageway.cli lookup notes --data {folder} | true"

    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert ended.stderr == ""


def test_without_its_packages_the_program_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "passageway.cli.app")
    monkeypatch.setitem(sys.modules, "typer", None)

    assert main() == 1
    assert "passageway[cli]" in capsys.readouterr().err


def test_a_fault_of_the_program_is_one_line_with_its_type(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(place: Place) -> None:
        raise ZeroDivisionError("rows of somebody")

    monkeypatch.setattr(Place, "connect", fail)
    monkeypatch.delenv("PASSAGEWAY_DEBUG", raising=False)

    ended = cli("describe", "--data", "D")

    assert ended.code == 1
    assert ended.err.count("\n") == 1
    assert "ZeroDivisionError; report it" in ended.err
    monkeypatch.setenv("PASSAGEWAY_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli("describe", "--data", "D")


def test_a_fault_of_the_system_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(place: Place) -> None:
        raise PermissionError(13, "Permission denied", "there")

    monkeypatch.setattr(Place, "connect", fail)

    ended = cli("describe", "--data", "D")

    assert (ended.code, ended.err) == (1, "passageway: there: Permission denied\n")


def test_an_internal_error_of_a_folder_stands_in_the_log_beside_it(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("passageway_server.wire.dispatch.Dispatch.unary", fail)

    ended = cli("describe", "--data", folder)

    log, told = ended.err.splitlines()
    bug = json.loads(log)
    assert ended.code == 1
    assert bug["error"] == "ZeroDivisionError"
    assert told == f"passageway: internal error; its id in the log is {bug['id']} (INTERNAL)"
    assert logging.getLogger("passageway.server").propagate
