"""Arrow's reader of JSON."""

from typing import Any

def __getattr__(name: str) -> Any: ...
