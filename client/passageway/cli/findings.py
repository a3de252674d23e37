"""How the report on a data folder is told: to people as tables and sentences, to machines as one JSON document."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passageway.cli import output

if TYPE_CHECKING:
    from passageway_server.storage.report import Checked, Lost, Report


def tell(report: "Report", *, as_json: bool) -> None:
    """What verification found."""
    if as_json:
        output.document(_document(report))
        return
    _tables(report)
    kinds = {finding.kind.value for finding in report.findings}
    if "tail" in kinds:
        output.say(
            "a tail was never acknowledged; the next start moves it to quarantine/, or drops it where it is zeros"
        )
    if "leftover" in kinds:
        output.say("the next start removes what is half made, or half removed")
    output.say(_verdict(report))


def tell_repair(report: "Report", *, dry_run: bool, as_json: bool) -> None:
    """What was found, what a repair did about it, or with *dry_run* would do, and what is lost by that."""
    if as_json:
        repaired = {
            "dry_run": dry_run,
            "steps": list(report.steps),
            "lost": [{**asdict(lost), "commits": _count(lost)} for lost in report.lost],
            "left": list(report.left),
        }
        output.document(_document(report) | repaired)
        return
    _tables(report)
    if report.steps:
        output.say("a repair would:" if dry_run else "the repair took these steps:")
    for step in report.steps:
        output.say(f"  {step}")
    for line in _losses(report, dry_run=dry_run):
        output.say(line)
    if not report.steps:
        output.say("nothing to repair")
    elif dry_run:
        output.say("nothing was changed")


def advice(report: "Report", data: Path) -> str:
    """What to do about a folder that is damaged."""
    repair = f"`passageway repair {data} --dry-run` shows what can be kept, and what would be lost"
    if any(one.kind.value == "damage" and not one.collection for one in report.findings):
        return f"{data} is damaged, and no server opens it; {repair}"
    refused = [one.name for one in report.collections if one.refused]
    if not refused:
        return f"{data} is damaged, and served: no commit is missing; `passageway repair {data}` sets aside what is damaged"
    return (
        f"{data} is damaged: {', '.join(refused)} cannot be served, what else there is can; {repair}; or restore what is"
        " damaged from a named snapshot, or from a copy"
    )


def verdict_of_repair(report: "Report", *, dry_run: bool) -> str:
    """Why a repair that lost commits, or left a collection as it was, does not end well."""
    parts: list[str] = []
    if report.lost:
        parts.append(f"acknowledged commits {'would be' if dry_run else 'are'} lost")
    if report.left:
        will = "would stay" if dry_run else "stayed"
        parts.append(f"{', '.join(report.left)} {will} as before, and not served")
    return "; ".join(parts)


def _losses(report: "Report", *, dry_run: bool) -> Iterator[str]:
    """What is lost, a line for each collection, or that nothing is."""
    verb, tense = ("would lose", "would be") if dry_run else ("lost", "is")
    for lost in report.lost:
        yield f"{lost.collection} {verb} {_lost(lost)}"
    if {lost.collection for lost in report.lost} - set(report.left):
        yield f"what can still be read of that {tense} in quarantine/ of the collection"
    if report.steps and not report.lost and not report.left:
        yield f"no acknowledged commit {tense} lost"


def _lost(lost: "Lost") -> str:
    if lost.last is None:
        return f"all commits from {lost.first} on, if there were any: how many is not known"
    more = ", and any that came after them" if lost.more else ""
    if lost.first == lost.last:
        return f"1 acknowledged commit, {lost.first}{more}"
    return f"{_count(lost):,} acknowledged commits, {lost.first} to {lost.last}{more}"


def _count(lost: "Lost") -> int | None:
    return None if lost.last is None else lost.last - lost.first + 1


def _tables(report: "Report") -> None:
    output.table(
        ("collection", "snapshots", "commits", "state"),
        [(one.name, one.snapshots, one.commits, _state(report, one)) for one in report.collections],
    )
    if not report.findings:
        return
    if report.collections:
        output.say()
    output.table(
        ("kind", "file", "offset", "bytes", "found"),
        [(one.kind, one.file, _plain(one.offset), one.bytes, one.found) for one in report.findings],
    )
    output.say()


def _plain(offset: int | None) -> str:
    """An offset as tools take it, without commas."""
    return "" if offset is None else str(offset)


def _state(report: "Report", checked: "Checked") -> str:
    kinds = {one.kind.value for one in report.findings if one.collection == checked.name}
    if checked.refused:
        return f"damaged, not served: {checked.refused}"
    if "damage" in kinds:
        return "damaged, served: all that counts is whole"
    return "whole, with a tail" if "tail" in kinds else "whole"


def _verdict(report: "Report") -> str:
    count = len(report.collections)
    damaged = {one.collection for one in report.findings if one.kind.value == "damage"}
    beside, among = "" in damaged, len(damaged - {""})
    if not damaged:
        return f"no damage in {output.counted(count, 'collection')}"
    parts = [f"in {among} of {output.counted(count, 'collection')}"] if among else []
    parts += ["beside the collections"] if beside else []
    return f"damage {', and '.join(parts)}"


def _document(report: "Report") -> dict[str, Any]:
    return {
        "collections": [asdict(checked) for checked in report.collections],
        "damaged": report.damaged,
        "findings": [asdict(finding) for finding in report.findings],
    }
