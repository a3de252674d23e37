"""The records that the golden folders hold, and how the contents of a version are listed.

Only names that every release since format 1 has are used here: the folders of earlier formats were made with their own code.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
)
from passageway_server.version.export import export
from passageway_server.version.version import Version

SOME_DAY = datetime(2031, 1, 1, tzinfo=UTC)
PUBLIC, FEW = ("public",), ("group:a & group:b", "user:eve")

EVERY_KIND: Properties = {
    "count": 2**53 + 1,
    "ratio": 0.1,
    "word": ["a", "ü", "日本"],
    "flag": True,
    "expires_at": SOME_DAY,
    "note": "a text\nof two lines",
}

FIRST = Batch(
    put_nodes=(
        NodeRecord("n1", "person", "Ada", "writes", "p", PUBLIC, "open", EVERY_KIND),
        NodeRecord("n2", "person", "Eve", "☃" * 40, "q", FEW, "expired", {"count": -1}),
        NodeRecord("n3", "place", links={"in": ("n1", "nowhere"), "near": ("n2",)}, covered=True),
        NodeRecord("gone", readers=PUBLIC),
    ),
    put_edges=(
        EdgeRecord("e1", "n1", "n2", "KNOWS", 0.25, {"since": SOME_DAY}, FEW),
        EdgeRecord("e2", "n2", "n3", "LIVES", None, {"flag": [True, False]}),
        EdgeRecord("e3", "n3", "nowhere", "LIVES", 2.0),
        EdgeRecord("e4", "gone", "n1", "KNOWS"),
    ),
    put_passages=(
        PassageRecord("s2", "n1", 1, content="and reads", breadcrumb="1 > 2", mentions=("n3",)),
        PassageRecord("s1", "n1", 0, "top", "writes", readers=("user:eve",), total=2),
        PassageRecord("s3", "absent", 7, properties={"ratio": [0.5, 1.0]}, type="part"),
    ),
)
SECOND = Batch(
    delete_edges=("e1",),
    delete_nodes=("gone",),
    put_nodes=(NodeRecord("n2", "person", "Eve", "moved", "q", ("user:eve",)),),
    put_passages=(PassageRecord("s4", "n2", 0, content="moved"),),
)
THIRD = Batch(
    recut_parents=("n1",),
    put_edges=(EdgeRecord("e1", "n2", "n1", "KNOWS", 0.5),),
    put_passages=(PassageRecord("s2", "n1", 0, content="reads"),),
)


def write_listing(folder: Path, versions: Sequence[Version]) -> None:
    """Write beside *folder*, a data folder, what its collections hold."""
    lines = "\n".join(line for version in versions for line in listed(version))
    folder.with_name(folder.name + ".jsonl").write_text(lines + "\n", encoding="utf-8")


def listed(version: Version) -> Iterator[str]:
    """A line of JSON that names the version, and one for each record, in stored order, without what is not said of it."""
    yield json.dumps({"collection": version.settings.name, "version": version.token})
    for batch in export(version):
        for kind in ("put_nodes", "put_passages", "put_edges"):
            for record in getattr(batch, kind):
                said = {kind.removeprefix("put_"): _said(record)}
                yield json.dumps(said, ensure_ascii=False, sort_keys=True, default=_plain)


def _said(record: Any) -> dict[str, object]:
    said: dict[str, object] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        absent: object = {} if field.default is MISSING else field.default
        if value != absent:
            said[field.name] = value
    return said


def _plain(value: object) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()
