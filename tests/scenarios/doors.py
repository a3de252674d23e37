"""The ways into a server that must all answer a scenario alike.

All scenarios are put, once for all doors, into a `House`: a server in this process, one behind a port that takes
tokens, and a folder. A door opens over the house and gives a function that asks; `DOORS` is where one is added.
"""

import asyncio
import io
import json
import re
import shutil
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
)
from dataclasses import dataclass
from pathlib import Path

import passageway
from passageway import PassagewayError
from passageway.cli.app import run
from tests.peers import Caller, GrpcPeer, LocalPeer, Peer, fill, served
from tests.scenarios.answers import Answer, as_json, parameters
from tests.scenarios.reading import Scenario

Ask = Callable[[Scenario, Caller], Answer]


@dataclass(frozen=True, slots=True)
class House:
    """The same collections three times, and a place for files."""

    near: Peer
    far: GrpcPeer
    folder: Path
    files: Path

    def copy(self, name: str) -> Path:
        """A folder with the collections that one door has for itself, for a folder has one owner."""
        return Path(shutil.copytree(self.folder, self.files / name))


@contextmanager
def furnished(files: Path, scenarios: Sequence[Scenario]) -> Generator[House]:
    """A house that holds all *scenarios* and knows their callers."""
    callers = {caller for scenario in scenarios for caller in scenario.sees}
    near, kept = LocalPeer(), LocalPeer(files / "data")
    with served(files, callers) as far:
        for scenario in scenarios:
            for peer in (near, kept, far):
                fill(peer, scenario.settings, scenario.batches)
        kept.close()
        try:
            yield House(near, far, files / "data", files)
        finally:
            near.close()


@contextmanager
def in_process(house: House) -> Generator[Ask]:
    """The wire layer in this process."""
    yield _messages(house.near)


@contextmanager
def grpc(house: House) -> Generator[Ask]:
    """Messages over a channel."""
    yield _messages(house.far)


@contextmanager
def connect(house: House) -> Generator[Ask]:
    """The client over a channel, one for each caller."""
    with ExitStack() as clients:

        def ask(scenario: Scenario, caller: Caller) -> Answer:
            client = passageway.connect(house.far.address, token=house.far.token(caller))
            return _called(clients.enter_context(client), scenario)

        yield ask


@contextmanager
def connect_async(house: House) -> Generator[Ask]:
    """The asynchronous client, in a loop of its own."""
    with asyncio.Runner() as loop:

        async def call(scenario: Scenario, caller: Caller) -> Answer:
            token = house.far.token(caller)
            async with passageway.connect_async(house.far.address, token=token) as client:
                collection = client.collection(scenario.settings.name)
                try:
                    value = await getattr(collection, scenario.call)(**parameters(scenario.request))
                except PassagewayError as refused:
                    return Answer.of_error(refused)
                return Answer.of_document(value.to_dict())

        yield lambda scenario, caller: loop.run(call(scenario, caller))


@contextmanager
def open_folder(house: House) -> Generator[Ask]:
    """The client over a folder, without a server."""
    folder = house.copy("opened")

    def ask(scenario: Scenario, caller: Caller) -> Answer:
        principals = None if caller.admin else sorted(caller.held)
        with passageway.open(folder, principals=principals) as client:
            return _called(client, scenario)

    yield ask


@contextmanager
def cli_of_server(house: House) -> Generator[Ask]:
    """The command line, asking a server."""

    def ask(scenario: Scenario, caller: Caller) -> Answer:
        place = ["--server", house.far.address, "--token", house.far.token(caller)]
        return _commanded(house, scenario, place)

    yield ask


@contextmanager
def cli_of_folder(house: House) -> Generator[Ask]:
    """The command line, which opens a folder itself."""
    folder = house.copy("commanded")

    def ask(scenario: Scenario, caller: Caller) -> Answer:
        principals = [] if caller.admin else sorted(caller.held)
        place = ["--data", str(folder)]
        return _commanded(
            house, scenario, place + [part for one in principals for part in ("--principal", one)]
        )

    yield ask


DOORS: dict[str, Callable[[House], AbstractContextManager[Ask]]] = {
    "in process": in_process,
    "grpc": grpc,
    "connect": connect,
    "connect_async": connect_async,
    "open": open_folder,
    "command line, server": cli_of_server,
    "command line, folder": cli_of_folder,
}


def _messages(peer: Peer) -> Ask:
    def ask(scenario: Scenario, caller: Caller) -> Answer:
        reply = peer.call(scenario.method, scenario.request, caller=caller)
        if reply.code != "OK":
            return Answer(reply.code, faults=reply.faults())
        return Answer.of_bytes(scenario.call, reply.response)

    return ask


def _called(client: passageway.Client, scenario: Scenario) -> Answer:
    collection = client.collection(scenario.settings.name)
    try:
        value = getattr(collection, scenario.call)(**parameters(scenario.request))
    except PassagewayError as refused:
        return Answer.of_error(refused)
    return Answer.of_document(value.to_dict())


def _commanded(house: House, scenario: Scenario, place: Iterable[str]) -> Answer:
    file = house.files / "request.json"
    file.write_text(json.dumps(as_json(parameters(scenario.request))), encoding="utf-8")
    command = [scenario.call, scenario.settings.name, "--request", str(file), "--json", *place]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as told:
        code = run(command)
    if code == 0:
        return Answer.of_document(json.loads(out.getvalue()))
    return _refusal(told.getvalue())


_REASON = re.compile(r"\((?P<reason>[A-Z_]+)\)$")


def _refusal(told: str) -> Answer:
    """What stderr says: the reason in parentheses, or a line for each parameter at fault.

    The scenarios are refused for reasons of the same name as their status. Indented lines show where in a filter.
    """
    text = told.removeprefix("passageway: ").strip()
    if reason := _REASON.search(text):
        return Answer(reason["reason"])
    faults = frozenset(
        line.partition(": ")[0] for line in text.splitlines() if not line.startswith(" ")
    )
    return Answer("INVALID_ARGUMENT", faults=faults)
