"""Makes a golden folder of an earlier format, with the code of a release that wrote it.

    git archive 8c71978 | tar -x -C EARLIER          # format 1; 724c21e: format 2
    PYTHONPATH=EARLIER/server python -m tests.golden.make_earlier FOLDER

FOLDER becomes a data folder; beside it, FOLDER.jsonl lists what is in its collection ``c``.
"""

import sys
from pathlib import Path

from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.version.store import Store
from tests.golden.graph import FIRST, SECOND, THIRD, write_listing

SETTINGS = CollectionSettings(
    "c",
    description="golden",
    fields=(
        FieldDeclaration("note", Kind.TEXT),
        FieldDeclaration("count", Kind.INT),
        FieldDeclaration("since", Kind.TIME),
        FieldDeclaration("expires_at", Kind.TIME),
    ),
    default_readers=("group:a",),
)


def make(folder: Path) -> None:
    """A collection of three commits, the first of which is a named snapshot too."""
    store = Store.open(folder)
    kept = store.create(SETTINGS)
    kept.apply(FIRST)
    store.create_snapshot("c", "kept")
    kept.apply(SECOND)
    kept.apply(THIRD)
    write_listing(folder, [kept.current])
    store.close()


if __name__ == "__main__":
    make(Path(sys.argv[1]))
