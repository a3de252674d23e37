"""`passageway load`: JSONL files into a collection, batch after batch.

Every batch is one commit, which is on the disk once it is acknowledged. A bad line stops the load: nothing of its batch
is kept, the batches before it are, and --resume goes on after them.
"""

import re
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import typer

import passageway
from passageway import InvalidArgument, LoadResponse, PassagewayError
from passageway.cli import embedding, output, resuming, settings, stopping, times, vectors
from passageway.cli.batches import Behind, Origin, ReadBatch, batches
from passageway.cli.connection import STREAM, Place, placed
from passageway.cli.embedding import Embedding
from passageway.cli.failures import Failure, Usage, told
from passageway.cli.lines import STDIN, Lines, Source
from passageway.cli.options import CollectionArgument
from passageway.cli.parquet import SUFFIX, Rows
from passageway.cli.progress import Progress
from passageway.v1 import store_pb2

_MOST_FAULTS = 10
_UNTOLD = re.compile(r"and (?P<least>at least )?(?P<number>\d+) more faults?")
"""What a server says at the end of faults that it does not tell."""


def _files(flag: str, what: str) -> Any:
    return typer.Option(
        flag, metavar="FILE", help=f"JSONL of {what}: plain, .gz, .zst; - is stdin; or .parquet."
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
    vector_files: Annotated[
        list[str] | None,
        typer.Option(
            "--vectors",
            metavar="FIELD=FILE",
            help="Vectors of a field: a .npy file with a row for each id of --vector-ids.",
        ),
    ] = None,
    vector_ids: Annotated[
        str | None,
        typer.Option(
            "--vector-ids",
            metavar="FILE",
            help="Ids of nodes and passages, one a line, in the order of the rows of --vectors.",
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="MODULE:CALLABLE",
            help="What makes vectors: takes a list of texts, and gives a row of numbers for each.",
        ),
    ] = None,
    embed: Annotated[
        str | None,
        typer.Option(
            "--embed",
            metavar="FIELD[=TEXTS]",
            help="The field of vectors to fill where records have none, of their name,content unless others are named.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on after what a load of the same files, which stopped, has loaded."
        ),
    ] = False,
) -> None:
    """Load JSONL or Parquet files (each option repeats), making the collection where there is none.

    \b
    Examples:
      passageway load debian --nodes nodes.jsonl.zst --edges edges.jsonl.zst --data DATA
      passageway load debian --nodes nodes.jsonl.zst --edges edges.jsonl.zst --data DATA --resume
      passageway load graph --nodes nodes.parquet --edges edges.parquet --data DATA
      passageway load notes --nodes notes.jsonl --vectors embedding=notes.npy --vector-ids ids.txt
      passageway load notes --nodes notes.jsonl --embedder notes.vectors:embed --embed embedding
      gunzip -c notes.jsonl.gz | passageway load notes --nodes -
    """
    kinds = {
        kind: [Source(name) for name in names or ()]
        for kind, names in (("nodes", nodes), ("passages", passages), ("edges", edges))
    }
    sources = [source for each in kinds.values() for source in each]
    if not sources and collection_file is None:
        raise Usage("nothing to load; give --nodes, --edges or --passages")
    if [source.name for source in sources].count(STDIN) + (collection_file == STDIN) > 1:
        raise Usage("stdin can be read once; give - to one option only")
    wanted, _ = settings.read(collection, collection_file, option="--collection-file")
    given = vectors.read(vector_files, vector_ids)
    sizes = [source.size for source in sources]
    made = embedding.embedding(embedder, embed)
    more = made.record_bytes if made else 0
    name = resuming.name_of(
        collection,
        kinds | (given.sources if given else {}),
        options=[f"{embedder} {embed}"] if made else (),
    )
    if resume and not name:
        raise Usage("--resume takes files, which can be read again; stdin and pipes cannot")
    began = time.monotonic()
    inputs = {
        kind: [_opened(source, given, more) for source in each] for kind, each in kinds.items()
    }
    timed = times.time_columns(inputs)
    progress = Progress(sizes, [lines for each in inputs.values() for lines in each])
    behind = Behind()
    stream = _Stream(
        batches(**inputs, behind=behind, vectors=given, more=more),
        progress,
        behind,
        name,
        server=_server(place),
        embedding=made,
    )
    try:
        with place.connect(create=True) as client:
            there = collection in client.describe().collections
            if timed:
                times.check(client, timed, wanted, there=there, file=collection_file)
            if not there:
                client.create_collection(wanted)
                stream.made = collection
            elif collection_file is not None:
                output.note(f"{collection} exists: {collection_file} was not applied")
            if resume:
                came = client.collection(collection).loaded(name)
                behind.batches = came.batch
                stream.done = replace(came, batch=0)
                if not came.batch:
                    output.note("nothing of these files is known to be in: all of them is loaded")
            with progress:
                done = stream.send(client.collection(collection))
                progress.finishing()
    except KeyboardInterrupt as interrupt:
        if interrupt is not stream.interrupt:  # which was told when it came
            output.note(f"passageway: {stream.left_behind()}")
        raise
    if given is not None and given.untaken and not resume:
        ids = output.counted(given.untaken, "id")
        output.note(f"{given.ids.label}: {ids} of no node or passage of this load")
    after = behind.batches if resume else None
    _tell(collection, done, time.monotonic() - began, after=after, as_json=place.as_json)


