"""A server that is killed, over and over, while several write: what it acknowledged is there when it is up again."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.crash.servers import Calls, Hatchery, hatchery
from tests.crash.sizes import KILLS, seed_of
from tests.crash.writers import NAME, Writer, writing

WRITERS = 3


@pytest.fixture(scope="module")
def servers() -> Iterator[Hatchery]:
    with hatchery() as servers:
        yield servers


def test_no_acknowledged_commit_is_lost_however_often_the_server_is_killed(
    servers: Hatchery, tmp_path: Path
) -> None:
    draw, data = Random(seed_of(4)), tmp_path / "data"
    writers = [Writer(f"w{number}", tmp_path) for number in range(WRITERS)]
    running = servers.serve(data)
    with Calls.to(running.address) as calls:
        calls.create(NAME)

    for _ in range(KILLS):
        with writing(writers, running.address) as done:
            for _ in range(draw.choice((0, 1, 2, 5, 15))):
                done.acquire()
            running.kill()

        running = servers.serve(data)
        with Calls.to(running.address) as calls:
            for writer in writers:
                writer.check([calls])

    with Calls.to(running.address) as calls:
        for writer in writers:
            writer.check([calls], anew=True)
    running.kill()
