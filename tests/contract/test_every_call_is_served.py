"""The server has every call of the contract, and no other."""

from passageway.v1 import graph_pb2, store_pb2
from passageway_server.wire.server import CALLS


def test_every_call_of_the_contract_is_served() -> None:
    named = {
        f"{service.name}/{method.name}"
        for file in (graph_pb2, store_pb2)
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }

    assert set(CALLS) == named
