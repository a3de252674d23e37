"""`passageway export`: a collection as JSONL, in stored order; loading it gives the collection back."""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from passageway import Batch, Collection, Edge, Node, Passage
from passageway.cli import output, records, settings
from passageway.cli.connection import STREAM, Place, placed
from passageway.cli.failures import Failure, Usage
from passageway.cli.lines import STDIN
from passageway.cli.options import CollectionArgument
from passageway.cli.targets import Target, named, written


def _file(flag: str, what: str) -> Any:
    return typer.Option(
        flag, metavar="FILE", help=f"Where {what} go: plain, .gz, .zst; - is stdout."
    )


@placed(STREAM)
def export(
    place: Place,
    collection: CollectionArgument,
    nodes: Annotated[str | None, _file("--nodes", "nodes")] = None,
    edges: Annotated[str | None, _file("--edges", "edge documents")] = None,
    passages: Annotated[str | None, _file("--passages", "passages")] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            metavar="DIR",
            help="All three as .jsonl.zst, and the settings as collection.json.",
        ),
    ] = None,
) -> None:
    """Write a collection as JSONL files that `load` takes (role admin: it reads all rows).

    \b
    Examples:
      passageway export debian --dir backup --data DATA
      passageway export debian --edges - | head
    """
    if folder is not None and (nodes or edges or passages):
        raise Usage("--dir names all files; give it alone")
    names = {"nodes": nodes, "passages": passages, "edges": edges}
    if folder is not None:
        names = {kind: str(folder / f"{kind}.jsonl.zst") for kind in names}
    wanted = {kind: name for kind, name in names.items() if name}
    if not wanted:
        raise Usage("nothing to write; give --dir, or --nodes, --edges or --passages")
    if len(set(wanted.values())) < len(wanted):
        raise Usage("two kinds cannot go to one file; give each its own")
    if place.as_json and STDIN in wanted.values():
        raise Usage("--json and records cannot both go to stdout")
    with place.connect() as client, ExitStack() as files:
        if folder is not None:
            with named(str(folder)):
                folder.mkdir(parents=True, exist_ok=True)
            _write_settings(folder / "collection.json", _whole(client.get_collection(collection)))
        opened = {kind: files.enter_context(written(name)) for kind, name in wanted.items()}
        counts = dict.fromkeys(wanted, 0)
        for part in client.collection(collection).export():
            for kind, found, keys in _records(part.batch or Batch()):
                if kind in opened:
                    counts[kind] += _write(opened[kind], found, keys)
    if place.as_json:
        output.document({"collection": collection, **counts})
    else:
        told = ", ".join(
            output.counted(count, kind.removesuffix("s")) for kind, count in counts.items()
        )
        output.note(f"{collection}: {told}")


def _records(
    batch: Batch,
) -> Iterator[tuple[str, Iterable[Node | Passage | Edge], Iterable[str]]]:
    """The records of a batch by kind, with the keys of their lines in order."""
    yield "nodes", batch.put_nodes, records.NODE
    yield "passages", batch.put_passages, records.PASSAGE
    yield "edges", batch.put_edges, records.EDGE


def _whole(collection: Collection) -> Collection:
    """*collection*, unless it is damaged: then its settings are not known."""
    if collection.damage:
        raise Failure(collection.damage)
    return collection


def _write_settings(path: Path, collection: Collection) -> None:
    made = collection.to_dict()
    kept = {key: made[key] for key in ("name", *settings.SETTINGS) if key in made}
    with written(str(path)) as file:
        file.write(json.dumps(kept, ensure_ascii=False, indent=2).encode() + b"\n")


def _write(file: Target, found: Iterable[Node | Passage | Edge], keys: Iterable[str]) -> int:
    lines: list[str] = []
    for members in (record.to_dict() for record in found):
        ordered = {key: members[key] for key in keys if key in members}
        lines.append(json.dumps(ordered, ensure_ascii=False))
    file.write("".join(f"{line}\n" for line in lines).encode())
    return len(lines)
