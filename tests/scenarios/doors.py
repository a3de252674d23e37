"""The ways into a server that must all answer a scenario alike.

All scenarios are put, once for all doors, into a `House`: a server in this process, one behind a port that takes
tokens, and a folder. A door opens over the house and gives a way to ask, and one to write what the scenario writes while
it is asked; `DOORS` is where one is added.
"""

import asyncio
import io
import json
import re
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
)
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import passageway
from passageway import PassagewayError
from passageway.cli.app import run
from passageway.v1 import store_pb2
from tests.peers import Caller, GrpcPeer, LocalPeer, Peer, apply, served
from tests.scenarios.answers import Answer, as_json, parameters
from tests.scenarios.reading import Scenario
from tests.scenarios.steps import perform

Ask = Callable[[Scenario, Caller], Answer]
Write = Callable[[Scenario, store_pb2.Batch], None]


@dataclass(frozen=True, slots=True)
class Entered:
    """A door that was gone through, and the tokens of the versions behind it.

    Who opens a folder asks for one caller, and before nobody; what it finds is the newest version.
    """

    ask: Ask
    write: Write
    tokens: Mapping[str, list[str]]
    opens_folder: bool = False

    def takes(self, scenario: Scenario, caller: Caller) -> bool:
        """Whether the caller can come this way."""
        return not self.opens_folder or (not caller.audiences and scenario.as_of is None)

    def converse(self, scenario: Scenario, caller: Caller) -> list[Answer]:
        """The answer of *scenario* and all its further pages; what is written after the first is undone at the end."""
        scenario = scenario.dated(self.tokens)
        pages = [self.ask(scenario, caller)]
        if scenario.meanwhile is not None:
            self.write(scenario, scenario.meanwhile)
        while pages[-1].next_page:
            pages.append(self.ask(scenario.after(pages[-1]), caller))
        if scenario.meanwhile is not None:
            for batch in scenario.batches:
                self.write(scenario, batch)
        return pages


@dataclass(frozen=True, slots=True)
class House:
    """The same collections three times, and a place for files."""

    near: Peer
    far: GrpcPeer
    folder: Path
    files: Path
    tokens: Mapping[Peer, Mapping[str, list[str]]]

    def copy(self, name: str) -> Path:
        """A folder with the collections that one door has for itself, for a folder has one owner."""
        return Path(shutil.copytree(self.folder, self.files / name))


@contextmanager
def furnished(files: Path, scenarios: Sequence[Scenario]) -> Generator[House]:
    """A house that holds all *scenarios* and knows their callers."""
    callers = {caller for scenario in scenarios for caller in scenario.sees}
    near, kept = LocalPeer(files / "near"), LocalPeer(files / "data")
    with served(files, callers, data=files / "far") as far:
        peers: list[Peer] = [near, kept, far]
        tokens = {
            peer: {
                each.settings.name: perform(peer, each.settings, each.steps) for each in scenarios
            }
            for peer in peers
        }
        kept.close()
        try:
            yield House(near, far, files / "data", files, tokens)
        finally:
            near.close()


@contextmanager
def in_process(house: House) -> Generator[Entered]:
    """The wire layer in this process."""
    yield Entered(_messages(house.near), _applying(house.near), house.tokens[house.near])


@contextmanager
def grpc(house: House) -> Generator[Entered]:
    """Messages over a channel."""
    yield Entered(_messages(house.far), _applying(house.far), house.tokens[house.far])


@contextmanager
def connect(house: House) -> Generator[Entered]:
    """The client over a channel, one for each caller."""
    with ExitStack() as clients:

        def ask(scenario: Scenario, caller: Caller) -> Answer:
            client = passageway.connect(house.far.address, **_as(house, caller))
            return _called(clients.enter_context(client), scenario)

        yield Entered(ask, _applying(house.far), house.tokens[house.far])


@contextmanager
def connect_async(house: House) -> Generator[Entered]:
    """The asynchronous client, in a loop of its own."""
    with asyncio.Runner() as loop:

        async def call(scenario: Scenario, caller: Caller) -> Answer:
            asking = passageway.connect_async(house.far.address, **_as(house, caller))
            async with asking as client:
                collection = client.collection(scenario.asked)
                try:
                    value = await getattr(collection, scenario.call)(**parameters(scenario.request))
                except PassagewayError as refused:
                    return Answer.of_error(refused)
                return Answer.of_document(value.to_dict())

        yield Entered(
            lambda scenario, caller: loop.run(call(scenario, caller)),
            _applying(house.far),
            house.tokens[house.far],
        )


