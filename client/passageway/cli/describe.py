"""`passageway describe`: the map of a collection."""

from contextlib import suppress
from typing import Annotated

import typer

import passageway
from passageway.cli import output, requests
from passageway.cli.connection import READ, Place, placed
from passageway.cli.failures import Usage
from passageway.cli.options import (
    AtLeastVersionOption,
    AtVersionOption,
    EvidenceOption,
    ProjectOption,
    RequestOption,
)


@placed(READ)
def describe(
    place: Place,
    collection: Annotated[
        str | None,
        typer.Argument(
            metavar="COLLECTION",
            help="Its name; without: which there are.",
            callback=requests.text,
        ),
    ] = None,
    project: ProjectOption = None,
    evidence: EvidenceOption = None,
    at_version: AtVersionOption = None,
    at_least_version: AtLeastVersionOption = None,
    request: RequestOption = None,
) -> None:
    """Show the map of a collection: types, routes and fields that you can see.

    \b
    Examples:
      passageway describe
      passageway describe debian
    """
    flags = {
        "project": project,
        "evidence": evidence,
        "at_version": at_version,
        "at_least_version": at_least_version,
    }
    given = requests.parameters(passageway.CollectionClient.describe, request, flags)
    if collection is None and given:
        raise Usage(f"{', '.join(given)}: of a collection; name one")
    with place.connect() as client:
        answer = (
            client.describe()
            if collection is None
            else client.collection(collection).describe(**given)
        )
        if collection is None:
            _tell_damage(client)
    if place.as_json:
        output.document(answer.to_dict())
        return
    if collection is None:
        rows = [(name,) for name in answer.collections]
        output.table(("collection",), rows, empty="no collections")
        return
    if answer.description:
        output.say(answer.description)
        output.say()
    types = [(kind.name, kind.count) for kind in answer.types]
    output.table(("type", "rows"), types, empty="no rows")
    output.say()
    if answer.routes:
        output.table(
            ("source", "edge", "target", "edges"),
            [(r.source_type, r.edge_type, r.target_type, r.count) for r in answer.routes],
        )
        output.say()
    if answer.fields:
        output.table(
            ("field", "kind", "repeated", "declared"),
            [
                (one.name, one.kind, "yes" if one.repeated else "", "yes" if one.declared else "")
                for one in answer.fields
            ],
        )
        output.say()
    output.say(f"version {answer.version}")


def _tell_damage(client: passageway.Client) -> None:
    """Name damaged collections on stderr, to those who may know of them: the answer leaves them out."""
    with suppress(passageway.PermissionDenied):
        for one in client.collections():
            if one.damage:
                output.note(f"{one.name} is damaged: {one.damage}")
