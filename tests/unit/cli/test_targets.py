"""A file is replaced whole and for its owner alone; what is no file keeps its name."""

import os
import stat
import threading
from pathlib import Path

import pytest

from passageway.cli.failures import Failure
from passageway.cli.targets import written


def write(name: Path, content: bytes) -> None:
    with written(str(name)) as target:
        target.write(content)


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_only_its_owner_reads_a_file(tmp_path: Path, suffix: str) -> None:
    before = os.umask(0)
    try:
        write(tmp_path / f"n.jsonl{suffix}", b"private")
    finally:
        os.umask(before)

    (made,) = tmp_path.iterdir()
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()

    write(pipe, b"rows")
    reader.join()

    assert read == [b"rows"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_device_is_written_to_and_stays() -> None:
    write(Path(os.devnull), b"rows")

    assert Path(os.devnull).is_char_device()


def test_what_a_link_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "n.jsonl")

    write(tmp_path / "link", b"first")
    write(tmp_path / "link", b"second")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "n.jsonl").read_bytes() == b"second"


def test_a_failure_inside_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text("before")

    def fail() -> None:
        with written(str(tmp_path / "n.jsonl")) as target:
            target.write(b"after")
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]


def test_the_file_that_does_not_take_its_bytes_is_the_one_that_is_named(tmp_path: Path) -> None:
    def fill() -> None:
        with written("/dev/full") as full, written(str(tmp_path / "n.jsonl")) as fine:
            fine.write(b"x")
            full.write(bytes(1 << 20))

    with pytest.raises(Failure, match=r"^/dev/full: No space left"):
        fill()

    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="Is a directory"):
        write(tmp_path, b"")
