"""Whenever a machine stops, what is recovered is all that was acknowledged, and nothing that was not begun.

Programs run over a directory that forgets (forgetting.py); after many of their operations crash states are built, and each
is recovered by the code that servers recover with. Crashes in the middle of that are states too.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.directory import ROOT
from passageway_server.storage.layout import FORMAT
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.programs import COLLECTIONS, Between, Program, kept, recovered
from tests.crash.sizes import STATES, seed_of

BLOCKS = 20
"""Parts that the states are tried in, so that failures are told apart."""

ACTS, RUNS, CRASHES = 10, 3, 12
"""Acts of one process, processes one after the other on a folder, and crashes of each that are looked at."""


class States:
    """Crash states that were recovered and looked at; ``seen`` counts them."""

    def __init__(self) -> None:
        self.seen = 0

    def after_power_loss(
        self, directory: ForgettingDirectory, between: Mapping[str, Between], draw: Random
    ) -> None:
        """Recover what the disk kept; a crash on the way changes nothing of it."""
        found = self._recover(directory, between)
        for after in (draw.randint(0, directory.operations), directory.operations):
            self._recover(directory.crashed(draw, after=after), found)

    def after_a_kill(
        self, directory: ForgettingDirectory, between: Mapping[str, Between], draw: Random
    ) -> None:
        """Recover what the process left, some of it in memory alone: power loss takes that until recovering is done."""
        found = self._recover(directory, between)
        meanwhile = {
            name: replace(there, most=found[name].most or there.most)
            for name, there in between.items()
        }
        after = draw.randint(0, directory.operations)
        self._recover(directory.crashed(draw, after=after), meanwhile)
        self._recover(directory.crashed(draw), found)

    def _recover(
        self, directory: ForgettingDirectory, between: Mapping[str, Between]
    ) -> Mapping[str, Between]:
        """Recover a state twice, go on from it, and say what it was."""
        self.seen += 1
        if any(entry.name == FORMAT for entry in directory.entries(ROOT)):
            report = verify_folder(directory)
            assert not report.damaged, report.findings
        folder = DataFolder(directory)
        assert set(folder.names()) <= set(COLLECTIONS)
        found = dict.fromkeys(COLLECTIONS, Between())
        for name in folder.names():
            stored = folder.collection(name)
            held, _ = recovered(stored)
            again, result = recovered(stored)
            stored.open_log(again.number, recovered=result).close()
            assert held == again == recovered(stored)[0]
            found[name] = Between.exactly(held, kept(stored))
        for name, there in between.items():
            assert there.allows(found[name].most, found[name].kept), (there, found[name])
        left = verify_folder(directory).findings
        assert {finding.kind for finding in left} <= {Kind.QUARANTINED, Kind.LEFTOVER}
        assert directory.misuses == []
        return found


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_crash_leaves_a_prefix_of_what_was_begun_with_all_that_was_acknowledged(
    block: int,
) -> None:
    states = States()
    seed = seed_of(block << 32)
    while states.seen < STATES / BLOCKS:
        draw = Random(seed)
        directory = ForgettingDirectory()
        try:
            for run in range(RUNS):
                program = Program(directory, draw, run=run)
                program.do(ACTS)
                assert directory.misuses == []
                for _ in range(CRASHES):
                    after = draw.randint(0, directory.operations)
                    between = program.between(after)
                    states.after_power_loss(directory.crashed(draw, after=after), between, draw)
                    states.after_a_kill(directory.whole(after=after), between, draw)
                directory = directory.crashed(draw)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        seed += 1
    assert states.seen >= STATES / BLOCKS
