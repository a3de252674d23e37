"""The part of msgpack that storage/records.py uses."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, Self

from typing_extensions import Buffer

class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

class ExtType:
    code: int
    data: bytes
    def __new__(cls, code: int, data: bytes) -> Self: ...

class Timestamp:
    seconds: int
    nanoseconds: int
    def __init__(self, seconds: int, nanoseconds: int = 0) -> None: ...

class Packer:
    def __init__(
        self,
        *,
        default: Callable[[Any], Any] | None = None,
        use_single_float: bool = False,
        autoreset: bool = True,
        use_bin_type: bool = True,
        strict_types: bool = False,
        datetime: bool = False,
        unicode_errors: str | None = None,
        buf_size: int = 262144,
    ) -> None: ...
    def pack(self, obj: object, /) -> bytes: ...
    def pack_array_header(self, size: int, /) -> bytes: ...
    def pack_map_header(self, size: int, /) -> bytes: ...
    def bytes(self) -> bytes: ...
    def reset(self) -> None: ...

class Unpacker:
    def __init__(
        self,
        file_like: _Readable | None = None,
        *,
        read_size: int = 0,
        use_list: bool = True,
        raw: bool = False,
        timestamp: int = 0,
        strict_map_key: bool = True,
        object_hook: Callable[[dict[Any, Any]], Any] | None = None,
        object_pairs_hook: Callable[[list[tuple[Any, Any]]], Any] | None = None,
        list_hook: Callable[[list[Any]], Any] | None = None,
        unicode_errors: str | None = None,
        max_buffer_size: int = 104857600,
        ext_hook: Callable[[int, bytes], Any] = ...,
    ) -> None: ...
    def feed(self, next_bytes: Buffer, /) -> None: ...
    def unpack(self) -> Any: ...
    def skip(self) -> None: ...
    def tell(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> Any: ...

def packb(
    o: object,
    *,
    default: Callable[[Any], Any] | None = None,
    use_single_float: bool = False,
    use_bin_type: bool = True,
    strict_types: bool = False,
    datetime: bool = False,
    unicode_errors: str | None = None,
) -> bytes: ...
def unpackb(
    packed: Buffer,
    *,
    use_list: bool = True,
    raw: bool = False,
    timestamp: int = 0,
    strict_map_key: bool = True,
    object_hook: Callable[[dict[Any, Any]], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[Any, Any]]], Any] | None = None,
    list_hook: Callable[[list[Any]], Any] | None = None,
    unicode_errors: str | None = None,
    ext_hook: Callable[[int, bytes], Any] = ...,
) -> Any: ...
