"""`passageway load`: JSONL files into a collection, batch after batch.

Every batch is one commit. A bad line stops the load: nothing of its batch is kept, the batches before it are.
"""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

import passageway
from passageway import InvalidArgument, LoadResponse, PassagewayError
from passageway._errors import STOPPING
from passageway.cli import output, settings
from passageway.cli.batches import LinesOfBatch, ReadBatch, batches
from passageway.cli.connection import STREAM, Place, placed
from passageway.cli.failures import Failure, Usage, told
from passageway.cli.lines import STDIN, Lines, Source
from passageway.cli.options import CollectionArgument
from passageway.cli.progress import Progress
from passageway.v1 import store_pb2

_MOST_FAULTS = 10


def _files(flag: str, what: str) -> Any:
    return typer.Option(
        flag, metavar="FILE", help=f"JSONL of {what}: plain, .gz, .zst; - is stdin."
    )


@placed(STREAM)
def load(
    place: Place,
    collection: CollectionArgument,
    nodes: Annotated[list[str] | None, _files("--nodes", "nodes")] = None,
    edges: Annotated[list[str] | None, _files("--edges", "edge documents")] = None,
    passages: Annotated[list[str] | None, _files("--passages", "passages")] = None,
    collection_file: Annotated[
        str | None,
        typer.Option(
            "--collection-file",
            metavar="FILE",
            help="Settings of a collection that is not there yet, a Collection message as JSON.",
        ),
    ] = None,
) -> None:
    """Load JSONL files (each option repeats), making the collection where there is none.

    \b
    Examples:
      passageway load debian --nodes nodes.jsonl.zst --edges edges.jsonl.zst --data DATA
      gunzip -c notes.jsonl.gz | passageway load notes --nodes -
    """
    kinds = [[Source(name) for name in names or ()] for names in (nodes, passages, edges)]
    sources = [source for kind in kinds for source in kind]
    if not sources and collection_file is None:
        raise Usage("nothing to load; give --nodes, --edges or --passages")
    if [source.name for source in sources].count(STDIN) + (collection_file == STDIN) > 1:
        raise Usage("stdin can be read once; give - to one option only")
    wanted, _ = settings.read(collection, collection_file, option="--collection-file")
    sizes = [source.size for source in sources]
    began = time.monotonic()
    of_nodes, of_passages, of_edges = [[Lines(source) for source in kind] for kind in kinds]
    progress = Progress(sizes, [*of_nodes, *of_passages, *of_edges])
    stream = _Stream(batches(of_nodes, of_passages, of_edges), progress)
    try:
        with place.connect(create=True) as client:
            if collection not in client.describe().collections:
                client.create_collection(wanted)
                stream.made = collection
            elif collection_file is not None:
                output.note(f"{collection} exists: {collection_file} was not applied")
            with progress:
                done = stream.send(client.collection(collection))
                progress.finishing()
    except KeyboardInterrupt as interrupt:
        if interrupt is not stream.interrupt:  # which was told when it came
            output.note(f"passageway: {stream.left_behind(place.data)}")
        raise
    _tell(collection, done, time.monotonic() - began, as_json=place.as_json)


@dataclass(slots=True)
class _Stream:
    """Sends batches, and keeps where those came from that are not acknowledged yet."""

    read: Iterator[ReadBatch]
    progress: Progress
    waiting: deque[LinesOfBatch] = field(default_factory=deque[LinesOfBatch])
    done: LoadResponse = LoadResponse()
    bad: Failure | None = None
    made: str = ""
    began: bool = False
    interrupt: KeyboardInterrupt | None = None

    def send(self, collection: passageway.CollectionClient) -> LoadResponse:
        """All batches; Failure tells the place of what is wrong, and what was loaded before."""
        self.began = True
        try:
            collection.load(self._batches(), progress=self._acknowledged)
        except InvalidArgument as fault:
            raise self._stopped(_places(fault, self.waiting)) from fault
        except PassagewayError as fault:
            # A server that stops writes what it has.
            lost = isinstance(fault, passageway.Unavailable) and fault.reason != STOPPING
            raise self._stopped(told(fault), known=False, lost=lost) from fault
        except KeyboardInterrupt as interrupt:
            self.interrupt = interrupt
            output.note(f"passageway: {self._stopped('interrupted', known=False)}")
            raise
        if self.bad is not None:
            raise self._stopped(str(self.bad)) from self.bad
        return self.done

    def _batches(self) -> Iterator[store_pb2.Batch]:
        # Bad input ends the stream instead of breaking it, so that what was sent before is acknowledged.
        try:
            for batch in self.read:
                self.waiting.append(batch.origin)
                yield batch.puts
        except Failure as fault:
            self.bad = fault

    def _acknowledged(self, answer: LoadResponse) -> None:
        self.waiting.popleft()
        self.done = answer
        self.progress.loaded(answer)

    def left_behind(self, folder: Path | None) -> str:
        """What an interrupt leaves that came before the first batch, or after the last."""
        if not self.began:
            return "interrupted before anything was loaded"
        if folder is None:
            return f"interrupted after all was loaded: {_counts(self.done)}"
        return (
            "interrupted while the folder was written: it holds all that was loaded, or what it held"
            " before. Load again: records replace those of their id"
        )

    def _stopped(self, what: str, *, known: bool = True, lost: bool = False) -> Failure:
        """What ended the load, with what is loaded; not *known* is what became of batches on their way.

        *lost* is a server that went away: if it was killed, all since its last snapshot went with it.
        """
        rest = (
            "nothing of that batch was kept"
            if known
            else "a batch that was not acknowledged is kept whole or not at all"
        )
        kept = ", which a server that was killed has lost again" if lost else ""
        made = ""
        if self.made and not (self.done.nodes or self.done.passages or self.done.edges):
            made = f" The collection {self.made} was made{', and is empty' if known else ''}."
        return Failure(
            f"{what}\nstopped: {rest}; before it were loaded {_counts(self.done)}{kept}."
            f"{made} Loading again is safe once it is put right: records replace those of their id"
        )


def _places(fault: InvalidArgument, waiting: deque[LinesOfBatch]) -> str:
    """The faults by file, line and column: they are of the first batch without an answer."""
    lines: list[str] = []
    for each in fault.faults:
        place = waiting[0].place(each.field) if waiting else None
        where, path = place or (each.field, "")
        lines.append(": ".join(part for part in (where, path, each.message) if part))
    more = len(lines) - _MOST_FAULTS
    shown = lines[:_MOST_FAULTS] + ([f"and {more:,} more faults"] if more > 0 else [])
    return "\n".join(shown) or fault.message


def _counts(done: LoadResponse) -> str:
    kinds = {"node": done.nodes, "passage": done.passages, "edge": done.edges}
    return ", ".join(output.counted(number, kind) for kind, number in kinds.items())


def _tell(collection: str, done: LoadResponse, seconds: float, *, as_json: bool) -> None:
    if as_json:
        counts = {
            "nodes": done.nodes,
            "passages": done.passages,
            "edges": done.edges,
            "dangling_edges": done.dangling_edges,
            "skipped": 0,
        }
        output.document({"collection": collection, "version": done.version, **counts})
        return
    output.say(
        f"{collection}: {_counts(done)} in {seconds:.1f} s;"
        f" {output.counted(done.dangling_edges, 'dangling edge')}; skipped nothing"
    )
