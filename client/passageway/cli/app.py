"""The commands of the executable, and how each of their ends is told: 0 done, 1 failure, 2 wrong usage."""

import os
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from passageway import BadRecord, InvalidArgument, MissingExtra, PassagewayError
from passageway.cli import (
    analyze,
    collection,
    context,
    describe,
    expand,
    export,
    load,
    output,
    paths,
    rows,
    search,
    serve,
    slice,
    snapshot,
    token,
    verify,
)
from passageway.cli.failures import Failure, Usage, told

NOT_BUILT = (
    "bench",
    "demo",
    "http",
    "mcp",
    "ontology",
)
"""Commands of later releases, refused by name."""

app = typer.Typer(
    name="passageway",
    help="A graph index with its text: walks, paths, windows and lookups under row authorization.",
    epilog="Each command has --help with an example. Exit codes: 0 done, 1 failure, 2 wrong usage.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        output.say(version("passageway"))
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_version, help="Show the version."),
    ] = False,
) -> None:
    # The options before a command: --version alone.
    pass


def _not_built(name: str) -> None:
    def refuse() -> NoReturn:
        raise Usage(
            f"`passageway {name}` is not built yet; `passageway --help` lists what there is"
        )

    app.command(name, hidden=True, context_settings=_ANYTHING)(refuse)


_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}

app.command()(serve.serve)
app.add_typer(token.group, name="token")
app.add_typer(collection.group, name="collection")
app.command()(load.load)
app.command()(export.export)
app.add_typer(snapshot.group, name="snapshot")
app.command()(describe.describe)
app.command()(rows.get)
app.command()(rows.lookup)
app.command()(search.search)
app.command()(context.context)
app.command()(slice.slice)
app.command()(expand.expand)
app.command()(paths.paths)
app.command()(analyze.analyze)
app.command()(verify.verify)
app.command()(verify.repair)
for _name in NOT_BUILT:
    _not_built(_name)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    try:
        app(args=arguments, prog_name="passageway")
    except SystemExit as end:
        return _code(end)
    except Usage as fault:
        return _told(str(fault), 2)
    except (Failure, MissingExtra, BadRecord) as fault:
        return _told(str(fault), 1)
    except InvalidArgument as fault:
        lines = [f"{one.field}: {one.message}" for one in fault.faults]
        return _told("\n".join(lines) or fault.message, 1)
    except PassagewayError as fault:
        return _told(told(fault), 1)
    except OSError as fault:
        return _told(f"{fault.filename or 'the system'}: {fault.strerror or fault}", 1)
    except Exception as fault:
        if os.environ.get("PASSAGEWAY_DEBUG"):
            raise
        return _told(
            f"a fault of this program, {type(fault).__name__}; report it with what the same"
            " command prints when PASSAGEWAY_DEBUG=1 is set",
            1,
        )
    return 0


def _code(end: SystemExit) -> int:
    return end.code if isinstance(end.code, int) else 0


def _told(text: str, code: int) -> int:
    output.note(f"passageway: {text}")
    return code
