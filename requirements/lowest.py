"""Prints the lowest versions that pyproject.toml admits, as constraints for pip.

``python requirements/lowest.py > FILE``: one ``name==version`` for each requirement of the package and of the extras
that a server and its tests need. A requirement without a lower bound is an error: what is not bounded is not tried.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

EXTRAS = ("cli", "server", "replica", "parquet", "test")

_REQUIREMENT = re.compile(
    r"^(?P<name>[\w.-]+)(\[[\w,.-]+\])?(>=|~=|==)(?P<version>[\w.]+)(,<[\w.]+)?$"
)


def lowest(pyproject: Path) -> Iterator[str]:
    """A constraint for each requirement; ValueError for one without a lower bound."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for text in [*project["dependencies"], *(one for extra in EXTRAS for one in extras[extra])]:
        if text.startswith(f"{project['name']}["):
            continue
        found = _REQUIREMENT.match(text)
        if found is None:
            raise ValueError(f"{pyproject}: {text!r} has no lower bound that can be pinned")
        yield f"{found['name']}=={found['version']}"


if __name__ == "__main__":
    sys.stdout.writelines(
        f"{line}\n" for line in lowest(Path(__file__).parents[1] / "pyproject.toml")
    )