def _server(place: Place) -> str:
    """The address of the server, "" of a folder."""
    return "" if place.data is not None else place.server or ""


def _opened(source: Source, given: vectors.Vectors | None, more: int) -> Lines | Rows:
    return Rows(source, given, more=more) if source.name.endswith(SUFFIX) else Lines(source)


@dataclass(slots=True)
class _Stream:
    """Sends batches, and keeps where those came from that are not acknowledged yet."""

    read: Iterator[ReadBatch]
    progress: Progress
    behind: Behind
    name: str
    server: str
    embedding: Embedding | None = None
    waiting: deque[Origin] = field(default_factory=deque[Origin])
    done: LoadResponse = LoadResponse()
    bad: Failure | None = None
    made: str = ""
    began: bool = False
    interrupt: KeyboardInterrupt | None = None

    def send(self, collection: passageway.CollectionClient) -> LoadResponse:
        """All batches; Failure tells the place of what is wrong, and what was loaded before."""
        self.began = True
        try:
            collection.load(
                self._batches(),
                name=self.name,
                after=self.behind.batches,
                progress=self._acknowledged,
            )
        except InvalidArgument as fault:
            raise self._stopped(_places(fault, self.waiting)) from fault
        except PassagewayError as fault:
            known = stopping.is_refusal(fault) and not self.behind.with_them(self.done).batch
            lost = self.server if stopping.is_lost(fault) else ""
            raise self._stopped(told(fault), known=known, lost=lost) from fault
        except KeyboardInterrupt as interrupt:
            self.interrupt = interrupt
            output.note(f"passageway: {self._stopped('interrupted', known=False)}")
            raise
        if self.bad is not None:
            raise self._stopped(str(self.bad)) from self.bad
        return self.behind.with_them(self.done)

    def _batches(self) -> Iterator[store_pb2.Batch]:
        # Bad input ends the stream instead of breaking it, so that what was sent before is acknowledged.
        try:
            for batch in self.read:
                if self.embedding is not None:
                    self.embedding.fill(batch.puts)
                self.waiting.append(batch.origin)
                yield batch.puts
        except Failure as fault:
            self.bad = fault

    def _acknowledged(self, answer: LoadResponse) -> None:
        self.waiting.popleft()
        self.done = answer
        self.progress.loaded(self.behind.with_them(answer))

    def left_behind(self) -> str:
        """What an interrupt leaves that came before the first batch, or after the last."""
        if not self.began:
            return "interrupted before anything was loaded"
        return (
            f"interrupted after all was loaded: {stopping.counts(self.behind.with_them(self.done))}"
        )

    def _stopped(self, what: str, *, known: bool = True, lost: str = "") -> Failure:
        """*What* ended the load, with what is loaded; *known* and *lost* as of `stopping.left`."""
        done = self.behind.with_them(self.done)
        left = stopping.left(done, known=known, named=bool(self.name), made=self.made, lost=lost)
        return Failure(f"{what}\n{left}")


def _places(fault: InvalidArgument, waiting: deque[Origin]) -> str:
    """The faults by file, line and column: they are of the first batch without an answer."""
    lines: list[str] = []
    for each in fault.faults:
        place = waiting[0].place(each.field) if waiting else None
        where, path = place or (each.field, "")
        lines.append(": ".join(part for part in (where, path, each.message) if part))
    told = _UNTOLD.fullmatch(lines[-1]) if lines else None
    if told is not None:
        lines.pop()
    more = max(len(lines) - _MOST_FAULTS, 0) + (int(told["number"]) if told else 0)
    least = (told["least"] or "") if told else ""
    rest = [f"and {least}{output.counted(more, 'more fault')}"] if more else []
    return "\n".join(lines[:_MOST_FAULTS] + rest) or fault.message


def _tell(
    collection: str, done: LoadResponse, seconds: float, *, after: int | None, as_json: bool
) -> None:
    """What is loaded, in this load and, where it went on, in the *after* batches before it."""
    if as_json:
        counts = {
            "nodes": done.nodes,
            "passages": done.passages,
            "edges": done.edges,
            "dangling_edges": done.dangling_edges,
            "skipped": 0,
        } | ({} if after is None else {"resumed_after": after})
        output.document({"collection": collection, "version": done.version, **counts})
        return
    output.say(
        f"{collection}: {stopping.counts(done)} in {seconds:.1f} s;"
        f" {output.counted(done.dangling_edges, 'dangling edge')}; skipped nothing"
    )
    if after is not None:
        were = "batch was" if after == 1 else "batches were"
        output.say(f"went on after what was loaded before: {after:,} {were} in")
