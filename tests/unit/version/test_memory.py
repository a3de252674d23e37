"""What a version takes is counted while others read it."""

from passageway_server.version import memory
from passageway_server.version.memory import memory_bytes, memory_shares
from tests.unit.version.making import collection
from tests.unit.version.test_readying import ring


def test_shares_add_up_to_the_whole_and_name_the_arrays() -> None:
    kept = collection()
    kept.apply(ring(0))

    shares = memory_shares(kept.current)

    assert sum(shares.values()) == memory_bytes(kept.current)
    assert shares["nodes.ids.strings"] > 0


def test_what_others_remember_meanwhile_does_not_end_the_count() -> None:
    kept = collection()
    kept.apply(ring(0))
    known = kept.current.known
    counting = memory._arrays(known, "")

    next(counting)
    known["remembered meanwhile"] = ()

    assert list(counting)
