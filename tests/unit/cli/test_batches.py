"""Batches hold the records of their lines in order, and know the line of each."""

from pathlib import Path

import pytest

from passageway._channel import MOST_BYTES
from passageway.cli import batches as cut
from passageway.cli.batches import BadInput, LinesOfBatch, batches
from passageway.cli.lines import Lines, Source


def lines_of(folder: Path, name: str, *lines: str) -> list[Lines]:
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [Lines(Source(str(folder / name)))]


def test_nodes_come_first_then_passages_then_edges(tmp_path: Path) -> None:
    read = list(
        batches(
            lines_of(tmp_path, "n", '{"id": "a"}', "", '{"id": "b"}'),
            lines_of(tmp_path, "p", '{"id": "a#0", "parent_id": "a"}'),
            lines_of(tmp_path, "e", '{"id": "e", "source": "a", "target": "b"}'),
        )
    )

    nodes, passages, edges = read
    assert [node.id for node in nodes.puts.put_nodes] == ["a", "b"]
    assert [passage.id for passage in passages.puts.put_passages] == ["a#0"]
    assert [edge.id for edge in edges.puts.put_edges] == ["e"]
    assert isinstance(nodes.origin, LinesOfBatch)
    assert nodes.origin.numbers == [1, 3]


def test_a_batch_ends_at_its_number_of_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut, "RECORDS", 2)

    read = batches(lines_of(tmp_path, "n", *(f'{{"id": "{i}"}}' for i in range(5))), [], [])

    assert [len(batch.puts.put_nodes) for batch in read] == [2, 2, 1]


def test_a_batch_ends_at_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut, "BYTES", 100)
    long = "x" * 60
    lines = [f'{{"id": "{i}", "content": "{long}"}}' for i in range(5)]

    read = batches(lines_of(tmp_path, "n", *lines), [], [])

    assert [len(batch.puts.put_nodes) for batch in read] == [2, 2, 1]


def test_batches_never_mix_files(tmp_path: Path) -> None:
    files = lines_of(tmp_path, "n1", '{"id": "a"}') + lines_of(tmp_path, "n2", '{"id": "b"}')

    read = list(batches(files, [], []))

    assert [batch.origin.source for batch in read if isinstance(batch.origin, LinesOfBatch)] == [
        str(tmp_path / "n1"),
        str(tmp_path / "n2"),
    ]


def test_a_bad_line_stops_after_the_whole_batches_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut, "RECORDS", 2)
    read = batches(
        lines_of(tmp_path, "n", '{"id": "a"}', '{"id": "b"}', '{"id": "c"}', '{"id": 4}'), [], []
    )

    assert len(next(read).puts.put_nodes) == 2
    with pytest.raises(BadInput, match=rf"^{tmp_path}/n:4:8: id: a number"):
        next(read)


def test_a_fault_of_the_server_is_told_by_file_line_and_column(tmp_path: Path) -> None:
    lines = ['{"id": "a"}', "", '{"id": "b", "properties": {"size": 3}}']
    (batch,) = batches(lines_of(tmp_path, "n", *lines), [], [])

    assert batch.origin.place("batch.put_nodes[0].id") == (f"{tmp_path}/n:1:8", "id")
    assert batch.origin.place('put_nodes[1].properties["size"]') == (
        f"{tmp_path}/n:3:36",
        'properties["size"]',
    )
    assert batch.origin.place("batch.put_nodes[2].id") is None
    assert batch.origin.place("collection") is None


def test_a_record_that_no_message_holds_is_a_bad_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut, "RECORD_BYTES", 1000)
    long = "x" * 990
    lines = [
        '{"id": "a"}',
        f'{{"id": "b", "content": "{long}"}}',
        f'{{"content": "{long}12345678"}}',
    ]

    read = batches(lines_of(tmp_path, "n", *lines), [], [])

    assert [len(next(read).puts.put_nodes) for _ in range(2)] == [1, 1]
    with pytest.raises(BadInput, match=rf"^{tmp_path}/n:3:1: a record of 1,001 bytes"):
        next(read)


def test_no_batch_is_larger_than_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut, "BYTES", 1000)
    monkeypatch.setattr(cut, "RECORD_BYTES", 2000)
    numbers = ",".join(["0.5", *["1"] * 100])
    lines = [f'{{"properties": {{"x": [{numbers}]}}}}'] * 9

    read = batches(lines_of(tmp_path, "n", *lines), [], [])

    assert max(batch.puts.ByteSize() for batch in read) <= 2000


def test_the_largest_record_fits_a_message() -> None:
    assert cut.RECORD_BYTES + 1024 + 64 < MOST_BYTES
