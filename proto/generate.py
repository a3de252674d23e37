"""Writes every generated file from the contract, or tells which are not as they should be.

``python proto/generate.py [--check | --descriptors]``: ``--descriptors`` writes the contract and its imports
to stdout as one descriptor set, which buf lints without a registry.
"""

import sys
from pathlib import Path

from generator import calls, clients, methods, numbers, protoc, schema, values

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
CLIENT = ROOT / "client"
OURS = Path("passageway/_generated")


def main(arguments: list[str]) -> int:
    """Write or check; 0 when all is well, 1 when ``--check`` found a difference."""
    if arguments == ["--descriptors"]:
        sys.stdout.buffer.write(protoc.descriptors(PROTO).SerializeToString())
        return 0
    files = {CLIENT / path: text for path, text in generate().items()}
    stale = _on_disk() - files.keys()
    if arguments == ["--check"]:
        return _check(files, stale)
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for path in stale:
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"wrote {len(files)} files under {CLIENT.name}/")
    return 0


def generate() -> protoc.Files:
    """All generated files, by path below client/."""
    contract = schema.read(protoc.descriptors(PROTO))
    files = protoc.modules(PROTO)
    files[protoc.PACKAGE / "__init__.py"] = (
        '"""The contract\'s messages and stubs. Generated from proto/; never edited."""\n'
    )
    files |= {
        OURS
        / "__init__.py": '"""What proto/generate.py wrote of the client library; never edited."""\n',
        OURS / "values.py": values.module(contract),
        OURS / "numbers.py": numbers.module(contract),
        OURS / "methods.py": methods.module(contract),
        OURS / "client.py": clients.module(contract, calls.SYNC),
        OURS / "async_client.py": clients.module(contract, calls.ASYNC),
    }
    return files


def _check(files: dict[Path, str], stale: set[Path]) -> int:
    differing = [
        path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text
    ]
    for path in sorted([*differing, *stale]):
        print(
            f"{path.relative_to(ROOT)} is not what proto/ says; run `make generate`",
            file=sys.stderr,
        )
    return 1 if differing or stale else 0


def _on_disk() -> set[Path]:
    """Generated files that are there now: two whole packages."""
    return {path for package in (protoc.PACKAGE, OURS) for path in (CLIENT / package).glob("*.py*")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
