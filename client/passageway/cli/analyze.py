"""`passageway analyze`: a measure of the whole graph, written back as a property."""

import sys
from types import TracebackType
from typing import Annotated, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

import passageway
from passageway import AnalyzeResponse
from passageway.cli import output, requests
from passageway.cli.connection import STREAM, Place, placed
from passageway.cli.options import CollectionArgument


@placed(STREAM)
def analyze(
    place: Place,
    collection: CollectionArgument,
    measure: Annotated[
        passageway.AnalyzeMeasure,
        typer.Argument(metavar="MEASURE", help="What to work out."),
    ],
    as_principals: Annotated[
        list[str],
        typer.Option(
            "--as-principal",
            metavar="PRINCIPAL",
            help="Measure the rows that the holder of these reads (repeatable).",
        ),
    ],
    property: Annotated[
        str,
        typer.Option(
            "--property",
            metavar="NAME",
            show_default="pagerank, community or degree",
            help="What to write it to.",
            callback=requests.text,
        ),
    ] = "",
    edges: Annotated[
        list[str] | None,
        typer.Option(
            "--edges",
            metavar="EDGES",
            help="Edge types and options, such as 'Depends direction=both'; * is every type;"
            " or JSON (repeatable).",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            max=(1 << 64) - 1,
            help="Of communities: one seed gives the same ones again.",
        ),
    ] = 0,
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", metavar="X", show_default="0.85", help="Of pagerank: below 1."),
    ] = None,
    resolution: Annotated[
        float | None,
        typer.Option(
            "--resolution", metavar="X", show_default="1", help="Of communities: higher makes more."
        ),
    ] = None,
) -> None:
    """Measure the whole graph and write the result back as a property (role writer).

    \b
    Examples:
      passageway analyze debian pagerank --as-principal public --edges 'Depends,Recommends'
      passageway analyze debian communities --as-principal public --seed 7
    """
    specs = [requests.edges(text) for text in edges or ()]
    last = AnalyzeResponse()
    try:
        with place.connect() as client, _Bar(measure) as bar:
            for last in client.collection(collection).analyze(
                measure,
                property,
                as_principals=as_principals,
                edges=specs,
                seed=seed,
                alpha=alpha,
                resolution=resolution,
            ):
                bar.show(last.done)
    except KeyboardInterrupt:
        output.note(f"passageway: {_left_behind(last)}")
        raise
    if place.as_json:
        output.document(
            {
                "collection": collection,
                "version": last.version,
                "nodes": last.nodes,
                "communities": last.communities,
            }
        )
        return
    output.table(
        ("collection", "measure", "nodes", "communities", "version"),
        [(collection, measure, last.nodes, last.communities or None, last.version)],
    )


def _left_behind(last: AnalyzeResponse) -> str:
    if last.version:
        return f"interrupted after all was written, as version {last.version}"
    return "interrupted: the measure is written whole or not at all"


class _Bar:
    """How far it is, on stderr, where that is a terminal."""

    def __init__(self, what: str) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task(what, total=1.0)

    def show(self, done: float) -> None:
        """Show the share that is *done*."""
        self._bar.update(self._task, completed=done)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._bar.disable:  # rich before 14.3 ends one that is not drawn with an empty line
            self._bar.stop()
