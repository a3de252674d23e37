"""Writes passageway/_generated/methods.py: every rpc, and whether it may be sent again."""

from generator import text
from generator.schema import Schema


def module(schema: Schema) -> str:
    """The text of the module of methods, one for each rpc."""
    lines = [
        '"""Every rpc of the contract as a Method. Generated from proto/; never edited."""',
        "",
        "from passageway._transport import Method",
        "from passageway.v1 import graph_pb2, read_pb2, search_pb2, store_pb2",
        "",
    ]
    for rpc in schema.rpcs.values():
        arguments = [
            f'"{rpc.path}"',
            schema.messages[rpc.request].symbol,
            schema.messages[rpc.response].symbol,
        ]
        if rpc.idempotent:
            arguments.append("idempotent=True")
        if rpc.client_streams:
            arguments.append("client_streams=True")
        lines += text.call(f"{text.constant(rpc.name)} = Method", arguments, indent=0)
    return "\n".join(lines) + "\n"
