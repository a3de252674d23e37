"""What a replica says to those who ask for what it does not do."""

from pathlib import Path

import pytest

from passageway_server.wire.replica import Replica
from passageway_server.wire.server import Settings
from tests.wire.serving import Failed, Keys
from tests.workers.test_replicas import primary, running


def test_a_replica_asks_the_role_first_and_tells_admins_alone_what_it_follows(
    tmp_path: Path,
) -> None:
    keys = Keys(tmp_path)
    for sub, role in (("root", "admin"), ("wim", "writer"), ("ada", "reader")):
        keys.add(sub, roles=[role])
    data = tmp_path / "data"
    refusals: dict[str, Failed] = {}
    with (
        running(primary(data, tokens=keys.file)),
        running(
            Replica(Settings(listen="127.0.0.1:0", follow=str(data), tokens=keys.file))
        ) as second,
    ):
        for sub in ("root", "wim", "ada"):
            second.metadata = keys.of(sub)
            with pytest.raises(Failed) as refused:
                second.put("a")
            refusals[sub] = refused.value
        for change in (lambda: second.delete("c"), lambda: list(second.load([], keys.of("ada")))):
            with pytest.raises(Failed, match="PERMISSION_DENIED"):
                change()
        second.metadata = keys.of("wim")
        with pytest.raises(Failed, match="PERMISSION_DENIED"):
            second.delete("c")

    assert refusals["ada"].code == "PERMISSION_DENIED"
    assert [refusals[sub].info.reason for sub in ("root", "wim")] == ["REPLICA", "REPLICA"]
    assert str(data) in refusals["root"].text
    assert str(data) not in f"{refusals['wim'].text}{refusals['wim'].status}"
