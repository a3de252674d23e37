"""What is no file, under the name of one: nothing waits for it, and it is damage, or refused, and stops no other collection."""

import os
import socket
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from passageway_server.errors import PassagewayError
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder, held
from passageway_server.storage.repair import repair_folder
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import logged, numbers_of, publish

_Value = TypeVar("_Value")

SNAPSHOT = "debian/snapshots/0000000000000004"
OF_THE_FOLDER = ("FORMAT", "PAGE_KEY", "LOCK")
OF_A_COLLECTION = (
    "debian/CURRENT",
    "debian/LOG",
    "debian/DURABLE",
    f"{SNAPSHOT}/manifest.msgpack",
    f"{SNAPSHOT}/nodes.kind.npy",
    "debian/log/0000000000000002.log",
)


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.mkdir()


def a_link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_link_to_what_it_was(path: Path) -> None:
    path.symlink_to(path.with_name(path.name + ".was"))


def a_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # for the paths of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def a_device(path: Path) -> None:
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("devices are made by root alone")


KINDS = (a_fifo, a_folder, a_link, a_link_to_what_it_was, a_socket, a_device)


@pytest.fixture
def written(root: Path) -> Path:
    """Two collections; one has two snapshots, and commits 2 to 6."""
    with DataFolder.open(root) as folder:
        publish(folder.collection("other"), 1)
        publish(folder.collection("debian"), 1)
        log = logged(folder.collection("debian"), 6)
        publish(folder.collection("debian"), 4)
        log.mark()
        log.close()
    return root


def put(root: Path, file: str, kind: Callable[[Path], None]) -> None:
    """*kind* in the place of *file*, which stays beside it."""
    path = root / file
    path.rename(path.with_name(path.name + ".was"))
    kind(path)


def in_time(act: Callable[[], _Value]) -> "_Value | PassagewayError":
    """What *act* gives, or the error that it raises; it must not wait for anything."""
    results: list[_Value | PassagewayError] = []

    def run() -> None:
        try:
            results.append(act())
        except PassagewayError as error:
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert results, "it waits, or ended by another error"
    return results[0]


def served(root: Path, name: str) -> list[int]:
    with DataFolder.open(root) as folder:
        return numbers_of(StoredCollection(folder.collection(name).directory, name))


def damaged(root: Path) -> bool:
    with held(root) as directory:
        return verify_folder(directory).damaged


def repaired(root: Path) -> bool:
    with held(root) as directory:
        repair_folder(directory)
        return not verify_folder(directory).damaged


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", OF_A_COLLECTION)
def test_what_is_no_file_is_damage_of_its_collection_alone(
    written: Path, file: str, kind: Callable[[Path], None]
) -> None:
    put(written, file, kind)

    found = in_time(lambda: served(written, "debian"))

    assert in_time(lambda: served(written, "other")) == []
    if isinstance(found, PassagewayError):
        assert found.reason in ("SNAPSHOT_DAMAGED", "LOG_DAMAGED")
        assert file in str(found)
    else:
        assert found[-1:] == [6]
    assert in_time(lambda: damaged(written)) is True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", OF_A_COLLECTION)
def test_a_repair_sets_what_is_no_file_aside(
    written: Path, file: str, kind: Callable[[Path], None]
) -> None:
    put(written, file, kind)

    assert in_time(lambda: repaired(written)) is True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", OF_THE_FOLDER)
def test_what_is_no_file_of_the_folder_itself_refuses_the_start_by_its_name(
    written: Path, file: str, kind: Callable[[Path], None]
) -> None:
    put(written, file, kind)

    for act in (lambda: served(written, "debian"), lambda: damaged(written)):
        found = in_time(act)
        assert found is True or (isinstance(found, PassagewayError) and file in str(found))
