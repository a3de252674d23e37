"""Get: ids, and the rows behind them."""

from passageway.v1 import read_pb2
from passageway_server.values.answers import GetAnswer
from passageway_server.values.halt import Halt
from passageway_server.values.requests import GetRequest
from passageway_server.wire.ending import paced
from passageway_server.wire.findings import Findings
from passageway_server.wire.messages.options import optional, read_options
from passageway_server.wire.messages.rows import set_node


def from_message(message: read_pb2.GetRequest, findings: Findings) -> GetRequest:
    return GetRequest(
        collection=message.collection,
        ids=tuple(message.ids),
        read=read_options(message.read, findings),
        fields=tuple(message.fields),
        content_max_chars=optional(message, "content_max_chars"),
    )


def to_message(answer: GetAnswer, halt: Halt) -> read_pb2.GetResponse:
    message = read_pb2.GetResponse(version=answer.version, unresolved=answer.unresolved)
    for row in paced(answer.nodes, halt):
        set_node(message.nodes.add(), row)
    return message
