"""Logs whose commits are not all there, or not their own: what is missing is missed, and nothing foreign is served."""

from random import Random

from passageway_server.storage import layout
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.log.frames import HEADER_LENGTH
from passageway_server.storage.manifest import MANIFEST
from passageway_server.storage.report import Kind
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.programs import Held
from tests.crash.served import found_in, publish, served, whole
from tests.crash.sizes import seed_of


def test_a_commit_that_a_damaged_snapshot_alone_held_is_missed_though_the_log_goes_on() -> None:
    directory = ForgettingDirectory()
    folder, made = DataFolder(directory), Held(0, (0,))
    publish(folder, "a", made)
    log = folder.collection("a").open_log(1)
    for _ in range(2):
        made = made.and_one(0)
        log.append(made.number, made.payload())
    restored = made.and_one(0)  # by a snapshot, and in no log
    publish(folder, "a", restored)
    log.roll(after=restored.number)
    log.append(restored.number + 1, restored.and_one(0).payload())
    log.close()
    assert whole(directory.whole()) == {"a": restored.and_one(0)}

    snapshot = layout.read_current(directory, "a")
    torn = directory.whole().altered(f"{snapshot}/{MANIFEST}", b"")

    assert served(torn)["a"] is None
    assert any(finding.kind is Kind.DAMAGE for finding in found_in(torn))


def test_a_segment_with_acknowledged_commits_is_missed_when_it_is_gone_after_a_crash() -> None:
    directory, made = ForgettingDirectory(), Held(0, (0,))
    folder = DataFolder(directory)
    publish(folder, "a", made)
    log = folder.collection("a").open_log(1)
    log.append(2, made.and_one(0).payload())
    log.roll()
    log.append(3, made.and_one(0).and_one(0).payload())
    log.sync()

    for seed in range(20):
        crashed = directory.crashed(Random(seed_of(seed)))
        crashed.remove(layout.segment_file("a", 3))

        assert served(crashed)["a"] is None
        assert any(finding.kind is Kind.DAMAGE for finding in found_in(crashed))


def test_commits_of_an_earlier_segment_in_the_blocks_of_a_new_one_are_none() -> None:
    def with_commits(run: int) -> ForgettingDirectory:
        directory = ForgettingDirectory()
        folder = DataFolder(directory)
        made = Held(0, (0,))
        publish(folder, "a", made)
        log = folder.collection("a").open_log(1)
        for _ in range(3):
            made = made.and_one(run)
            log.append(made.number, made.payload())
        log.close()
        return directory.whole()

    path = layout.segment_file("a", 2)
    earlier, directory = with_commits(0).files()[path], with_commits(1)
    header = directory.files()[path][:HEADER_LENGTH]

    assert whole(directory) == {"a": Held(0, (0, 1, 1, 1))}
    assert whole(directory.altered(path, header + earlier[HEADER_LENGTH:])) == {"a": Held(0, (0,))}
