"""`make demo`: a copy of snapshots/demo, served, and what two callers get from the calls that read it.

The callers hold different groups, so the same request gives them different rows. The copy stays in .demo/ to go
on with; the server that was started here is ended at the end.
"""

import select
import shutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import passageway
from passageway import CollectionClient, EdgeSpec, Hop, NotFound, Query
from passageway.cli import output
from passageway.cli.paths import route
from passageway_server.authz.tokens import new_token
from passageway_server.errors import FolderInUse
from passageway_server.storage.lock import FolderLock

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = ROOT / "snapshots" / "demo"
FOLDER = ROOT / ".demo"
LINE = 100
READY = "listening on "
PATIENCE = 60.0
"""Seconds to wait for the server to start, and to stop: longer than its grace."""

GAME = "flightgear"
LIBRARY = "libgl-dev"
DATA_PACKAGE = "0ad-data"
WORDS = "chess engine"
FILTER = 'section = "games" AND size > 100000'


Scored = tuple[str, float | None]


@dataclass(frozen=True, slots=True)
class Persona:
    """A caller of the demo."""

    name: str
    groups: tuple[str, ...]
    secret: str = ""


def _groups(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"group:g{number:02}" for number in range(first, last + 1))


ADA = Persona("ada", _groups(0, 19))
BOB = Persona("bob", _groups(14, 33))


def main() -> int:
    """Show the demo; 0 when every call was answered."""
    if not SNAPSHOT.is_dir():
        print(f"{SNAPSHOT} is not there: the demo runs in a clone of the sources", file=sys.stderr)
        return 1
    try:
        _take_away(FOLDER)
    except FolderInUse as fault:
        print(f"{fault}; it may be the demo's from before", file=sys.stderr)
        return 1
    shutil.copytree(SNAPSHOT, FOLDER / "data")
    tokens = FOLDER / "tokens.toml"
    callers = [_registered(persona, tokens) for persona in (ADA, BOB)]
    with _serving(FOLDER / "data", tokens) as address:
        output.say(f"serving {FOLDER.name}/data on {address}")
        clients = [passageway.connect(address, token=caller.secret) for caller in callers]
        try:
            _show([client.collection("debian") for client in clients])
        finally:
            for client in clients:
                client.close()
    _go_on(callers)
    return 0


def _take_away(folder: Path) -> None:
    """Remove what a demo left before; FolderInUse while a server has it open."""
    data = folder / "data"
    if data.is_dir():
        FolderLock(data).release()
    shutil.rmtree(folder, ignore_errors=True)


def _registered(persona: Persona, tokens: Path) -> Persona:
    """*persona* with a token, whose digest is added to the file *tokens*."""
    made = new_token(persona.name, principals=persona.groups, roles=["reader"])
    with tokens.open("a", encoding="utf-8") as file:
        file.write(made.entry)
    return Persona(persona.name, persona.groups, made.secret)


@contextmanager
def _serving(data: Path, tokens: Path) -> Generator[str]:
    """A server of *data* in a process of its own, at the address that it tells; ended by its id."""
    log = FOLDER / "server.log"
    with log.open("wb") as errors:
        server = subprocess.Popen(
            _command(data, tokens), stdout=subprocess.PIPE, stderr=errors, text=True
        )
        try:
            line = _first_line(server)
            if not line.startswith(READY):
                raise RuntimeError(f"the server did not start; {log} says why")
            yield line.removeprefix(READY).strip()
        finally:
            server.terminate()
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
                raise RuntimeError(
                    f"the server did not stop and was killed; {log} says why"
                ) from None


def _command(data: Path, tokens: Path) -> list[str]:
    command = [sys.executable, "-m", "passageway.cli", "serve", "--data", str(data)]
    return [*command, "--listen", "127.0.0.1:0", "--tokens", str(tokens)]


def _first_line(server: "subprocess.Popen[str]") -> str:
    """What the server says first; nothing when it ends before that, or takes too long."""
    if server.stdout is None or not select.select([server.stdout], [], [], PATIENCE)[0]:
        return ""
    return server.stdout.readline()


def _show(collections: Sequence[CollectionClient]) -> None:
    for scene in (_search, _expand, _paths, _slice, _lookup, _context):
        output.say()
        scene(collections)


def _title(call: str, question: str) -> None:
    output.say(f"{call}: {question}")


def _search(collections: Sequence[CollectionClient]) -> None:
    _title("Search", f"which packages and paragraphs are about a {WORDS}?")
    answers = [collection.search(Query(WORDS, limit=5)) for collection in collections]
    columns = [
        [(hit.node.id if hit.node else "", hit.score) for hit in answer.hits] for answer in answers
    ]
    totals = [(f"of {answer.total} in all", None) for answer in answers]
    _side_by_side(columns, totals)


