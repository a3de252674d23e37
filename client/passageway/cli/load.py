"""`passageway load`: JSONL files into a collection, batch after batch.

Every batch is one commit, which is on the disk once it is acknowledged. A bad line stops the load: nothing of its batch
is kept, the batches before it are, and --resume goes on after them.
"""

import time
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from passageway import LoadResponse
from passageway.cli import embedding, output, resuming, settings, stopping, times, vectors
from passageway.cli.batches import Behind, batches
from passageway.cli.connection import STREAM, Place, placed
from passageway.cli.failures import Usage
from passageway.cli.lines import STDIN, Lines, Source
from passageway.cli.options import CollectionArgument
from passageway.cli.parquet import SUFFIX, Rows
from passageway.cli.progress import Progress
from passageway.cli.sending import Stream


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
    stream = Stream(
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
    filled = made.filled if made else None
    _tell(
        collection,
        done,
        time.monotonic() - began,
        after=after,
        filled=filled,
        as_json=place.as_json,
    )


def _server(place: Place) -> str:
    """The address of the server, "" of a folder."""
    return "" if place.data is not None else place.server or ""


def _opened(source: Source, given: vectors.Vectors | None, more: int) -> Lines | Rows:
    return Rows(source, given, more=more) if source.name.endswith(SUFFIX) else Lines(source)


def _tell(
    collection: str,
    done: LoadResponse,
    seconds: float,
    *,
    after: int | None,
    filled: embedding.Filled | None,
    as_json: bool,
) -> None:
    """What is loaded, in this load and, where it went on, in the *after* batches before it; *filled* is of this load."""
    if filled is not None:
        output.note(
            f"{output.counted(filled.made, 'vector')} made;"
            f" {output.counted(filled.without_text, 'node or passage', 'nodes and passages')}"
            " without a text for one"
        )
    if as_json:
        counts: dict[str, Any] = {
            "nodes": done.nodes,
            "passages": done.passages,
            "edges": done.edges,
            "dangling_edges": done.dangling_edges,
            "skipped": 0,
        } | ({} if after is None else {"resumed_after": after})
        if filled is not None:
            counts["vectors"] = asdict(filled)
        output.document({"collection": collection, "version": done.version, **counts})
        return
    output.say(
        f"{collection}: {stopping.counts(done)} in {seconds:.1f} s;"
        f" {output.counted(done.dangling_edges, 'dangling edge')}; skipped nothing"
    )
    if after is not None:
        were = "batch was" if after == 1 else "batches were"
        output.say(f"went on after what was loaded before: {after:,} {were} in")
