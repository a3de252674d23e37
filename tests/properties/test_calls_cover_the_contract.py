"""Every parameter of the read side is either tried by the random calls or named here with the reason."""

from random import Random
from typing import cast

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from passageway.v1 import store_pb2
from tests.oracle.graph import Graph
from tests.properties.calls import random_calls
from tests.properties.histories import random_history
from tests.properties.worlds import random_world

NOT_BUILT = {
    "DescribeRequest.if_revision",
}
"""Messages and fields that the server refuses by name, or does not look at, in this release."""

OF_THE_CLOCK = {
    "ExpandRequest.timeout_ms",
    "PathsRequest.timeout_ms",
    "LookupRequest.timeout_ms",
    "SearchRequest.timeout_ms",
    "ContextRequest.timeout_ms",
}
"""Fields whose answers depend on how fast the machine is: no oracle can tell them, so tests of their own do."""


def test_random_calls_set_every_parameter_that_is_built() -> None:
    tried: set[str] = set()
    asked: set[type[Message]] = set()
    for seed in range(150):
        drawn = random_world(seed, 12, 30)
        graph = Graph(drawn.world, admin=True)
        for _, request in random_calls(Random(seed), graph, list(drawn.world.nodes)):
            asked.add(type(request))
            _note(request, tried)

    wanted = {name for message in asked for name in _parameters(message)}

    assert wanted - tried - NOT_BUILT - OF_THE_CLOCK - OF_VERSIONS == set()


OF_VERSIONS = {"ReadOptions.at_version", "ReadOptions.at_least_version"}
"""What a call gets from the history that it is asked in (chronicle.py)."""

SETTINGS_IN_ANSWERS = {
    "Collection.version",
    "Collection.nodes",
    "Collection.edges",
    "Collection.passages",
    "Collection.memory_bytes",
    "Collection.created_at",
    "Timestamp.seconds",
    "Timestamp.nanos",
    "Collection.damage",
}
"""What the server counts, and nobody sets."""


def test_random_worlds_set_every_setting_that_is_built() -> None:
    tried: set[str] = set()
    for seed in range(150):
        _note(random_history(seed, 12, 30, steps=0).settings, tried)

    wanted = _parameters(store_pb2.Collection)

    told_elsewhere = {"NodeType", "EdgeType", "Route"}  # in words, which Describe hands on
    missing = wanted - tried - SETTINGS_IN_ANSWERS
    assert {name for name in missing if name.partition(".")[0] not in told_elsewhere} == set()


def test_random_callers_are_of_every_sort() -> None:
    callers = [caller for seed in range(150) for caller in random_world(seed, 12, 30).callers]

    sorts = {
        ("admin" in one.roles, one.on_behalf_of is not None, bool(one.audiences)) for one in callers
    }
    assert len(sorts) == 8


def _note(message: Message, tried: set[str]) -> None:
    """Add the fields that are set in *message*, and in the messages in it."""
    for field, value in message.ListFields():
        tried.add(f"{message.DESCRIPTOR.name}.{field.name}")
        if isinstance(value, Message):
            _note(value, tried)
        elif field.message_type and not field.message_type.GetOptions().map_entry:
            for part in value:
                _note(part, tried)


def _parameters(message: type[Message]) -> set[str]:
    """The fields of a message and of the messages in it, such as ``Hop.decay``."""
    descriptor = message.DESCRIPTOR
    if descriptor.name in NOT_BUILT:
        return set()
    names: set[str] = set()
    for field in descriptor.fields:
        name = f"{descriptor.name}.{field.name}"
        names.add(name)
        inner = field.message_type
        if inner is descriptor:  # a query beside a query
            continue
        if inner and not inner.GetOptions().map_entry and name not in NOT_BUILT:
            names |= _parameters(GetMessageClass(cast(Descriptor, inner)))
    return names
