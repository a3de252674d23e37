"""`passageway serve`: serve the collections of a data folder until it is told to stop."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from passageway._extras import needs_server
from passageway.cli.failures import Failure, Usage


def serve(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="The folder; made where there is none. Needed, but to follow.",
        ),
    ] = None,
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
    fsync: Annotated[
        Literal["always", "interval"],
        typer.Option(
            "--fsync",
            help="always: a write is acknowledged once it is on the disk. interval: at once, and a crash"
            " of the machine may lose what was acknowledged in the last 100 ms.",
        ),
    ] = "always",
    checkpoint_bytes: Annotated[
        int,
        typer.Option(
            "--checkpoint-bytes",
            metavar="N",
            min=1 << 20,
            help="Write a snapshot once the log since the last one has so many bytes, and half as"
            " many as that snapshot.",
        ),
    ] = 64 << 20,
    checkpoint_seconds: Annotated[
        float,
        typer.Option(
            "--checkpoint-seconds",
            metavar="SECONDS",
            min=1.0,
            help="Write a snapshot once the log since the last one is so old.",
        ),
    ] = 300.0,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Processes that answer reads on the port; with 2 and more another one takes the writes.",
        ),
    ] = 1,
    publish: Annotated[
        str | None,
        typer.Option(
            "--publish",
            metavar="URL",
            help="Put what is on the disk into an object store too, such as s3://bucket/prefix, for replicas.",
        ),
    ] = None,
    follow: Annotated[
        str | None,
        typer.Option(
            "--follow",
            metavar="SOURCE",
            help="Be a replica, which takes no writes: of another server's folder, or of a URL that one publishes.",
        ),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="DIR",
            help="Where a replica of a URL keeps what it fetched; without, in a folder that goes with it.",
        ),
    ] = None,
) -> None:
    """Serve a data folder over gRPC; SIGTERM and Ctrl-C stop it once running calls are answered.

    What a write acknowledged is on the disk and survives a crash, unless --fsync interval trades that for speed.

    \b
    Examples:
      passageway serve --data DATA
      passageway serve --data DATA --listen 127.0.0.1:50051 --tokens tokens.toml
      passageway serve --data DATA --fsync interval --checkpoint-bytes 268435456
      passageway serve --data DATA --workers 4 --publish s3://bucket/prefix
      passageway serve --follow s3://bucket/prefix --cache CACHE --listen 127.0.0.1:50052
    """
    with needs_server("passageway serve"):
        from passageway_server.errors import PassagewayError
        from passageway_server.wire.running import serve as run
        from passageway_server.wire.settings import Settings
    settings = Settings(
        data=data,
        listen=listen,
        tokens=tokens,
        reflection=reflection,
        fsync=fsync,
        checkpoint_bytes=checkpoint_bytes,
        checkpoint_seconds=checkpoint_seconds,
        workers=workers,
        publish=publish,
        follow=follow,
        cache=cache,
    )
    if data is None and follow is None:
        raise Usage("--data DIR is needed, or --follow SOURCE")
    try:
        run(settings, ready=_ready)
    except PassagewayError as fault:
        raise Failure(str(fault)) from fault


def _ready(text: str) -> None:
    print(text, flush=True)
