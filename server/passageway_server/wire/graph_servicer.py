"""GraphService: the read side, call by call."""

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from passageway.v1 import graph_pb2, read_pb2
from passageway_server.authz.callers import Caller
from passageway_server.service.describe import describe
from passageway_server.service.expand import expand
from passageway_server.service.get import get
from passageway_server.service.lookup import lookup
from passageway_server.service.paths import paths
from passageway_server.service.slice import slice_
from passageway_server.version.store import Store
from passageway_server.wire.dispatch import Call, Response, Unary, Unbuilt
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages import describe as describe_messages
from passageway_server.wire.messages import expand as expand_messages
from passageway_server.wire.messages import get as get_messages
from passageway_server.wire.messages import lookup as lookup_messages
from passageway_server.wire.messages import paths as paths_messages
from passageway_server.wire.messages import slice as slice_messages


def _read(
    request: type[Message],
    from_message: Callable[[Any, Findings], Any],
    serve: Callable[[Store, Caller, Any], Any],
    to_message: Callable[[Any], Response],
) -> Unary:
    return Unary(request, from_message, serve, lambda answer, _: to_message(answer), reads=True)


CALLS: Mapping[str, Call] = {
    "GraphService/Expand": _read(
        graph_pb2.ExpandRequest, expand_messages.from_message, expand, expand_messages.to_message
    ),
    "GraphService/Paths": _read(
        graph_pb2.PathsRequest, paths_messages.from_message, paths, paths_messages.to_message
    ),
    "GraphService/Slice": _read(
        read_pb2.SliceRequest, slice_messages.from_message, slice_, slice_messages.to_message
    ),
    "GraphService/Lookup": _read(
        read_pb2.LookupRequest, lookup_messages.from_message, lookup, lookup_messages.to_message
    ),
    "GraphService/Get": _read(
        read_pb2.GetRequest, get_messages.from_message, get, get_messages.to_message
    ),
    "GraphService/Describe": _read(
        read_pb2.DescribeRequest,
        describe_messages.from_message,
        describe,
        describe_messages.to_message,
    ),
    "GraphService/Search": Unbuilt("Search"),
    "GraphService/Context": Unbuilt("Context"),
}
"""Every call of the service."""
