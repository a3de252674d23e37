"""Describe: the declared map, and what of it a caller sees."""

from passageway.v1 import read_pb2
from passageway_server.values.answers import DescribeAnswer
from passageway_server.values.halt import Halt
from passageway_server.values.requests import DescribeRequest
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.ontology import ontology_to_message
from passageway_server.wire.messages.options import read_options


def from_message(message: read_pb2.DescribeRequest, findings: Findings) -> DescribeRequest:
    return DescribeRequest(
        collection=message.collection,
        read=read_options(message.read, findings),
        if_revision=message.if_revision,
    )


def to_message(answer: DescribeAnswer, halt: Halt) -> read_pb2.DescribeResponse:
    message = read_pb2.DescribeResponse(
        version=answer.version,
        collection=answer.collection,
        description=answer.description,
        revision=answer.revision,
        collections=answer.collections,
    )
    ontology = ontology_to_message(answer.ontology)
    if ontology.ByteSize():
        message.ontology.CopyFrom(ontology)
    for observed in answer.types:
        message.types.add(name=observed.name, count=observed.count)
    for route in paced(answer.routes, halt):
        message.routes.add(
            source_type=route.source_type,
            edge_type=route.edge_type,
            target_type=route.target_type,
            count=route.count,
        )
    for field in answer.fields:
        message.fields.add(
            name=field.name,
            kind=field.kind.value,
            repeated=field.repeated,
            declared=field.declared,
        )
    return message