def _context(collections: Sequence[CollectionClient]) -> None:
    _title("Context", f"the two best about a {WORDS} for ada, in 600 tokens")
    answer = collections[0].context(query=Query(WORDS, limit=2), token_budget=600)
    for line in answer.context.splitlines():
        output.say(f"  {_first_words(output.plain(line))}".rstrip())


def _expand(collections: Sequence[CollectionClient]) -> None:
    _title("Expand", f"what does {GAME} need, two steps deep?")
    hops = [Hop(["Depends", "Recommends"], decay=0.5)] * 2
    answers = [
        collection.expand([GAME], hops=hops, limit=8, include_seeds=False, fields=["name"])
        for collection in collections
    ]
    columns = [
        [(hit.node.id if hit.node else "", hit.score) for hit in answer.hits] for answer in answers
    ]
    totals = [(f"of {answer.total} in all", None) for answer in answers]
    _side_by_side(columns, totals)


def _side_by_side(columns: Sequence[Sequence[Scored]], totals: Sequence[Scored]) -> None:
    """What both callers get, with scores, and how many there are in all."""
    nothing: Scored = ("", None)
    rows = [(*(mine or nothing), *(theirs or nothing)) for mine, theirs in zip_longest(*columns)]
    output.table(("ada gets", "score", "bob gets", "score"), [*rows, (*totals[0], *totals[1])])


def _paths(collections: Sequence[CollectionClient]) -> None:
    _title("Paths", f"how is {GAME} connected to {LIBRARY}?")
    edges = [EdgeSpec(["Depends", "Recommends"], direction="both")]
    rows: list[tuple[str, str]] = []
    for persona, collection in zip((ADA, BOB), collections, strict=True):
        answer = collection.paths([GAME], [LIBRARY], edges=edges, k=3)
        rows += [(persona.name, route(path)) for path in answer.paths] or [
            (persona.name, "no path of up to 4 edges")
        ]
    output.table(("caller", "path"), rows)


def _slice(collections: Sequence[CollectionClient]) -> None:
    _title("Slice", f"the first paragraphs of {DATA_PACKAGE}")
    rows: list[tuple[str, str, str]] = []
    for persona, collection in zip((ADA, BOB), collections, strict=True):
        try:
            answer = collection.slice(DATA_PACKAGE, window=2)
        except NotFound as refused:
            rows.append((persona.name, "", refused.message))
            continue
        rows += [(persona.name, node.id, _first_words(node.content)) for node in answer.passages]
    output.table(("caller", "span", "text"), rows)


def _first_words(text: str) -> str:
    return text if len(text) <= LINE else text[: LINE - 1] + "…"


def _lookup(collections: Sequence[CollectionClient]) -> None:
    _title("Lookup", f"games of more than 100,000 KiB: {FILTER}")
    answers = [collection.lookup(FILTER, page_size=6) for collection in collections]
    rows = [
        (mine.id if mine else "", theirs.id if theirs else "")
        for mine, theirs in zip_longest(*(answer.nodes for answer in answers))
    ]
    totals = tuple(f"of {answer.total} in all" for answer in answers)
    output.table(("ada gets", "bob gets"), [*rows, totals])


def _go_on(callers: Sequence[Persona]) -> None:
    ada, bob = callers
    output.say()
    output.say(
        "Go on from here: serve the same folder, and in another shell ask as one of the two."
    )
    output.say()
    for line in (
        f"{_executable()} serve --data {_shown(FOLDER / 'data')} --tokens {_shown(FOLDER / 'tokens.toml')}",
        "",
        "export PASSAGEWAY_SERVER=127.0.0.1:50051",
        f"export PASSAGEWAY_TOKEN={ada.secret}  # ada",
        f"export PASSAGEWAY_TOKEN={bob.secret}  # bob",
        f"{_executable()} describe debian",
        f"{_executable()} search debian '{WORDS}'",
        f"{_executable()} context debian '{WORDS}' --limit 2 --token-budget 600",
        f"{_executable()} expand debian {GAME} --hop 'Depends decay=0.5' --hop 'Depends decay=0.5'",
        f"{_executable()} paths debian --from {GAME} --to {LIBRARY} -k 3",
        f"{_executable()} slice debian {DATA_PACKAGE}",
        f"{_executable()} lookup debian '{FILTER}'",
    ):
        output.say(f"  {line}".rstrip())


def _executable() -> str:
    return _shown(Path(sys.executable).with_name("passageway"))


def _shown(path: Path) -> str:
    """*path* as it is typed in the clone."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


if __name__ == "__main__":
    sys.exit(main())
