"""What a store serves after a crash is a version that was made before it, and no older than what was acknowledged.

As in test_crash_states.py, with whole stores: records, settings, readers, tokens and keys. Each state that is recovered is
closed too, which writes snapshots, and crashes are looked at in the middle of that.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from passageway_server.version.store import Store
from tests.crash.forgetting import ForgettingDirectory
from tests.crash.sizes import scaled, seed_of
from tests.crash.stories import COLLECTIONS, KEEP, NOTHING, Bounds, Story, look, opened

BLOCKS = 5
STATES = scaled(400, least=20)
ACTS, RUNS, CRASHES = 8, 3, 4


class States:
    """Crash states that were recovered and looked at; ``seen`` counts them."""

    def __init__(self, looks: Mapping[str, str]) -> None:
        self.seen = 0
        self.looks = looks

    def check(
        self, directory: ForgettingDirectory, bounds: Mapping[str, Bounds], draw: Random
    ) -> Mapping[str, Bounds]:
        """Recover a state, and again where that, or the stop after it, was broken off; say what it was."""
        self.seen += 1
        with opened(directory) as store:
            found = self._found(store, bounds)
            store.close()
        after = draw.randint(0, directory.operations)
        for again in (directory.crashed(draw, after=after), directory.crashed(draw)):
            self.seen += 1
            with opened(again) as store:
                assert self._found(store, found) == found
                self._resend(store, found)
                store.close()
            assert again.misuses == []
        assert directory.misuses == []
        left = {finding.kind for finding in verify_folder(directory).findings}
        assert left <= {Kind.QUARANTINED, Kind.LEFTOVER}
        return found

    def after_a_kill(self, directory: ForgettingDirectory, bounds: Mapping[str, Bounds]) -> None:
        """Recover what a process left that was killed, all of which is there, and go on from it."""
        self.seen += 1
        with opened(directory) as store:
            self._resend(store, self._found(store, bounds))
            store.close()
        assert directory.misuses == []

    def _found(self, store: Store, bounds: Mapping[str, Bounds]) -> Mapping[str, Bounds]:
        """What a store serves, which must lie within the *bounds*."""
        assert not store.damaged
        assert set(store.names()) <= set(COLLECTIONS)
        found = dict.fromkeys(COLLECTIONS, NOTHING)
        for name, allowed in bounds.items():
            if name not in store.names():
                assert allowed.absent, name
                continue
            version = store.collection(name).current
            assert version.token in allowed.tokens[allowed.least :], (name, allowed)
            assert look(version) == self.looks[version.token], name
            kept = {one.name: one.version for one in store.snapshots(name)}.get(KEEP, "")
            assert kept in allowed.kept
            tokens = allowed.tokens[: allowed.tokens.index(version.token) + 1]
            found[name] = replace(
                allowed,
                tokens=tokens,
                least=len(tokens) - 1,
                absent=False,
                kept=frozenset({kept}),
            )
        return found

    @staticmethod
    def _resend(store: Store, found: Mapping[str, Bounds]) -> None:
        """Commits whose keys are known are answered as they were, and change nothing."""
        for name, there in found.items():
            for keyed in there.keyed[-2:]:
                collection = store.collection(name)
                assert collection.apply(keyed.batch, keyed.guard) == keyed.answer
                assert collection.current.token == there.tokens[-1]


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_store_serves_what_it_acknowledged_and_nothing_that_it_never_made(block: int) -> None:
    seen = 0
    seed = seed_of(block << 32)
    while seen < STATES / BLOCKS:
        draw = Random(seed)
        directory = ForgettingDirectory()
        looks: dict[str, str] = {}
        states = States(looks)
        bounds: Mapping[str, Bounds] = dict.fromkeys(COLLECTIONS, NOTHING)
        try:
            for _ in range(RUNS):
                story = Story(directory, draw, bounds)
                story.do(ACTS)
                story.close()
                looks |= story.looks
                assert directory.misuses == []
                for _ in range(CRASHES):
                    after = draw.randint(0, directory.operations)
                    crashed = directory.crashed(draw, after=after)
                    states.check(crashed, story.between(after), draw)
                    states.after_a_kill(directory.whole(after=after), story.between(after))
                last = directory.crashed(draw)
                bounds = states.check(last, story.between(directory.operations), draw)
                directory = last.whole()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        seen += states.seen
        seed += 1
    assert seen >= STATES / BLOCKS
