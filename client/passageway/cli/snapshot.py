"""`passageway snapshot`: keep versions of a collection on disk (role admin)."""

from typing import Annotated

import typer

from passageway.cli import output, requests
from passageway.cli.connection import CALL, Place, placed
from passageway.cli.failures import Usage
from passageway.cli.options import CollectionArgument

group = typer.Typer(help="Keep, list, restore and delete versions on disk (role admin).")

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Of the snapshot.", callback=requests.text)
]


@group.command()
@placed(CALL)
def create(
    place: Place,
    collection: CollectionArgument,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Keeps it; without, the next one replaces it.",
            callback=requests.text,
        ),
    ] = "",
) -> None:
    """Write the newest version to disk, under a name that keeps it.

    \b
    Example:
      passageway snapshot create debian before-cleanup
    """
    with place.connect() as client:
        made = client.collection(collection).create_snapshot(name)
    if place.as_json:
        output.document(made.to_dict())
    else:
        output.say(f"wrote {made.name or 'the newest version'}: {made.bytes:,} bytes")


@group.command("list")
@placed(CALL)
def list_(
    place: Place,
    collection: CollectionArgument,
) -> None:
    """List the named snapshots of a collection.

    \b
    Example:
      passageway snapshot list debian
    """
    with place.connect() as client:
        found = client.collection(collection).snapshots()
    if place.as_json:
        output.document({"snapshots": [snapshot.to_dict() for snapshot in found]})
        return
    output.table(
        ("name", "created", "bytes", "version"),
        [
            (
                s.name,
                f"{s.created_at:%Y-%m-%d %H:%M:%S}" if s.created_at else "",
                s.bytes,
                s.version,
            )
            for s in found
        ],
        empty="no named snapshots",
    )


@group.command()
@placed(CALL)
def restore(
    place: Place,
    collection: CollectionArgument,
    name: NameArgument,
    into: Annotated[
        str,
        typer.Option(
            "--into",
            metavar="COLLECTION",
            help="A new collection to make of it.",
            callback=requests.text,
        ),
    ] = "",
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place", help="Take the collection itself back to it, in one commit, instead."
        ),
    ] = False,
) -> None:
    """Make a new collection of a named snapshot, or take the collection back to it.

    In place, rows and settings become those of the snapshot in the next version; what was put since is gone from it.
    Named snapshots stay.

    \b
    Examples:
      passageway snapshot restore debian before-cleanup --into debian-before
      passageway snapshot restore debian before-cleanup --in-place
    """
    if bool(into) == in_place:
        raise Usage("give either --into COLLECTION, a new one, or --in-place")
    with place.connect() as client:
        made = client.collection(collection).restore_snapshot(name, into=into)
    if place.as_json:
        output.document(made.to_dict())
    else:
        counts = {"node": made.nodes, "passage": made.passages, "edge": made.edges}
        told = ", ".join(output.counted(number, kind) for kind, number in counts.items())
        verb = "took back" if in_place else "made"
        output.say(f"{verb} {made.name}: {told}")


@group.command()
@placed(CALL)
def delete(
    place: Place,
    collection: CollectionArgument,
    name: NameArgument,
) -> None:
    """Delete a named snapshot; the collection stays as it is.

    \b
    Example:
      passageway snapshot delete debian before-cleanup
    """
    with place.connect() as client:
        client.collection(collection).delete_snapshot(name)
    if place.as_json:
        output.document({"deleted": name})
    else:
        output.say(f"deleted {name}")
