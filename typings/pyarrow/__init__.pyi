"""Arrow's arrays and types; it brings no types of its own."""

from typing import Any

def __getattr__(name: str) -> Any: ...
