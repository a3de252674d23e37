"""How far a load or an analysis is, on stderr: bytes read and records acknowledged, or the share that is done.

On a terminal it is a bar, elsewhere a line now and then, so that long work in a log is seen to live.
"""

import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from passageway import LoadResponse
from passageway.cli import output
from passageway.cli.lines import Source

EVERY: Final = 10.0
"""Seconds between two lines."""


class Read(Protocol):
    """What is read of a source; ``read`` counts the bytes so far."""

    source: Source
    read: int


class Progress:
    """A bar, or lines, over the bytes of *inputs*, of which *sizes* tells all; one whose size is not known has no end.

    The bar is drawn on *console*, or on stderr where that is a terminal. *clock* counts seconds.
    """

    def __init__(
        self,
        sizes: Sequence[int | None],
        inputs: Sequence[Read],
        *,
        console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        drawn = console is not None or sys.stderr.isatty()
        known = [size for size in sizes if size is not None]
        self._total = sum(known) if len(known) == len(sizes) else None
        self._inputs = inputs
        self._clock = clock
        self._began = self._told = 0.0
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            console=console or Console(stderr=True),
            disable=not drawn,
            transient=True,
        )
        self._task = self._bar.add_task("loading", total=self._total, rate="")

    def loaded(self, answer: LoadResponse) -> None:
        """Show what is acknowledged so far, and its rate."""
        records = answer.nodes + answer.edges + answer.passages
        now = self._clock()
        elapsed = now - self._began
        rate = f"{records / elapsed:,.0f}/s" if elapsed else ""
        read = sum(lines.read for lines in self._inputs)
        if self._bar.disable and now - self._told >= EVERY:
            self._told = now
            part = f"{100 * read / self._total:.0f}% read" if self._total else ""
            told = [output.counted(records, "record"), part, rate, self._file()]
            output.note(f"loaded {', '.join(filter(None, told))}")
        told = [self._file(), output.counted(records, "record")]
        description = ": ".join(filter(None, told))
        self._bar.update(self._task, completed=read, description=description, rate=rate)

    def _file(self) -> str:
        """The one of several that is being read: they are read one after another."""
        if len(self._inputs) < 2:
            return ""
        return next((one.source.label for one in reversed(self._inputs) if one.read), "")

    def finishing(self) -> None:
        """Tell that the records are in; a folder is still to be written."""
        self._bar.update(self._task, description="writing", rate="")

    def __enter__(self) -> Self:
        self._began = self._told = self._clock()
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._bar.disable:  # rich before 14.3 ends one that is not drawn with an empty line
            self._bar.stop()


class Shares:
    """A bar, or lines, of the share that is done of *what*. *console* and *clock* as of `Progress`."""

    def __init__(
        self,
        what: str,
        *,
        console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what, self._clock = what, clock
        self._told = 0.0
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=console or Console(stderr=True),
            disable=console is None and not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task(what, total=1.0)

    def show(self, done: float) -> None:
        """Show the share that is *done*, 0 to 1."""
        now = self._clock()
        if self._bar.disable and now - self._told >= EVERY:
            self._told = now
            output.note(f"{self._what}: {100 * done:.0f}% done")
        self._bar.update(self._task, completed=done)

    def __enter__(self) -> Self:
        self._told = self._clock()
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._bar.disable:
            self._bar.stop()
