"""`passageway verify` and `passageway repair`: what is wrong with the files of a data folder, and what can be saved.

Both take the folder's lock, as a server does, and open no collection.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passageway._extras import needs_server
from passageway.cli import output
from passageway.cli.failures import Failure

if TYPE_CHECKING:
    from passageway_server.storage.directory import Directory
    from passageway_server.storage.report import Report

FolderArgument = Annotated[
    Path, typer.Argument(metavar="DATA", help="A data folder that no server has open.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document instead of tables.")]


def verify(data: FolderArgument, as_json: JsonOption = False) -> None:
    """Read every file of a data folder and compare it with its checksums; nothing is changed.

    Commits that a crash left half written, and that were never acknowledged, are no damage: they are shown, and the
    next start drops them. The exit code is 1 where there is damage.

    \b
    Example:
      passageway verify DATA
    """
    with needs_server("passageway verify"):
        from passageway_server.storage.verification import verify_folder
    report = _reported(data, verify_folder)
    _tell(report, verdict="damaged" if report.damaged else "no damage", as_json=as_json)
    if report.damaged:
        raise Failure(
            f"{data} is damaged; its other collections are served. Restore what is damaged from a named snapshot or a"
            f" copy, or save what can be read with `passageway repair {data}`"
        )


def repair(data: FolderArgument, as_json: JsonOption = False) -> None:
    """Save what can be read of damaged collections, and tell what is lost; take a copy of the folder first.

    What is damaged is moved aside, to quarantine/ in the folder of its collection, and never deleted. What is whole stays
    as it is.

    \b
    Example:
      passageway repair DATA
    """
    with needs_server("passageway repair"):
        from passageway_server.storage.repair import repair_folder
    report = _reported(data, repair_folder)
    verdict = "it was damaged" if report.damaged else "nothing was damaged"
    _tell(report, verdict=verdict, as_json=as_json)


def _reported(data: Path, look: "Callable[[Directory], Report]") -> "Report":
    from passageway_server.errors import PassagewayError
    from passageway_server.storage.data_folder import held

    try:
        with held(data) as directory:
            return look(directory)
    except PassagewayError as fault:
        raise Failure(f"{fault} ({fault.reason})") from fault


def _tell(report: "Report", *, verdict: str, as_json: bool) -> None:
    if as_json:
        output.document(_document(report))
        return
    output.table(
        ("collection", "file", "offset", "kind", "found"),
        [(one.collection, one.file, one.offset, one.kind, one.found) for one in report.findings],
    )
    for line in report.done:
        output.say(line)
    for lost in report.lost:
        commits = output.counted(lost.last - lost.first + 1, "commit")
        output.say(f"{lost.collection}: lost {commits}, {lost.first} to {lost.last}")
    read = ", ".join(
        (
            output.counted(len(report.collections), "collection"),
            output.counted(report.snapshots, "snapshot"),
            output.counted(report.frames, "commit"),
        )
    )
    output.say(f"read {read}; {verdict}")


def _document(report: "Report") -> dict[str, Any]:
    return {
        "collections": list(report.collections),
        "snapshots": report.snapshots,
        "commits": report.frames,
        "damaged": report.damaged,
        "findings": [asdict(finding) for finding in report.findings],
        "lost": [asdict(lost) for lost in report.lost],
        "done": list(report.done),
    }
