"""GraphService: the read side, call by call."""

from collections.abc import Mapping

from passageway.v1 import graph_pb2, read_pb2, search_pb2
from passageway_server.service.context import context
from passageway_server.service.describe import describe
from passageway_server.service.expand import expand
from passageway_server.service.get import get
from passageway_server.service.lookup import lookup
from passageway_server.service.paths import paths
from passageway_server.service.search import search
from passageway_server.service.slice import slice_
from passageway_server.wire.dispatch import Call, Reading
from passageway_server.wire.messages import context as context_messages
from passageway_server.wire.messages import describe as describe_messages
from passageway_server.wire.messages import expand as expand_messages
from passageway_server.wire.messages import get as get_messages
from passageway_server.wire.messages import lookup as lookup_messages
from passageway_server.wire.messages import paths as paths_messages
from passageway_server.wire.messages import search as search_messages
from passageway_server.wire.messages import slice as slice_messages

CALLS: Mapping[str, Call] = {
    "GraphService/Expand": Reading(
        graph_pb2.ExpandRequest, expand_messages.from_message, expand, expand_messages.to_message
    ),
    "GraphService/Paths": Reading(
        graph_pb2.PathsRequest, paths_messages.from_message, paths, paths_messages.to_message
    ),
    "GraphService/Slice": Reading(
        read_pb2.SliceRequest, slice_messages.from_message, slice_, slice_messages.to_message
    ),
    "GraphService/Lookup": Reading(
        read_pb2.LookupRequest, lookup_messages.from_message, lookup, lookup_messages.to_message
    ),
    "GraphService/Get": Reading(
        read_pb2.GetRequest, get_messages.from_message, get, get_messages.to_message
    ),
    "GraphService/Describe": Reading(
        read_pb2.DescribeRequest,
        describe_messages.from_message,
        describe,
        describe_messages.to_message,
    ),
    "GraphService/Search": Reading(
        search_pb2.SearchRequest, search_messages.from_message, search, search_messages.to_message
    ),
    "GraphService/Context": Reading(
        search_pb2.ContextRequest,
        context_messages.from_message,
        context,
        context_messages.to_message,
    ),
}
"""Every call of the service."""
