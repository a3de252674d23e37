"""Files that are not what was written: every flipped bit and every cut is found, and nothing of it is served.

The folder has two snapshots, a named one, and logs of several segments: what is damaged may be bridged by what is older,
and then it is the whole that is served. Of the last commits of a log a crash may be what is missing: that is reported, as
a tail.
"""

from collections.abc import Iterator
from random import Random

import pytest

from passageway_server.storage import layout, records
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.log.frames import HEAD_LENGTH, HEADER_LENGTH
from passageway_server.storage.manifest import MANIFEST
from passageway_server.storage.page_key import PAGE_KEY
from passageway_server.storage.repair import repair_folder
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.programs import NOON, Held, recovered
from tests.crash.served import NAMES, found_in, publish, served, whole
from tests.crash.sizes import SEED, scaled, seed_of

SECTOR = 512
EVERY = max(1, 4 // scaled(4))
"""Of the bytes that are tried in CI, so manieth are."""


def commit(held: Held, folder: DataFolder, count: int, *, checkpoint: bool) -> Held:
    """Commits of one process; with *checkpoint* a snapshot of all but the last two of them."""
    stored = folder.collection("a")
    before, found = recovered(stored)
    assert before == held
    log = stored.open_log(held.number, recovered=found)
    for _ in range(count):
        held = held.and_one(0)
        log.append(held.number, held.payload())
        log.sync()
    if checkpoint:
        at = held.at(held.number - 2)
        publish(folder, "a", at)
        stored.drop_old(keep=1)
    log.close()
    return held


@pytest.fixture(scope="module")
def sound() -> ForgettingDirectory:
    """A folder that nothing is wrong with."""
    directory = ForgettingDirectory()
    folder = DataFolder(directory)
    for life, name in enumerate(NAMES):
        publish(folder, name, Held(life, (0,)))
    held = commit(Held(0, (0,)), folder, 5, checkpoint=True)
    folder.collection("a").create_named("kept", created_at=NOON)
    held = commit(held, folder, 5, checkpoint=True)
    commit(held, folder, 6, checkpoint=False)
    assert verify_folder(directory).findings == ()
    return directory.whole()


def check(sound: ForgettingDirectory, path: str, content: bytes) -> dict[str, Held | None]:
    """Damage is found, and nothing of it is served; what is served instead of all that there was."""
    expected = whole(sound)
    there = served(sound.altered(path, content))
    findings = found_in(sound.altered(path, content))
    for name in NAMES:
        held = there[name]
        if held is None:
            assert path == layout.FORMAT or path.startswith(f"{name}/"), "one stops no other"
            assert any(finding.kind is Kind.DAMAGE for finding in findings)
        else:
            assert held == expected[name].at(held.number)
    return {name: held for name, held in there.items() if held != expected[name]}


def mended(sound: ForgettingDirectory, path: str, content: bytes) -> None:
    """A repair leaves of each collection its first commits, and one of which nothing can be read as it is."""
    expected = whole(sound)
    directory = sound.altered(path, content)
    hopeless = {lost.collection for lost in repair_folder(directory).lost if lost.first == 1}
    findings = verify_folder(directory).findings
    assert {one.collection for one in findings if one.kind is Kind.DAMAGE} == hopeless
    for name, held in served(directory).items():
        assert (held is None) == (name in hopeless)
        assert held is None or held == expected[name].at(held.number)


def flips(path: str, content: bytes) -> Iterator[int]:
    """Offsets of bytes to damage: each of small files and headers, one of each sector elsewhere."""
    draw = Random(f"{SEED} {path}")
    if len(content) <= HEADER_LENGTH:
        yield from range(len(content))
    elif path.endswith(MANIFEST):
        yield from range(draw.randrange(4), len(content), 4)
    else:
        if path.endswith(".log"):
            yield from range(HEADER_LENGTH)
        for start in range(0, len(content), SECTOR):
            yield draw.randrange(start, min(start + SECTOR, len(content)))


def newest_segment(sound: ForgettingDirectory) -> tuple[str, int]:
    """The path of the last segment of a log, and where its last frame begins."""
    path = max(path for path in sound.files() if path.startswith("a/log/"))
    held = whole(sound)["a"]
    frame = HEAD_LENGTH + len(records.encode(held.payload()))
    return path, len(sound.files()[path]) - frame


def paths(sound: ForgettingDirectory) -> list[str]:
    """All files that hold something which is checked: the key of page tokens guards no rows."""
    return [path for path, content in sound.files().items() if content and path != PAGE_KEY]


def test_every_flipped_bit_is_found_and_not_served(sound: ForgettingDirectory) -> None:
    newest, last_frame = newest_segment(sound)
    empty = "b/log/0000000000000002.log"  # nothing is lost with it
    count = 0
    for path in paths(sound):
        content = sound.files()[path]
        for at in [*flips(path, content)][::EVERY]:
            flipped = bytearray(content)
            flipped[at] ^= 1 << Random(seed_of(at)).randrange(8)
            try:
                findings = found_in(sound.altered(path, bytes(flipped)))
                lost = check(sound, path, bytes(flipped))
                assert findings
                if path == newest and at >= last_frame:
                    assert {finding.kind for finding in findings} == {Kind.TAIL}
                    assert lost == {"a": whole(sound)["a"].at(whole(sound)["a"].number - 1)}
                else:
                    assert not any(lost.values())
                    kinds = {finding.kind for finding in findings}
                    assert Kind.DAMAGE in kinds or path == empty
                if count % 8 == 0:
                    mended(sound, path, bytes(flipped))
            except AssertionError as error:
                error.add_note(f"byte {at} of {path}")
                raise
            count += 1
    assert count > 600 // EVERY


def test_a_file_that_is_cut_is_found_and_not_served(sound: ForgettingDirectory) -> None:
    newest, _ = newest_segment(sound)
    for path in paths(sound):
        content = sound.files()[path]
        for part in range(16):
            cut = content[: len(content) * part // 16]
            try:
                lost = check(sound, path, cut)
                if path != newest:
                    assert found_in(sound.altered(path, cut))
                    assert not any(lost.values())
                mended(sound, path, cut)
            except AssertionError as error:
                error.add_note(f"{path}, cut at {part} of 16")
                raise


def test_the_newest_snapshot_that_is_cut_is_bridged_by_the_one_before_and_the_log(
    sound: ForgettingDirectory,
) -> None:
    newest = max(
        path.rpartition("/")[0] for path in paths(sound) if path.startswith("a/snapshots/")
    )
    for path in paths(sound):
        if path.startswith(newest):
            content = sound.files()[path]
            for part in range(16):
                altered = sound.altered(path, content[: len(content) * part // 16])
                assert served(altered) == whole(sound)


@pytest.mark.parametrize("zeros", [1, HEAD_LENGTH, SECTOR, 5000])
def test_a_log_that_ends_with_zeros_has_all_its_commits(
    sound: ForgettingDirectory, zeros: int
) -> None:
    newest, _ = newest_segment(sound)
    padded = sound.altered(newest, sound.files()[newest] + bytes(zeros))

    assert not verify_folder(padded).damaged
    assert whole(padded) == whole(sound)
    folder = DataFolder(padded)
    held, found = recovered(folder.collection("a"))
    log = folder.collection("a").open_log(held.number, recovered=found)
    log.append(held.number + 1, held.and_one(1).payload())
    log.close()
    assert whole(padded)["a"] == held.and_one(1)


def test_what_is_left_over_and_what_is_foreign_stops_no_start(sound: ForgettingDirectory) -> None:
    directory = sound.whole()
    for folder in (
        ".x.partial",
        ".b.removed",
        "a/snapshots/0000000000000099.partial",
        "a/named/n.removed",
    ):
        directory.make_folder(folder)
        directory.write(f"{folder}/x", [b"half"])
    for path in ("a/CURRENT.partial", "a/LOG.partial", "a/log/0000000000000099.log.partial"):
        directory.write(path, [b"half"])
    for path in ("notes.txt", "a/notes.txt", "a/log/notes.txt", "a/snapshots/notes.txt"):
        directory.write(path, [b"foreign"])

    assert not verify_folder(directory).damaged
    assert whole(directory) == whole(sound)
    assert {path for path, content in directory.files().items() if content == b"half"} == set()
    assert sum(content == b"foreign" for content in directory.files().values()) == 4