@contextmanager
def open_folder(house: House) -> Generator[Entered]:
    """The client over a folder, without a server."""
    folder = house.copy("opened")

    def ask(scenario: Scenario, caller: Caller) -> Answer:
        principals = None if caller.admin else sorted(caller.held)
        with passageway.open(folder, principals=principals) as client:
            return _called(client, scenario)

    yield Entered(ask, _applying_to(folder), {}, opens_folder=True)


@contextmanager
def cli_of_server(house: House) -> Generator[Entered]:
    """The command line, asking a server."""

    def ask(scenario: Scenario, caller: Caller) -> Answer:
        place = ["--server", house.far.address, "--token", house.far.token(caller)]
        for principal in sorted(caller.on_behalf_of or ()):
            place += ["--on-behalf-of", principal]
        for audience in caller.audiences:
            place += ["--audience", json.dumps(sorted(audience))]
        return _commanded(house, scenario, place)

    yield Entered(ask, _applying(house.far), house.tokens[house.far])


@contextmanager
def cli_of_folder(house: House) -> Generator[Entered]:
    """The command line, which opens a folder itself."""
    folder = house.copy("commanded")

    def ask(scenario: Scenario, caller: Caller) -> Answer:
        principals = [] if caller.admin else sorted(caller.held)
        place = ["--data", str(folder)]
        return _commanded(
            house, scenario, place + [part for one in principals for part in ("--principal", one)]
        )

    yield Entered(ask, _applying_to(folder), {}, opens_folder=True)


DOORS: dict[str, Callable[[House], AbstractContextManager[Entered]]] = {
    "in process": in_process,
    "grpc": grpc,
    "connect": connect,
    "connect_async": connect_async,
    "open": open_folder,
    "command line, server": cli_of_server,
    "command line, folder": cli_of_folder,
}


def _as(house: House, caller: Caller) -> dict[str, Any]:
    """What a client of the server is made with to be *caller*."""
    return {
        "token": house.far.token(caller),
        "on_behalf_of": None if caller.on_behalf_of is None else sorted(caller.on_behalf_of),
        "audience": [sorted(audience) for audience in caller.audiences],
    }


def _applying(peer: Peer) -> Write:
    return lambda scenario, batch: apply(peer, scenario.settings.name, batch)


def _applying_to(folder: Path) -> Write:
    def write(scenario: Scenario, batch: store_pb2.Batch) -> None:
        with passageway.open(folder) as client:
            client.collection(scenario.settings.name).apply(batch)

    return write


def _messages(peer: Peer) -> Ask:
    def ask(scenario: Scenario, caller: Caller) -> Answer:
        reply = peer.call(scenario.method, scenario.request, caller=caller)
        if reply.code != "OK":
            return Answer(reply.code, faults=reply.faults())
        return Answer.of_bytes(scenario.call, reply.response)

    return ask


def _called(client: passageway.Client, scenario: Scenario) -> Answer:
    collection = client.collection(scenario.asked)
    try:
        value = getattr(collection, scenario.call)(**parameters(scenario.request))
    except PassagewayError as refused:
        return Answer.of_error(refused)
    return Answer.of_document(value.to_dict())


def _commanded(house: House, scenario: Scenario, place: Iterable[str]) -> Answer:
    file = house.files / "request.json"
    file.write_text(json.dumps(as_json(parameters(scenario.request))), encoding="utf-8")
    command = [scenario.call, scenario.asked, "--request", str(file), "--json", *place]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as told:
        code = run(command)
    if code == 0:
        return Answer.of_document(json.loads(out.getvalue()))
    return _refusal(told.getvalue())


_STATUSES = {"VERSION_GONE": "FAILED_PRECONDITION"}
_REASON = re.compile(r"\((?P<reason>[A-Z_]+)\)$")


def _refusal(told: str) -> Answer:
    """What stderr says: the reason in parentheses, or a line for each parameter at fault.

    Most reasons of refusing a scenario have the name of their status. Indented lines show where in a filter.
    """
    text = told.removeprefix("passageway: ").strip()
    if reason := _REASON.search(text):
        return Answer(_STATUSES.get(reason["reason"], reason["reason"]))
    faults = frozenset(
        line.partition(": ")[0] for line in text.splitlines() if not line.startswith(" ")
    )
    return Answer("INVALID_ARGUMENT", faults=faults)
