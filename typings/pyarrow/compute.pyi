"""Arrow's functions over arrays."""

from typing import Any

def __getattr__(name: str) -> Any: ...
