"""Bytes on one side, plain values on the other: messages, errors, the servicers and the server. The only door to gRPC."""
