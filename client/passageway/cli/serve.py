"""`passageway serve`: serve the collections of a data folder until it is told to stop."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from passageway import MissingExtra
from passageway._extras import installed, needs_server
from passageway.cli.failures import Failure, Usage

if TYPE_CHECKING:
    from passageway_server.wire.settings import Settings

_URL = "a URL such as s3://bucket/prefix"


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
        str,
        typer.Option(
            "--listen",
            metavar="HOST:PORT",
            help="Where to listen; port 0 takes a free one, which is told.",
        ),
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
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="MODULE:CALLABLE",
            help="Makes vectors of the texts of queries that name a vector field: takes a list of texts, gives a row of numbers for each.",
        ),
    ] = None,
    publish: Annotated[
        str | None,
        typer.Option(
            "--publish",
            metavar="URL",
            help="Put what is on the disk into an object store too, such as s3://bucket/prefix, for replicas. It takes the"
            " extra [replica], and credentials from AWS_* variables.",
        ),
    ] = None,
    follow: Annotated[
        str | None,
        typer.Option(
            "--follow",
            metavar="SOURCE",
            help="Be a replica, which takes no writes: of another server's folder, or of a URL that one publishes,"
            " which takes the extra [replica], and credentials from AWS_* variables. It goes without --data and --workers.",
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
      passageway serve --data DATA --embedder notes.vectors:embed
      passageway serve --data DATA --workers 4 --publish s3://bucket/prefix
      passageway serve --follow s3://bucket/prefix --cache CACHE --listen 127.0.0.1:50052
    """
    with needs_server("passageway serve"):
        from passageway_server.authz.identity import check_listen
        from passageway_server.errors import FolderMissing, PassagewayError, SettingInvalid
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
        embedder=embedder,
        publish=publish,
        follow=follow,
        cache=cache,
    )
    _check(settings)
    try:
        check_listen(listen, mode="none" if tokens is None else "tokens")
    except SettingInvalid as fault:
        raise Usage(f"--{fault}") from fault
    try:
        run(settings, ready=_ready)
    except SettingInvalid as fault:
        if fault.setting in ("follow", "publish"):  # it was no more than looked at
            raise Usage(f"--{fault}; expected is {_URL}") from fault
        option = fault.setting in ("listen", "cache", "workers")
        raise Failure(f"--{fault}" if option else str(fault)) from fault
    except FolderMissing as fault:
        if follow is None:
            raise Failure(str(fault)) from fault
        raise Failure(
            f"--follow {follow}: no data folder here; name the one that the other server has, or {_URL} to which it"
            " publishes"
        ) from fault
    except PassagewayError as fault:
        raise Failure(str(fault)) from fault


def _check(settings: "Settings") -> None:
    """Raise Usage for options that do not go together, and MissingExtra for what they need."""
    follow, publish = settings.follow, settings.publish
    if not math.isfinite(settings.checkpoint_seconds):
        raise Usage(f"--checkpoint-seconds {settings.checkpoint_seconds}: expected is a number")
    if follow is None:
        if settings.data is None:
            raise Usage("--data DIR is needed, or --follow SOURCE")
        if settings.cache is not None:
            raise Usage("--cache goes with --follow URL; a server keeps its rows in --data")
    else:
        _check_replica(settings)
        if not follow:
            raise Usage(f"--follow '': expected is another server's folder, or {_URL}")
        if settings.cache is not None and "://" not in follow:
            raise Usage("--cache goes with --follow URL; a folder is followed where it is")
    if publish is not None and "://" not in publish:
        raise Usage(f"--publish {publish!r}: expected is {_URL}")
    if any("://" in url for url in (follow, publish) if url) and not installed("obstore"):
        raise MissingExtra("an object store", extra="replica")


def _check_replica(settings: "Settings") -> None:
    for option, given in (("--data", settings.data), ("--publish", settings.publish)):
        if given is not None:
            raise Usage(f"{option} is of a server that takes writes; leave it or --follow out")
    if settings.workers > 1:
        raise Usage("--workers is of a server that takes writes; start several replicas instead")
    absent = type(settings)()
    for name in ("fsync", "checkpoint_bytes", "checkpoint_seconds"):
        if getattr(settings, name) != getattr(absent, name):
            option = f"--{name.replace('_', '-')}"
            raise Usage(f"{option} is of a server that takes writes; leave it or --follow out")


def _ready(text: str) -> None:
    print(text, flush=True)
