"""What a load that ended early tells of what it leaves, and of how to go on."""

from typing import Final

from passageway import (
    LoadResponse,
    PassagewayError,
    PermissionDenied,
    Unauthenticated,
    Unavailable,
)
from passageway._errors import CONNECTION_LOST, NO_SERVER, STOPPING
from passageway.cli import output

_LOST: Final = (NO_SERVER, CONNECTION_LOST, STOPPING)
_REPLICA: Final = "REPLICA"
"""The reason of a server that follows another one, and takes no batch."""


def is_refusal(fault: PassagewayError) -> bool:
    """Whether a server that ends a load with *fault*, without an answer before it, has kept nothing."""
    return isinstance(fault, PermissionDenied | Unauthenticated) or fault.reason == _REPLICA


def is_lost(fault: PassagewayError) -> bool:
    """Whether *fault* tells of a server that went away."""
    return isinstance(fault, Unavailable) and fault.reason in _LOST


def counts(done: LoadResponse) -> str:
    """The records of *done*, by kind."""
    kinds = {"node": done.nodes, "passage": done.passages, "edge": done.edges}
    return ", ".join(output.counted(number, kind) for kind, number in kinds.items())


def left(done: LoadResponse, *, known: bool, named: bool, made: str, lost: str) -> str:
    """What is loaded, *done*, and what to do.

    known: whether no batch is on its way, of which it is open what became. named: whether --resume can go on.
    made: the collection that the load made, or "". lost: the address of the server that went away, or "".
    """
    if not done.batch:
        return _nothing(known=known, made=made, lost=lost)
    rest = (
        "nothing of that batch was kept"
        if known
        else "a batch that was not acknowledged is kept whole or not at all"
    )
    start = f"Start the server at {lost} again where it is down: then" if lost else ""
    remedy = (
        f"{start or 'Once it is put right,'} the same command with --resume goes on after them; of a file that has"
        " another size or beginning by then, it loads everything again, which is safe too"
        if named
        else f"{start} loading again is safe"
        if start
        else "Loading again is safe once it is put right"
    )
    return (
        f"stopped: {rest}; before it were loaded {counts(done)}. {remedy}: records replace those of"
        " their id"
    )


def _nothing(*, known: bool, made: str, lost: str) -> str:
    """The same of a load of which no batch is acknowledged."""
    parts = [
        "stopped: nothing was loaded"
        if known
        else "stopped: no batch was acknowledged, and one that was on its way is kept whole or not at all"
    ]
    if made:
        parts.append(f"The collection {made} was made{', and is empty' if known else ''}")
    if lost:
        parts.append(f"Start the server at {lost} again where it is down")
    if not known:
        parts.append("Loading again is safe: records replace those of their id")
    return ". ".join(parts)
