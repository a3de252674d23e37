"""`passageway verify` and `passageway repair`: what is wrong with the files of a data folder, and what can be saved.

Both take the folder's lock, as a server does, and open no collection.
"""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from passageway._extras import needs_server
from passageway.cli import findings
from passageway.cli.failures import Failure

if TYPE_CHECKING:
    from passageway_server.storage.directory import Directory
    from passageway_server.storage.report import Report

FolderArgument = Annotated[
    Path, typer.Argument(metavar="DATA", help="A data folder that no server has open.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document instead of tables.")]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Change nothing; show what a repair would do, and lose."),
]


def verify(data: FolderArgument, as_json: JsonOption = False) -> None:
    """Read every file of a data folder and compare it with its checksums; nothing is changed.

    Each collection is whole, damaged and served all the same (from an older snapshot and the log), or damaged and not served.
    Commits that a crash left half written, and that were never acknowledged, are a tail and no damage: the next start takes
    them away. The exit code is 1 where there is damage.

    \b
    Example:
      passageway verify DATA
    """
    with needs_server("passageway verify"):
        from passageway_server.storage.verification import verify_folder
    report = _reported(data, verify_folder)
    findings.tell(report, as_json=as_json)
    if report.damaged:
        raise Failure(findings.advice(report, data))


def repair(
    data: FolderArgument, dry_run: DryRunOption = False, as_json: JsonOption = False
) -> None:
    """Save what can be read of damaged collections, and tell what is lost; try it with --dry-run first.

    A collection keeps its newest snapshot that is whole, and the commits that follow it without a gap. What is damaged, and what can
    be read behind a gap, is moved to quarantine/ in the folder of its collection, and never deleted. What is whole stays as it
    is. The exit code is 1 where commits that were acknowledged are lost, or would be.

    \b
    Example:
      passageway repair DATA --dry-run
      passageway repair DATA
    """
    with needs_server("passageway repair"):
        from passageway_server.storage.repair import repair_folder
    report = _reported(data, _tried if dry_run else repair_folder)
    findings.tell_repair(report, dry_run=dry_run, as_json=as_json)
    if report.lost or report.left:
        raise Failure(findings.verdict_of_repair(report, dry_run=dry_run))


def _tried(directory: "Directory") -> "Report":
    from passageway_server.storage.disk import DiskDirectory
    from passageway_server.storage.repair import try_repair

    with TemporaryDirectory() as beside:
        return try_repair(directory, DiskDirectory(Path(beside)))


def _reported(data: Path, look: "Callable[[Directory], Report]") -> "Report":
    from passageway_server.errors import PassagewayError
    from passageway_server.storage.data_folder import held

    try:
        with held(data) as directory:
            return look(directory)
    except PassagewayError as fault:
        raise Failure(f"{fault} ({fault.reason})") from fault
