"""`passageway search`: the rows that fit some words, or a vector, best."""

from typing import Annotated

import typer

import passageway
from passageway.cli import measures, output, queries, requests
from passageway.cli.connection import READ, Place, placed
from passageway.cli.options import (
    AtLeastVersionOption,
    AtVersionOption,
    BoundsOption,
    CollectionArgument,
    ContentOption,
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
    text: queries.TextArgument = None,
    where: queries.WhereOption = None,
    var: VarOption = None,
    type_: queries.TypeOption = None,
    text_field: queries.TextFieldOption = None,
    vector: queries.VectorOption = None,
    vector_field: queries.VectorFieldOption = None,
    embedder: queries.EmbedderOption = None,
    max_edits: queries.MaxEditsOption = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", show_default="10", help="Most rows; 0: the total."),
    ] = None,
    sort: queries.SortOption = None,
    rescore: queries.RescoreOption = None,
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
    evidence: queries.EvidenceOption = None,
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
      passageway search notes "red roses" --embedder notes.vectors:embed --vector-field embedding
      passageway search debian "grafics editr" --max-edits 2
      passageway search debian "web server" --rescore 'score * log1p(size)'

    \b
    More lists to fuse with that of TEXT, up to four, stand in a file, such as one of
      {"query": {"also": [{"text": "httpd", "text_fields": ["name"]}]}}
      passageway search debian "web server" --request more.json
    """
    query = queries.members(
        text=text,
        where=where,
        var=var,
        type_=type_,
        text_field=text_field,
        max_edits=max_edits,
        vector=vector,
        vector_field=vector_field,
        limit=limit,
        sort=sort,
        rescore=rescore,
    )
    flags = {
        "query": query,
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
    given["query"] = queries.embedded(given["query"], embedder, vector=vector)
    with place.connect() as client:
        answer = client.collection(collection).search(**given)
    if place.as_json:
        output.document(answer.to_dict())
        return
    several = len({found_by for hit in answer.hits for found_by in hit.matched}) > 1
    output.table(
        ("id", "type", "name", "score", "matched", "content"),
        [
            (
                node.id,
                node.type,
                node.name if node.name != node.id else "",
                hit.score,
                ", ".join(hit.matched) if several else "",
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
