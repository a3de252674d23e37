"""protoc as a function; it returns its exit code."""

from collections.abc import Sequence

def main(command_arguments: Sequence[str]) -> int: ...
