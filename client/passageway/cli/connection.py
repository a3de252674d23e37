"""Where a command finds its collections: a server, or a data folder that it opens itself."""

import functools
import inspect
import json
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Concatenate, Final, cast

import typer

import passageway
from passageway._extras import needs_server
from passageway._session import TIMEOUT
from passageway.cli.failures import Usage

_OPTIONS: Final[dict[str, Any]] = {
    "server": Annotated[
        str | None,
        typer.Option(
            "--server", metavar="HOST:PORT", envvar="PASSAGEWAY_SERVER", help="Address of a server."
        ),
    ],
    "token": Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TOKEN",
            envvar="PASSAGEWAY_TOKEN",
            show_default=False,
            help="What the server knows you by; safer in the environment.",
        ),
    ],
    "data": Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A data folder to open instead of a server."),
    ],
    "timeout": Annotated[
        float | None,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=0.001,
            show_default="30",
            help="Deadline of the call to a server.",
        ),
    ],
    "principals": Annotated[
        list[str] | None,
        typer.Option(
            "--principal",
            metavar="PRINCIPAL",
            help="With --data: see what this one sees (repeatable); without, all rows.",
        ),
    ],
    "on_behalf_of": Annotated[
        list[str] | None,
        typer.Option(
            "--on-behalf-of",
            metavar="PRINCIPAL",
            help="Whom the call is made for (repeatable); it takes the role delegate or admin.",
        ),
    ],
    "audience": Annotated[
        list[str] | None,
        typer.Option(
            "--audience",
            metavar="PRINCIPAL",
            help="Who will read the answer too (repeatable): one each, or a JSON array of all one holds.",
        ),
    ],
    "as_json": Annotated[bool, typer.Option("--json", help="One JSON document instead of tables.")],
}

STREAM = ("server", "token", "data", "as_json")
CALL = ("server", "token", "data", "timeout", "as_json")
READ = (
    "server", "token", "data", "timeout", "principals", "on_behalf_of", "audience", "as_json",
)  # fmt: skip
"""Which of the options a command takes: one whose stream has no deadline, one call, a read as somebody."""


@dataclass(frozen=True, slots=True)
class Place:
    """What these options of a command say: where it asks and as whom, and whether it answers in JSON."""

    server: str | None = None
    token: str | None = None
    data: Path | None = None
    timeout: float | None = None
    principals: Sequence[str] | None = None
    on_behalf_of: Sequence[str] | None = None
    audience: Sequence[str] | None = None
    as_json: bool = False

    @contextmanager
    def connect(self, *, create: bool = False) -> Generator[passageway.Client]:
        """The client, whose connection or folder is closed at the end of the with block.

        Only with *create* a folder is made where there is none.
        """
        if self.data is not None:
            # PASSAGEWAY_SERVER may stand in the environment: the folder, named here, wins.
            if self.timeout is not None:
                raise Usage("--timeout goes with --server; with --data a call runs to its end")
            if self.on_behalf_of or self.audience:
                raise Usage(
                    "--on-behalf-of and --audience go with --server; with --data, --principal says who calls"
                )
            principals = self.principals or None
            with _log(), passageway.open(self.data, principals=principals, create=create) as client:
                yield client
            return
        with self._remote() as client:
            yield client

    def _remote(self) -> passageway.Client:
        if self.principals:
            raise Usage("--principal goes with --data; to a server, a token says who calls")
        if not self.server:
            raise Usage(
                "no server; give --server HOST:PORT, set PASSAGEWAY_SERVER, or give --data DIR"
            )
        _check_address(self.server)
        timeout = TIMEOUT if self.timeout is None else self.timeout
        audience = [_reader(text) for text in self.audience or ()]
        try:
            return passageway.connect(
                self.server,
                token=self.token or None,
                on_behalf_of=self.on_behalf_of or None,
                audience=audience,
                timeout=timeout,
            )
        except ValueError as fault:
            raise Usage(f"--server, --token: {fault}") from fault


def _reader(text: str) -> list[str]:
    """What one reader of the answers holds: a principal, or those of a JSON array."""
    if not text.startswith("["):
        return [text]
    try:
        listed: object = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise Usage(f"--audience {text!r}: {fault}; expected is a JSON array of texts") from fault
    principals = cast(list[object], listed)
    if not all(isinstance(one, str) for one in principals):
        raise Usage(f"--audience {text!r}: expected is a JSON array of texts")
    return cast(list[str], principals)


def _check_address(server: str) -> None:
    """Raise Usage for what gRPC would take for an address of some other kind, or of port 443."""
    host, _, port = server.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if (
        not bare
        or "/" in host
        or (":" in bare and bare == host)
        or not (port.isascii() and port.isdecimal() and 0 < int(port) < 1 << 16)
    ):
        raise Usage(f"--server {server!r}: expected is HOST:PORT, such as 127.0.0.1:50051")


def placed(
    options: Sequence[str],
) -> Callable[[Callable[Concatenate[Place, ...], None]], Callable[..., None]]:
    """A command that takes a Place takes these *options* in its stead."""

    def decorate(command: Callable[Concatenate[Place, ...], None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            place = Place(**{name: given.pop(name) for name in options})
            command(place, **given)

        _, *own = inspect.signature(command).parameters.values()
        shared = [_parameter(name) for name in options]
        cast(Any, run).__signature__ = inspect.Signature([*own, *shared])
        return run

    return decorate


def _parameter(name: str) -> inspect.Parameter:
    default = Place.__dataclass_fields__[name].default
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=default,
        annotation=_OPTIONS[name],
    )


@contextmanager
def _log() -> Generator[None]:
    """The engine's log on stderr: it has the line that an internal error names."""
    with needs_server("--data"):
        from passageway_server.wire import journal
    log = logging.getLogger("passageway.server")
    handlers, level, propagate = log.handlers[:], log.level, log.propagate
    journal.to_stderr()
    try:
        yield
    finally:
        log.handlers[:] = handlers
        log.setLevel(level)
        log.propagate = propagate
