"""Plain maps as msgpack, and files that are no such thing."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.records import Limits, decode, encode

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=20),
    max_leaves=30,
)


def nested(levels: int) -> dict[str, object]:
    """A map in a map, that many in all."""
    value: dict[str, object] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


@given(st.dictionaries(st.text(), _VALUES, max_size=20))
def test_what_is_encoded_comes_back(record: dict[str, object]) -> None:
    assert decode(encode(record), "f") == record


@given(st.dictionaries(st.text(), _VALUES, max_size=5), st.data())
def test_a_record_that_is_cut_is_refused(record: dict[str, object], data: st.DataObject) -> None:
    packed = encode(record)
    cut = data.draw(st.integers(0, len(packed) - 1))

    with pytest.raises(SnapshotDamaged):
        decode(packed[:cut], "f")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_map_or_damage(packed: bytes) -> None:
    record: dict[str, object] = {}
    with suppress(SnapshotDamaged):
        record = decode(packed, "f")

    assert isinstance(record, dict)


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\x01",
        b"\x90",
        b"\xc1",
        b"\x80\x00",
        b"\x81\x01\x01",
        b"\x81\xc4\x01a\x01",
        b"\x82\xa1a\x01\xa1a\x02",
        b"\x81\xa1a\x81\xa1b\x82\xa1c\x01\xa1c\x01",
        b"\x81\xa1a\xd6\xff\x00\x00\x00\x00",
        b"\x81\xa1a\xd4\x05\x00",
        b"\x81\xa1a\xc7\x00\x05",
        b"\x81\xa1a\xa2\xff\xff",
        b"\x81\xa1a\xdd\xff\xff\xff\xff",
        b"\x81\xa1a\xdf\xff\xff\xff\xff",
        b"\x81\xa1a\xdb\xff\xff\xff\xff",
        b"\x81\xa1a" + b"\x91" * 31 + b"\x90",
        b"\x81\xa1a" + b"\xdc\xff\xff" * 5000,
        b"\x81\xa1a" + b"\x91" * 200_000 + b"\xc0",
    ],
    ids=lambda packed: repr(packed[:12]),
)
def test_bytes_that_are_no_plain_map_are_refused_by_the_name_of_the_file(packed: bytes) -> None:
    with pytest.raises(SnapshotDamaged) as refused:
        decode(packed, "debian/x.msgpack")

    assert refused.value.file == "debian/x.msgpack"
    assert refused.value.reason == "SNAPSHOT_DAMAGED"


def test_thirty_two_levels_are_read_and_no_more() -> None:
    assert decode(encode(nested(32)), "f") == nested(32)
    with pytest.raises(ValueError, match="levels"):
        encode(nested(33))
    with pytest.raises(SnapshotDamaged):
        decode(msgpack.packb(nested(33)), "f")


def test_more_values_or_bytes_than_the_limits_allow_are_refused() -> None:
    packed = encode({"a": [1, 2, 3]})

    assert decode(packed, "f", limits=Limits(bytes=len(packed), values=6)) == {"a": [1, 2, 3]}
    with pytest.raises(SnapshotDamaged):
        decode(packed, "f", limits=Limits(values=5))
    with pytest.raises(SnapshotDamaged):
        decode(packed, "f", limits=Limits(bytes=len(packed) - 1))


@pytest.mark.parametrize(
    "record",
    [{"a": 2**64}, {"a": datetime(2024, 1, 1, tzinfo=UTC)}, {"a": {1: 2}}, {"a": "\ud800"}],
    ids=["a long int", "a time", "a key that is no string", "a lone surrogate"],
)
def test_what_could_not_be_read_is_not_encoded(record: Mapping[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        encode(record)
