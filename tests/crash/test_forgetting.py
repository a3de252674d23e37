"""The directory that forgets keeps exactly what the protocol promises, and finds whoever breaks it."""

from random import Random

import pytest

from tests.crash.forgetting import ForgettingDirectory


def after_crashes(
    directory: ForgettingDirectory, *, after: int | None = None
) -> list[ForgettingDirectory]:
    return [directory.crashed(Random(seed), after=after) for seed in range(200)]


def names(directory: ForgettingDirectory, folder: str = "") -> tuple[str, ...]:
    return tuple(entry.name for entry in directory.entries(folder))


def with_log(content: bytes = b"head") -> ForgettingDirectory:
    """A directory with a log of which all that it holds is on the disk."""
    directory = ForgettingDirectory()
    directory.write("log", [content])
    directory.sync("")
    return directory


def test_what_is_written_is_whole_wherever_its_name_survives() -> None:
    directory = ForgettingDirectory()
    directory.write("a", [b"some ", b"bytes"])

    found = after_crashes(directory)

    assert {names(one) for one in found} == {(), ("a",)}
    assert {one.read("a", limit=99) for one in found if names(one)} == {b"some bytes"}


def test_a_crash_in_the_middle_of_a_write_may_leave_any_part_of_it() -> None:
    directory = ForgettingDirectory()
    directory.write("a", [b"x" * 2000])

    found = {one.read("a", limit=9999) for one in after_crashes(directory, after=2) if names(one)}

    assert {b"", b"x" * 2000, b"\0" * 2000} <= found
    assert any(0 < len(left) < 2000 and len(left) % 512 for left in found)
    assert any(0 < len(left) < 2000 and len(left) % 512 == 0 for left in found)
    assert any(left.startswith(b"\0") and left.endswith(b"x") for left in found)


def test_a_name_survives_once_its_folder_was_synced_and_not_that_of_the_folder() -> None:
    directory = ForgettingDirectory()
    directory.make_folder("f")
    directory.write("f/a", [b"x"])
    directory.sync("f")

    assert {names(one) for one in after_crashes(directory)} == {(), ("f",)}

    directory.sync("")

    assert {names(one, "f") for one in after_crashes(directory)} == {("a",)}


def test_changes_of_a_folder_are_lost_in_any_subset() -> None:
    directory = ForgettingDirectory()
    for name in "abc":
        directory.write(name, [b""])

    assert len({names(one) for one in after_crashes(directory)}) == 8


def test_a_rename_over_a_name_leaves_the_old_or_the_new() -> None:
    directory = ForgettingDirectory()
    directory.write("a", [b"old"])
    directory.write("b", [b"new"])
    directory.sync("")
    directory.rename("b", "a")

    found = {(names(one), one.read("a", limit=9)) for one in after_crashes(directory)}

    assert found == {(("a", "b"), b"old"), (("a",), b"new")}


def test_a_rename_between_folders_is_done_or_not_until_one_of_them_is_synced() -> None:
    directory = ForgettingDirectory()
    for folder in "fg":
        directory.make_folder(folder)
    directory.write("f/a", [b"x"])
    directory.sync("f")
    directory.sync("")
    directory.rename("f/a", "g/a")

    def found() -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
        return {(names(one, "f"), names(one, "g")) for one in after_crashes(directory)}

    assert found() == {(("a",), ()), ((), ("a",))}

    directory.sync("g")

    assert found() == {(("a",), ("a",)), ((), ("a",))}

    directory.sync("f")

    assert found() == {((), ("a",))}


def test_what_was_appended_survives_once_it_was_synced() -> None:
    directory = with_log()
    log = directory.append_to("log")
    log.append([b"one"])
    log.sync()
    log.append([b"two"])

    found = {one.read("log", limit=99) for one in after_crashes(directory)}

    assert {b"headone", b"headonetwo"} < found
    assert all(left.startswith(b"headone") for left in found)


def test_what_is_appended_while_a_sync_runs_is_not_part_of_it() -> None:
    directory = with_log()
    log = directory.append_to("log")
    log.append([b"one"])
    directory.while_syncing = lambda _: log.append([b"two"])
    log.sync()

    found = {one.read("log", limit=99) for one in after_crashes(directory)}

    assert {b"headone", b"headonetwo"} < found


def test_what_was_cut_may_come_back_until_the_next_sync() -> None:
    directory = with_log()
    log = directory.append_to("log")
    log.append([b"bad"])
    log.cut(4)
    assert b"headbad" in {one.read("log", limit=99) for one in after_crashes(directory)}

    log.append([b"good"])
    log.sync()

    assert {one.read("log", limit=99) for one in after_crashes(directory)} == {b"headgood"}


def test_what_is_mapped_stays_when_its_name_goes() -> None:
    directory = ForgettingDirectory()
    directory.write("a", [b"bytes"])
    mapped = directory.map_file("a", length=5)
    directory.remove("a")

    assert mapped.tobytes() == b"bytes"


def test_a_process_that_ends_loses_nothing() -> None:
    directory = with_log()
    log = directory.append_to("log")
    log.append([b"one"])
    directory.write("a", [b""])

    assert names(directory.whole()) == ("a", "log")
    assert directory.whole().read("log", limit=99) == b"headone"
    assert names(directory.whole().crashed(Random(1))) in {("log",), ("a", "log")}


def test_a_promise_that_is_broken_is_found() -> None:
    directory = with_log()
    log = directory.append_to("log")
    with pytest.raises(AssertionError, match="written over"):
        directory.write("log", [b""])
    with pytest.raises(AssertionError, match="is mapped"):
        directory.map_file("log", length=4)
    with pytest.raises(AssertionError, match="two who append"):
        directory.append_to("log")
    with pytest.raises(AssertionError, match="made longer"):
        log.cut(5)
    log.close()
    with pytest.raises(AssertionError, match="after it was closed"):
        log.sync()

    assert len(directory.misuses) == 5


def test_the_same_seed_leaves_the_same() -> None:
    directory = with_log()
    log = directory.append_to("log")
    log.append([bytes(range(256)) * 8])

    left = [directory.crashed(Random(7)).read("log", limit=9999) for _ in range(2)]

    assert left[0] == left[1]
