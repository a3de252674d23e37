"""`passageway slice`: a window of spans, or one long text page by page."""

from typing import Annotated

import typer

import passageway
from passageway.cli import output, requests
from passageway.cli.connection import READ, Place, placed
from passageway.cli.failures import Usage
from passageway.cli.options import (
    AtLeastVersionOption,
    AtVersionOption,
    BoundsOption,
    CollectionArgument,
    ContentOption,
    EvidenceOption,
    ProjectOption,
    RequestOption,
)


@placed(READ)
def slice(
    place: Place,
    collection: CollectionArgument,
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="A span, or the memory it was cut from.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option("--window", metavar="N", show_default="3", help="How many spans."),
    ] = None,
    page: Annotated[
        str | None,
        typer.Option("--page", metavar="PROPERTY", help="Page one text of the row instead."),
    ] = None,
    offset: Annotated[
        int | None, typer.Option("--offset", metavar="N", help="Where the page begins.")
    ] = None,
    sha256: Annotated[
        str | None, typer.Option("--sha256", metavar="HEX", help="From the page before.")
    ] = None,
    max_chars: Annotated[
        int | None, typer.Option("--max-chars", metavar="N", help="Characters of the page.")
    ] = None,
    token_budget: Annotated[
        int | None,
        typer.Option(
            "--token-budget", metavar="N", help="Tokens of the page and what is beside it instead."
        ),
    ] = None,
    content_max_chars: ContentOption = None,
    project: ProjectOption = None,
    evidence: EvidenceOption = None,
    bounds: BoundsOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Read a window of spans, or one long text page by page.

    \b
    Examples:
      passageway slice debian 0ad-data --window 2
      passageway slice debian 0ad --page content --max-chars 200
    """
    if page is None and (offset, sha256, max_chars, token_budget) != (None, None, None, None):
        raise Usage("--offset, --sha256, --max-chars and --token-budget go with --page")
    flags = {
        "id": id,
        "window": window,
        "page": page
        and passageway.TextPageRequest(
            page,
            offset=offset or 0,
            sha256=sha256 or "",
            max_chars=max_chars,
            token_budget=token_budget,
        ),
        "content_max_chars": content_max_chars,
        "project": project,
        "evidence": evidence,
        "bounds": bounds,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    given = requests.parameters(
        passageway.CollectionClient.slice, request, flags, needed={"id": "ID"}, id=""
    )
    with place.connect() as client:
        answer = client.collection(collection).slice(**given)
    if place.as_json:
        output.document(answer.to_dict())
    elif answer.page is not None:
        _page(answer.page)
    else:
        _window(answer)


def _page(page: passageway.TextPage) -> None:
    output.say(page.text)
    if page.next_offset is None:
        output.note(f"the end, at {output.counted(page.total_chars, 'character')}")
    else:
        output.note(
            f"{page.next_offset:,} of {output.counted(page.total_chars, 'character')};"
            f" next: --offset {page.next_offset} --sha256 {page.sha256}"
        )


def _window(answer: passageway.SliceResponse) -> None:
    parent = answer.parent_id or answer.id
    whole = ", the whole text" if answer.covers_parent else ""
    told = output.counted(answer.total, "span")
    if answer.passage_total is not None:
        told = f"{answer.total:,} of {output.counted(answer.passage_total, 'span')}"
    output.say(f"{parent}: {told}{whole}")
    for node in answer.passages:
        at = "" if node.span is None else f"[{node.span.index}] "
        output.say()
        output.say(f"{at}{node.id}")
        output.say(node.content)
