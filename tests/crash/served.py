"""What is served of a folder in which something is damaged, and what is found wrong with it."""

from passageway_server.errors import PassagewayError
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.report import Finding, Kind
from passageway_server.storage.verification import verify_folder
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.programs import NOON, Held, recovered

NAMES = ("a", "b")
"""Collections that a folder may hold."""


def publish(folder: DataFolder, name: str, held: Held) -> None:
    folder.collection(name).publish(
        held.version, arrays=held.arrays(), meta={"life": held.life}, created_at=NOON
    )


def whole(directory: ForgettingDirectory) -> dict[str, Held]:
    """What each collection holds."""
    folder = DataFolder(directory)
    return {name: recovered(folder.collection(name))[0] for name in folder.names()}


def found_in(directory: ForgettingDirectory) -> tuple[Finding, ...]:
    """What verification finds; an error that it raises is a finding too."""
    try:
        return verify_folder(directory).findings
    except PassagewayError as error:
        return (Finding("", "", None, Kind.DAMAGE, str(error)),)


def served(directory: ForgettingDirectory) -> dict[str, Held | None]:
    """What each collection holds that is served, every byte of it compared; None where it is not."""
    held: dict[str, Held | None] = dict.fromkeys(NAMES)
    try:
        folder = DataFolder(directory)
    except PassagewayError:
        return held
    for name in NAMES:
        try:
            held[name] = recovered(folder.collection(name))[0]
        except PassagewayError:
            continue
    return held
