"""Named snapshots as messages."""

from collections.abc import Sequence

from passageway.v1 import store_pb2
from passageway_server.values.collections import SnapshotState
from passageway_server.wire.messages.pages import page
from passageway_server.wire.values import set_time


def to_message(state: SnapshotState) -> store_pb2.Snapshot:
    message = store_pb2.Snapshot(
        collection=state.collection, name=state.name, version=state.version, bytes=state.bytes
    )
    set_time(message.created_at, state.created_at)
    return message


def to_listing(
    states: Sequence[SnapshotState], message: store_pb2.ListSnapshotsRequest
) -> store_pb2.ListSnapshotsResponse:
    """The page of *states* that *message* asks for."""
    shown, token = page(
        states,
        name=lambda state: state.name,
        size=message.page_size,
        token=message.page_token,
    )
    return store_pb2.ListSnapshotsResponse(
        snapshots=[to_message(state) for state in shown], next_page_token=token
    )
