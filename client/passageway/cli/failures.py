"""What ends a command: a failure (exit code 1) or wrong usage (exit code 2), told in one line on stderr."""

import os

from passageway import DeadlineExceeded, PassagewayError, Unauthenticated


class Failure(Exception):
    """The command could not do its work; the text names the place, what is wrong and what to do."""


class Usage(Exception):
    """The command line itself is wrong; nothing was done."""


def told(fault: PassagewayError) -> str:
    """What a refused call says to people; what gRPC said itself stands beside it with PASSAGEWAY_DEBUG."""
    text = fault.message
    if isinstance(fault, Unauthenticated):
        text = (
            "no token, or none that the server knows;"
            " set PASSAGEWAY_TOKEN (or --token) to a token of the server's file"
        )
    elif isinstance(fault, DeadlineExceeded) and text == "Deadline Exceeded":
        text = "no answer came in time; give a longer --timeout"
    notes: list[str] = getattr(fault, "__notes__", []) if os.environ.get("PASSAGEWAY_DEBUG") else []
    return "\n".join([f"{text} ({fault.reason})", *notes])
