"""The examples of a page, in their order, and how they are run.

A ``console`` block holds commands behind ``$``, each followed by what it prints; a command without output is only
asked to succeed. A ``python`` block may be followed by a ``text`` block, which is what it prints. All examples of a
page share one folder, and its Python blocks one namespace. A command of ours is run in this process, unless it needs a
shell for pipes and redirections.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

from passageway.cli.app import run

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
PAGES = [
    REPOSITORY / "README.md",
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "recipes").glob("*.md")),
]

_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """A command or a piece of Python: where it stands, and what the page shows of its output."""

    place: str
    language: str
    text: str
    shown: str | None


def name_of(page: Path) -> str:
    """Where *page* stands in the repository, such as ``docs/recipes/README.md``."""
    return page.relative_to(REPOSITORY).as_posix()


def examples(page: Path) -> list[Example]:
    """The examples of *page* that are run."""
    text, found = page.read_text(encoding="utf-8"), list[Example]()
    for block in _BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        place = f"{name_of(page)}:{line}"
        if block["language"] == "console":
            found += _commands(name_of(page), line, block["text"])
        elif block["language"] == "python":
            found.append(Example(place, "python", block["text"], _printed(text[block.end() :])))
    return found


@dataclass(slots=True)
class Workplace:
    """A folder in which the examples of a page are run, one after another."""

    folder: Path
    environment: Mapping[str, str]
    names: dict[str, Any] = field(default_factory=dict[str, Any])

    def run(self, example: Example) -> str:
        """What *example* prints; an AssertionError when it fails."""
        ways: dict[str, Callable[[Example], str]] = {
            "console": self._command,
            "python": self._python,
        }
        return ways[example.language](example)

    def _command(self, example: Example) -> str:
        words = shlex.split(example.text)
        if words[0] == "passageway" and not {"|", ">", ">>", "<"} & set(words):
            return self._ours(example, words[1:])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        ended = subprocess.run(
            ["bash", "-o", "pipefail", "-c", example.text],
            cwd=self.folder,
            env={**os.environ, **self.environment, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{example.place}: {example.text}\n{ended.stdout}"
        return ended.stdout

    def _ours(self, example: Example, arguments: list[str]) -> str:
        """A command line in this process; stdout and stderr as they come."""
        held = BytesIO()
        printed = TextIOWrapper(held, encoding="utf-8", write_through=True)
        with redirect_stdout(printed), redirect_stderr(printed):
            code = run(arguments)
        text = held.getvalue().decode()
        assert code == 0, f"{example.place}: {example.text}\n{text}"
        return text

    def _python(self, example: Example) -> str:
        """In this process, whose working folder and environment are the workplace's."""
        with redirect_stdout(StringIO()) as printed:
            exec(compile(example.text, example.place, "exec"), self.names)
        return printed.getvalue()


def _commands(page: str, line: int, text: str) -> Iterator[Example]:
    command, shown, at = "", list[str](), line
    for number, each in enumerate([*text.splitlines(), "$ "], line):
        if not each.startswith("$ "):
            shown.append(each)
            continue
        if command:
            yield Example(f"{page}:{at}", "console", command, "\n".join(shown) or None)
        command, shown, at = each.removeprefix("$ "), [], number


def _printed(rest: str) -> str | None:
    following = _BLOCK.match(rest.lstrip("\n"))
    if following is None or following["language"] != "text":
        return None
    return following["text"].rstrip("\n")
