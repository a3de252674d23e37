"""The executable `passageway`: a server, and the calls of the contract from a shell."""

import sys


def main() -> int:
    """Run the command line of this program; its exit code."""
    try:
        from passageway.cli.app import run
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in {"typer", "rich", "zstandard"}:
            raise
        print(
            "passageway: the command line needs more packages: pip install 'passageway[cli]'",
            file=sys.stderr,
        )
        return 1
    return run()
