"""`passageway serve`: serve the collections of a data folder until it is told to stop."""

from pathlib import Path
from typing import Annotated

import typer

from passageway._extras import needs_server
from passageway.cli.failures import Failure


def serve(
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="The folder; made where there is none.")
    ],
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen.")
    ] = "127.0.0.1:50051",
    tokens: Annotated[
        Path | None,
        typer.Option(
            "--tokens",
            metavar="FILE",
            help="Tokens to take; without, loopback only, and every caller is an admin.",
        ),
    ] = None,
    reflection: Annotated[
        bool | None,
        typer.Option(
            "--reflection/--no-reflection",
            help="Tell callers the contract; unless said, on without tokens and off with them.",
        ),
    ] = None,
) -> None:
    """Serve a data folder over gRPC; SIGTERM and Ctrl-C stop it once running calls are answered.

    \b
    Examples:
      passageway serve --data DATA
      passageway serve --data DATA --listen 127.0.0.1:50051 --tokens tokens.toml
    """
    with needs_server("passageway serve"):
        from passageway_server.errors import PassagewayError
        from passageway_server.wire.server import Settings
        from passageway_server.wire.server import serve as run
    settings = Settings(data=data, listen=listen, tokens=tokens, reflection=reflection)
    try:
        run(settings, ready=_ready)
    except PassagewayError as fault:
        raise Failure(str(fault)) from fault


def _ready(text: str) -> None:
    print(text, flush=True)
