"""`passageway analyze`: a measure of the whole graph, written back as a property."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import typer

import passageway
from passageway import AnalyzeResponse
from passageway.cli import output, requests
from passageway.cli.connection import STREAM, Place, placed
from passageway.cli.options import CollectionArgument
from passageway.cli.progress import Shares

_PROPERTIES: Final[Mapping[passageway.AnalyzeMeasure, str]] = {
    "pagerank": "pagerank",
    "communities": "community",
    "degree": "degree",
}
"""What a measure is written to unless a name is given."""


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
            help="Edge types and options, such as 'Depends direction=both'; * is every type."
            " Options: direction, filter, weight_property. Or JSON (repeatable).",
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
        with place.connect() as client, Shares(measure) as shares:
            for last in client.collection(collection).analyze(
                measure,
                property,
                as_principals=as_principals,
                edges=specs,
                seed=seed,
                alpha=alpha,
                resolution=resolution,
            ):
                shares.show(last.done)
    except KeyboardInterrupt:
        output.note(f"passageway: {_left_behind(last)}")
        raise
    written = property or _PROPERTIES[measure]
    if not last.nodes:
        output.note(_nobody(collection, as_principals))
    if place.as_json:
        counts = {"communities": last.communities} if measure == "communities" else {}
        output.document(
            {
                "collection": collection,
                "measure": measure,
                "property": written,
                "version": last.version,
                "nodes": last.nodes,
                **counts,
            }
        )
        return
    communities = last.communities if measure == "communities" else None
    output.table(
        ("collection", "measure", "property", "nodes", "communities", "version"),
        [(collection, measure, written, last.nodes, communities, last.version)],
    )


def _nobody(collection: str, principals: Sequence[str]) -> str:
    held = " and ".join(principals)
    return f"no row took part: nobody who holds {held} reads a row of {collection}"


def _left_behind(last: AnalyzeResponse) -> str:
    if last.version:
        return f"interrupted after all was written, as version {last.version}"
    return "interrupted: the measure was written whole or not at all, most likely not"
