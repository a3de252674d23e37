"""The contract only grows: a client of the first release still understands a server of this one."""

import pytest

from tests.contract.surface import FILES, WRITTEN_DOWN, surface

FIRST = WRITTEN_DOWN.read_text(encoding="utf-8").splitlines()


def test_nothing_that_was_written_down_is_gone_or_has_another_number_or_type() -> None:
    now = set(surface())

    assert [line for line in FIRST if line not in now] == []


def test_no_number_is_used_twice_over_the_releases() -> None:
    places = [
        tuple(line.split()[:3]) for line in {*FIRST, *surface()} if not line.startswith("rpc")
    ]

    assert len(places) == len(set(places))


@pytest.mark.parametrize("kind", ["rpc", "field", "value"])
def test_every_kind_of_thing_is_written_down(kind: str) -> None:
    assert any(line.startswith(f"{kind} ") for line in FIRST)


def test_every_file_of_the_contract_is_looked_at() -> None:
    proto = WRITTEN_DOWN.parents[2] / "proto" / "passageway" / "v1"

    assert {file.name.rpartition("/")[2] for file in FILES} == {
        path.name for path in proto.glob("*.proto")
    }
