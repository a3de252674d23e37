"""`passageway context`: rows that fit some words, or that are named, and what is around them, as cited text."""

from typing import Annotated

import typer

import passageway
from passageway.cli import measures, output, queries, requests
from passageway.cli.connection import READ, Place, placed
from passageway.cli.failures import Usage
from passageway.cli.options import (
    AtLeastVersionOption,
    AtVersionOption,
    BoundsOption,
    CollectionArgument,
    ProjectOption,
    RequestOption,
    TimeoutOption,
    VarOption,
)


@placed(READ)
def context(
    place: Place,
    collection: CollectionArgument,
    text: queries.TextArgument = None,
    id: Annotated[
        list[str] | None,
        typer.Option(
            "--id", metavar="ID", help="Start from this row instead of a query (repeatable)."
        ),
    ] = None,
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
        typer.Option("--limit", metavar="N", show_default="8", help="Most seeds of a query."),
    ] = None,
    sort: queries.SortOption = None,
    rescore: queries.RescoreOption = None,
    hops: Annotated[
        int | None,
        typer.Option("--hops", metavar="N", show_default="1", help="Steps around the seeds, 0-3."),
    ] = None,
    token_budget: Annotated[
        int | None,
        typer.Option(
            "--token-budget",
            metavar="N",
            show_default="2000",
            help="Most tokens of the whole answer, 256-32768; a token is four bytes.",
        ),
    ] = None,
    measure: Annotated[
        passageway.ContextMeasure | None,
        typer.Option(
            "--measure",
            show_default="answer",
            help="What the budget bounds: the answer as JSON, or its text alone.",
        ),
    ] = None,
    reserve_bytes: Annotated[
        int | None,
        typer.Option("--reserve-bytes", metavar="N", help="Bytes of the budget to leave free."),
    ] = None,
    type_cap: Annotated[
        int | None,
        typer.Option(
            "--type-cap",
            metavar="N",
            show_default="2",
            help="So many seeds of a type come before those of others; 0: by score alone.",
        ),
    ] = None,
    walk_as_declared: Annotated[
        bool | None,
        typer.Option("--walk-as-declared", help="Each edge type only the way that agents walk it."),
    ] = None,
    timeout_ms: TimeoutOption = None,
    project: ProjectOption = None,
    evidence: queries.EvidenceOption = None,
    bounds: BoundsOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Write down what fits some words, or some ids, and what is around, within a budget of tokens.

    Retired rows are left out unless --evidence is all.

    \b
    Examples:
      passageway context debian "chess engine" --token-budget 800
      passageway context debian --id gnuchess --hops 2
      passageway context debian "web server" --type package --json
      passageway context notes "red roses" --embedder notes.vectors:embed --vector-field embedding
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
    if id and query:
        told = queries.options(query)
        raise Usage(f"--id excludes {told}: seeds are either named, or found by a query")
    flags = {
        "ids": id,
        "query": query,
        "hops": hops,
        "token_budget": token_budget,
        "measure": measure,
        "reserve_bytes": reserve_bytes,
        "type_cap": type_cap,
        "walk_as_declared": walk_as_declared,
        "timeout_ms": timeout_ms,
        "project": project,
        "evidence": evidence,
        "bounds": bounds,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    given = requests.parameters(passageway.CollectionClient.context, request, flags)
    ids, asked = given.get("ids"), given.get("query")
    if not ids and asked in (None, passageway.Query()):
        raise Usage("give TEXT, --vector, --where or --id, or the same in a file by --request")
    if ids and asked is not None:
        raise Usage("--request: ids exclude a query, and so do --id and the options of one")
    given["query"] = queries.embedded(asked, embedder, vector=vector)
    with place.connect() as client:
        answer = client.collection(collection).context(**given)
    if place.as_json:
        output.document(answer.to_dict())
        return
    if answer.context:
        output.say(answer.context)
    output.unresolved(answer.unresolved)
    _tell(answer)


def _tell(answer: passageway.ContextResponse) -> None:
    """How full the answer is, and what is not in it, on stderr."""
    tokens = output.counted(answer.response_token_estimate, "token")
    output.note(f"{output.counted(len(answer.nodes), 'row')}, {tokens}")
    if answer.truncated:
        left = (
            output.counted(answer.omitted_nodes, "row"),
            output.counted(answer.omitted_edges, "edge"),
            output.counted(answer.omitted_properties, "value"),
        )
        output.note(f"left out: {', '.join(left)}; a larger --token-budget holds more")
    if answer.expansion_limited:
        output.note("around a seed there is more than 512 walks lead to")
    if answer.excluded_evidence:
        told = output.counted(answer.excluded_evidence, "retired row")
        output.note(f"{told} left out: --evidence all shows them too")
    if answer.unknown_types:
        output.note(f"no row has the type {', '.join(answer.unknown_types)}")
    measures.timed_out(answer.timed_out)
