"""`passageway search`: the rows that fit some words, or a vector, best."""

from collections.abc import Sequence
from typing import Annotated, cast

import typer

import passageway
from passageway.cli import measures, output, requests
from passageway.cli.connection import READ, Place, placed
from passageway.cli.failures import Usage
from passageway.cli.options import (
    AtLeastVersionOption,
    AtVersionOption,
    BoundsOption,
    CollectionArgument,
    ContentOption,
    EvidenceOption,
    FacetOption,
    FieldOption,
    MetricOption,
    ProjectOption,
    RequestOption,
    TimeoutOption,
    VarOption,
    preview,
)


@placed(READ)
def search(
    place: Place,
    collection: CollectionArgument,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="Words to look for.")] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="FILTER", help="Only rows that meet this."),
    ] = None,
    var: VarOption = None,
    type_: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only rows of this type (repeatable)."),
    ] = None,
    text_field: Annotated[
        list[str] | None,
        typer.Option(
            "--text-field",
            metavar="FIELD",
            show_default="all that are searched",
            help="Look for the words in this field (repeatable); a keyword has to be the whole text.",
        ),
    ] = None,
    vector: Annotated[
        str | None,
        typer.Option(
            "--vector",
            metavar="FILE",
            help="Look for what is near this vector: a JSON list of numbers (-: stdin).",
        ),
    ] = None,
    vector_field: Annotated[
        str | None,
        typer.Option(
            "--vector-field",
            metavar="FIELD",
            show_default="the only one",
            help="Compare it with the vectors in this field.",
        ),
    ] = None,
    max_edits: Annotated[
        int | None,
        typer.Option(
            "--max-edits",
            metavar="N",
            show_default="0",
            help="A word meets words within 1 or 2 edits, too, that begin with the same letter.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", show_default="10", help="Most rows; 0: the total."),
    ] = None,
    sort: Annotated[
        list[str] | None,
        typer.Option(
            "--sort", metavar="FIELD", help="Order by this field, -FIELD downward (repeatable)."
        ),
    ] = None,
    type_cap: Annotated[
        int | None,
        typer.Option(
            "--type-cap",
            metavar="N",
            show_default="2",
            help="So many rows of a type come before those of others; 0: by score alone.",
        ),
    ] = None,
    facet: FacetOption = None,
    metric: MetricOption = None,
    timeout_ms: TimeoutOption = None,
    field: FieldOption = None,
    content_max_chars: ContentOption = None,
    project: ProjectOption = None,
    evidence: EvidenceOption = None,
    bounds: BoundsOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Find the rows whose names and texts fit some words best, or whose vectors are near another.

    With both, a row's place in either list counts. Retired rows are left out unless --evidence is all.

    \b
    Examples:
      passageway search debian "chess engine"
      passageway search debian "image viewer" --where 'section = "graphics"' --limit 5
      passageway search debian "web server" --type package --facet section --json
      passageway search notes "red roses" --vector roses.json --vector-field embedding
      passageway search debian "grafics editr" --max-edits 2
    """
    query = passageway.Query(
        requests.text(text) or "",
        filter=where or "",
        vars=requests.variables(var) or {},
        types=type_ or (),
        text_fields=text_field or (),
        vector=_vector(vector),
        vector_field=vector_field or "",
        max_edits=max_edits or 0,
        limit=limit,
        sort=sort or (),
    )
    flags = {
        "query": None if query == passageway.Query() else query,
        "type_cap": type_cap,
        "facets": measures.facets(facet),
        "metrics": measures.metrics(metric),
        "timeout_ms": timeout_ms,
        "fields": field,
        "content_max_chars": content_max_chars,
        "project": project,
        "evidence": evidence,
        "bounds": bounds,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    call = passageway.CollectionClient.search
    given = requests.parameters(
        call,
        request,
        flags,
        needed={"query": "TEXT, --vector or --where"},
        query="",
        **preview(as_json=place.as_json),
    )
    with place.connect() as client:
        answer = client.collection(collection).search(**given)
    if place.as_json:
        output.document(answer.to_dict())
        return
    output.table(
        ("id", "type", "name", "score", "content"),
        [
            (
                node.id,
                node.type,
                node.name if node.name != node.id else "",
                hit.score,
                hit.excerpt.text if hit.excerpt else node.content,
            )
            for hit in answer.hits
            if (node := hit.node)
        ],
    )
    output.count(len(answer.hits), answer.total, "row")
    if answer.excluded_evidence:
        told = output.counted(answer.excluded_evidence, "retired row")
        output.note(f"{told} left out: --evidence all shows them too")
    if answer.unknown_types:
        output.note(f"no row has the type {', '.join(answer.unknown_types)}")
    measures.show(answer.facets, answer.metrics, asked=given)
    measures.timed_out(answer.timed_out)


def _vector(file: str | None) -> Sequence[float]:
    """The numbers in *file*; none where there is none. Usage for what is no list of numbers."""
    if file is None:
        return ()
    held = requests.json_file("--vector", file)
    numbers = cast(list[object], held) if isinstance(held, list) else []
    if not numbers or not all(type(number) in (int, float) for number in numbers):
        raise Usage(f"--vector {file}: expected is a JSON list of numbers, such as [0.5, -1, 2.5]")
    return cast(list[float], numbers)
