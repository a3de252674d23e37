"""`passageway token`: entries for the file of tokens that a server takes."""

import sys
from typing import Annotated

import typer

from passageway._extras import needs_server
from passageway.cli import output
from passageway.cli.failures import Usage

group = typer.Typer(help="Make entries for the file that `serve --tokens` reads.")


@group.callback()
def _group() -> None:
    # With a callback, `new` stays a command of its own: typer makes a group of one its only command.
    pass


@group.command()
def new(
    sub: Annotated[str, typer.Option("--sub", metavar="NAME", help="Who it is: user:NAME.")],
    principals: Annotated[
        list[str] | None,
        typer.Option("--principals", metavar="PRINCIPAL", help="What it also holds (repeatable)."),
    ] = None,
    roles: Annotated[
        list[str] | None,
        typer.Option(
            "--roles", metavar="ROLE", help="reader, writer, admin or delegate (repeatable)."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Both as one JSON document on stdout.")
    ] = False,
) -> None:
    """Make a token: its entry goes to stdout, the token itself to stderr.

    The entry holds a digest only: nobody who reads the file can call with it.

    \b
    Example:
      passageway token new --sub ada --principals group:eng --roles reader >> tokens.toml
    """
    with needs_server("passageway token"):
        from passageway_server.authz.tokens import new_token
        from passageway_server.errors import SettingInvalid
    try:
        made = new_token(sub, principals=principals or [], roles=roles or [])
    except SettingInvalid as fault:
        raise Usage(str(fault)) from fault
    if as_json:
        output.document({"token": made.secret, "entry": made.entry})
        return
    sys.stdout.write(made.entry)
    output.note(made.secret)
