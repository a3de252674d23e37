"""`passageway collection`: make, change, list and delete collections (role admin)."""

import sys
from dataclasses import replace
from typing import Annotated

import typer

from passageway.cli import output, settings
from passageway.cli.connection import CALL, Place, placed
from passageway.cli.failures import Failure, Usage
from passageway.cli.options import CollectionArgument

group = typer.Typer(help="Make, change, list and delete collections (role admin).")

FileOption = Annotated[
    str | None,
    typer.Option("--file", metavar="FILE", help="A Collection message as JSON (- is stdin)."),
]
DescriptionOption = Annotated[str | None, typer.Option("--description", metavar="TEXT")]
DeclareOption = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="NAME:KIND[:repeated|:DIMENSIONS]",
        help="Declare a field, or make it another kind (repeatable); the others stay.",
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(
        "--drop-field",
        metavar="NAME",
        help="Declare this field no more (repeatable); values of rows stay.",
    ),
]
ReaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--default-reader",
        metavar="PRINCIPAL",
        help="Who reads a node that names no readers (repeatable); none: admins alone.",
    ),
]
UserOption = Annotated[
    list[str] | None,
    typer.Option(
        "--user", metavar="PRINCIPAL", help="Who may call it (repeatable); none: everybody."
    ),
]
FieldReaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--field-reader",
        metavar="NAME=PRINCIPAL",
        help="Who reads a declared field (repeatable); for others it does not exist.",
    ),
]
MembershipOption = Annotated[
    str | None,
    typer.Option(
        "--membership",
        metavar="TEMPLATE",
        help="Id of a caller's own node, such as 'user:{sub}': what it is a member of, the caller holds.",
    ),
]
MemberEdgeOption = Annotated[
    list[str] | None,
    typer.Option("--member-edge", metavar="TYPE", help="Edge type of membership (repeatable)."),
]
MemberDepthOption = Annotated[
    int | None,
    typer.Option(
        "--member-depth",
        metavar="N",
        min=1,
        max=10,
        show_default="3",
        help="How many steps of membership, for groups of groups.",
    ),
]
RetainOption = Annotated[
    int | None,
    typer.Option(
        "--retain-versions",
        metavar="N",
        min=1,
        max=1024,
        show_default="8",
        help="How many of the latest versions --at-version can read.",
    ),
]
LanguageOption = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="NAME",
        show_default="english",
        help="Of names and contents, and of text fields that name none: by its stems words are found.",
    ),
]


@group.command()
@placed(CALL)
def create(
    place: Place,
    name: CollectionArgument,
    file: FileOption = None,
    description: DescriptionOption = None,
    field: DeclareOption = None,
    default_reader: ReaderOption = None,
    user: UserOption = None,
    field_reader: FieldReaderOption = None,
    membership: MembershipOption = None,
    member_edge: MemberEdgeOption = None,
    member_depth: MemberDepthOption = None,
    retain_versions: RetainOption = None,
    language: LanguageOption = None,
) -> None:
    """Make an empty collection.

    \b
    Examples:
      passageway collection create notes --default-reader public --field published:time
      passageway collection create staff --field salary:int --field-reader salary=group:hr
      passageway collection create staff --membership 'user:{sub}' --member-edge MEMBER_OF
    """
    fields = settings.field_changes(field, field_reader)
    wanted, _ = settings.read(
        name,
        file,
        description=description,
        default_readers=default_reader,
        users=user,
        membership=settings.membership(membership, member_edge, member_depth),
        retain_versions=retain_versions,
        language=language,
    )
    wanted = fields.of(wanted)
    with place.connect(create=True) as client:
        made = client.create_collection(wanted)
    if place.as_json:
        output.document(made.to_dict())
    else:
        output.say(f"created {made.name}")


@group.command()
@placed(CALL)
def update(
    place: Place,
    name: CollectionArgument,
    file: FileOption = None,
    description: DescriptionOption = None,
    field: DeclareOption = None,
    drop_field: DropOption = None,
    default_reader: ReaderOption = None,
    user: UserOption = None,
    field_reader: FieldReaderOption = None,
    membership: MembershipOption = None,
    member_edge: MemberEdgeOption = None,
    member_depth: MemberDepthOption = None,
    retain_versions: RetainOption = None,
    language: LanguageOption = None,
) -> None:
    """Change settings: those that are given are replaced, the others stay; so do fields that are not named.

    \b
    Examples:
      passageway collection update notes --field due:time --drop-field published
      passageway collection update notes --description 'What we wrote down'
      passageway collection update staff --field-reader salary=group:hr
      passageway collection update notes --retain-versions 100
    """
    fields = settings.field_changes(field, field_reader, dropped=drop_field)
    wanted, given = settings.read(
        name,
        file,
        description=description,
        default_readers=default_reader,
        users=user,
        membership=settings.membership(membership, member_edge, member_depth),
        retain_versions=retain_versions,
        language=language,
    )
    if not given and not fields:
        raise Usage("nothing to change; give --file or one of the settings")
    with place.connect() as client:
        before = client.get_collection(name)
        if fields:
            if "fields" not in given:
                wanted, given = replace(wanted, fields=before.fields), [*given, "fields"]
            wanted = fields.of(wanted)
        after = client.update_collection(wanted, update_mask=given)
    if place.as_json:
        output.document(after.to_dict())
        return
    for line in settings.changes(before, after) or ["nothing changed"]:
        output.say(line)


@group.command("list")
@placed(CALL)
def list_(
    place: Place,
) -> None:
    """List all collections with what they hold, and what is wrong with damaged ones.

    \b
    Example:
      passageway collection list --data DATA
    """
    with place.connect() as client:
        found = client.collections()
    if place.as_json:
        output.document({"collections": [collection.to_dict() for collection in found]})
        return
    output.table(
        ("name", "nodes", "passages", "edges", "bytes", "description", "damage"),
        [
            (c.name, c.nodes, c.passages, c.edges, c.memory_bytes, c.description, c.damage)
            for c in found
        ],
        empty="no collections",
    )


@group.command()
@placed(CALL)
def delete(
    place: Place,
    name: CollectionArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a collection with its rows and all its snapshots, the named ones too; it asks first.

    \b
    Example:
      passageway collection delete notes --yes
    """
    if not yes and not sys.stdin.isatty():
        raise Usage("there is nobody to ask; add --yes")
    with place.connect() as client:
        snapshots = [snapshot.name for snapshot in client.collection(name).snapshots()]
        with_them = f" and its named snapshots {', '.join(snapshots)}" if snapshots else ""
        if not yes:
            _confirm(f"delete collection {name} with its rows{with_them}?")
        client.delete_collection(name)
    if place.as_json:
        output.document({"deleted": name})
    else:
        output.say(f"deleted {name}{with_them}")


def _confirm(question: str) -> None:
    if not typer.confirm(question, err=True):
        raise Failure("nothing was deleted")
