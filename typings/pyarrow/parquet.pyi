"""Arrow's reader and writer of Parquet."""

from typing import Any

def __getattr__(name: str) -> Any: ...
