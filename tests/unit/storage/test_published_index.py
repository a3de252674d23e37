"""What stands in a published index, or a listing, is not trusted because it can be fetched."""

import pytest

from passageway_server.errors import FormatTooNew, SnapshotDamaged
from passageway_server.storage import records
from passageway_server.storage.published.index import (
    CURRENT,
    Index,
    Listing,
    Piece,
    Published,
    decode_index,
    decode_listing,
    encode_index,
    encode_listing,
)


def test_what_is_encoded_is_decoded() -> None:
    piece = Piece(2, 0, 300, 5, "a" * 64)
    index = Index("p", 7, {"debian": Published("0123abcd", 1, "b" * 64, 5, (piece,))})
    listing = Listing(b"manifest", {"out.offsets.npy": "c" * 64})

    assert decode_index(encode_index(index), CURRENT) == index
    assert decode_listing(encode_listing(listing), "listing") == listing
    assert decode_index(b"", CURRENT) == Index()


@pytest.mark.parametrize(
    "change",
    [
        {"collections": {"../up": {}}},
        {"collections": {"c": {"incarnation": "x"}}},
        {"collections": {"c": []}},
        {"publisher": 7},
        {"moves": -1},
        {"format": "1"},
    ],
)
def test_an_index_that_is_none_is_refused(change: dict[str, object]) -> None:
    record = records.decode(encode_index(Index("p", 1)), CURRENT)

    with pytest.raises(SnapshotDamaged):
        decode_index(records.encode({**record, **change}), CURRENT)


def test_a_later_format_is_refused_by_name() -> None:
    record = records.decode(encode_index(Index("p", 1)), CURRENT)

    with pytest.raises(FormatTooNew):
        decode_index(records.encode({**record, "format": 2}), CURRENT)
    with pytest.raises(FormatTooNew):
        decode_listing(records.encode({"format": 2}), "listing")


@pytest.mark.parametrize("file", ["../up.npy", "up", "/etc/x.npy", ".npy"])
def test_a_file_that_leads_elsewhere_is_refused(file: str) -> None:
    listing = records.encode({"format": 1, "manifest": b"", "files": {file: "0" * 64}})

    with pytest.raises(SnapshotDamaged):
        decode_listing(listing, "listing")
