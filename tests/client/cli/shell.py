"""A small collection for the command line, and what a command left behind."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NODES: list[dict[str, Any]] = [
    {
        "id": "a",
        "type": "service",
        "name": "Alpha",
        "readers": ["public"],
        "properties": {"size": 3},
    },
    {"id": "b", "type": "service", "readers": ["public"], "properties": {"size": 0.5}},
    {"id": "c", "type": "service", "readers": ["group:eng"], "links": {"related": ["a"]}},
    {
        "id": "m",
        "type": "note",
        "content": "First part. Second part.",
        "readers": ["public"],
        "covered": True,
    },
    {"id": "x\u001b[31m", "type": "odd", "name": "line\nbreak", "readers": ["public"]},
]
EDGES: list[dict[str, Any]] = [
    {"id": "ab", "source": "a", "target": "b", "type": "calls", "weight": 0.5},
    {"id": "bc", "source": "b", "target": "c", "type": "calls"},
    {"id": "az", "source": "a", "target": "z", "type": "calls"},
]
PASSAGES: list[dict[str, Any]] = [
    {
        "id": "m#0",
        "parent_id": "m",
        "index": 0,
        "total": 2,
        "content": "First part.",
        "breadcrumb": "M",
    },
    {
        "id": "m#1",
        "parent_id": "m",
        "index": 1,
        "total": 2,
        "content": "Second part.",
        "mentions": ["a"],
    },
]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


Cli = Callable[..., Ended]


def write(file: Path, records: list[dict[str, Any]]) -> Path:
    """*records* as a JSONL file."""
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return file
