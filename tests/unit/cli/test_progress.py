"""The progress of a load, or of an analysis, is drawn on a terminal, and elsewhere told in a line every ten seconds."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from passageway import LoadResponse
from passageway.cli.lines import Lines, Source
from passageway.cli.progress import Progress, Shares


def lines(folder: Path) -> Lines:
    file = folder / "n.jsonl"
    file.write_bytes(b"{}\n" * 100)
    return Lines(Source(str(file)))


def test_a_bar_shows_how_far_a_load_is(tmp_path: Path) -> None:
    screen = io.StringIO()
    read = lines(tmp_path)
    console = Console(file=screen, force_terminal=True, width=80)

    with Progress([read.source.size], [read], console=console) as progress:
        assert len(list(read)) == 100
        progress.loaded(LoadResponse(nodes=1200, edges=34))
        progress.finishing()

    drawn = screen.getvalue()
    assert "loading" in drawn
    assert "100%" in drawn
    assert "writing" in drawn


def test_stdin_has_no_end_to_show(tmp_path: Path) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)

    with Progress([None], [lines(tmp_path)], console=console) as progress:
        progress.loaded(LoadResponse(nodes=1200))
        progress.finishing()

    assert "100%" not in screen.getvalue()


def test_where_there_is_no_terminal_a_line_tells_now_and_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = lines(tmp_path)
    times = iter([0.0, 9.0, 10.0, 19.0, 20.0])

    with Progress([read.source.size], [read], clock=lambda: next(times)) as progress:
        assert len(list(read)) == 100
        for records in (9, 20_000, 30_000, 40_000):
            progress.loaded(LoadResponse(nodes=records))
        progress.finishing()

    assert capsys.readouterr().err.splitlines() == [
        "loaded 20,000 records, 100% read, 2,000/s",
        "loaded 40,000 records, 100% read, 2,000/s",
    ]


def test_of_several_files_the_one_that_is_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200)
    (tmp_path / "first").mkdir()
    first, second = lines(tmp_path / "first"), lines(tmp_path)
    sizes, times = [first.source.size, second.source.size], iter([0.0, 10.0, 20.0])

    with Progress(sizes, [first, second], clock=lambda: next(times)) as told:
        for read in (first, second):
            assert len(list(read)) == 100
            told.loaded(LoadResponse(nodes=50))
    with Progress(sizes, [first, second], console=console) as drawn:
        drawn.loaded(LoadResponse(nodes=50))

    assert capsys.readouterr().err.splitlines() == [
        f"loaded 50 records, 50% read, 5/s, {first.source.name}",
        f"loaded 50 records, 100% read, 2/s, {second.source.name}",
    ]
    assert f"{second.source.name}: 50 records" in screen.getvalue()


def test_a_short_load_without_a_terminal_is_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read = lines(tmp_path)

    with Progress([read.source.size], [read]) as progress:
        progress.loaded(LoadResponse(nodes=1))
        progress.finishing()

    assert capsys.readouterr() == ("", "")


def test_a_bar_shows_the_share_of_an_analysis() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)

    with Shares("pagerank", console=console) as shares:
        shares.show(0.5)

    assert "pagerank" in screen.getvalue()
    assert "50%" in screen.getvalue()


def test_where_there_is_no_terminal_a_line_tells_the_share_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    times = iter([0.0, 9.0, 10.0, 19.0, 20.0])

    with Shares("pagerank", clock=lambda: next(times)) as shares:
        for done in (0.0, 0.1, 0.256, 0.9):
            shares.show(done)

    assert capsys.readouterr().err.splitlines() == ["pagerank: 10% done", "pagerank: 90% done"]
