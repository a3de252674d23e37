"""Numba's types as signatures write them: a scalar called is a signature, a scalar sliced an array."""

from typing import Any

class Type:
    def __call__(self, *arguments: Type) -> Type: ...
    def __getitem__(self, dimensions: slice | tuple[slice, ...]) -> Type: ...

class Array(Type):
    def __init__(
        self, dtype: Type, ndim: int, layout: str, readonly: bool = False, **options: Any
    ) -> None: ...

class UniTuple(Type):
    def __init__(self, dtype: Type, count: int) -> None: ...

class Tuple(Type):
    def __new__(cls, types: tuple[Type, ...] | list[Type]) -> Tuple: ...

class NamedTuple(Type):
    def __init__(self, types: tuple[Type, ...], cls: type[tuple[Any, ...]]) -> None: ...

class NamedUniTuple(Type):
    def __init__(self, dtype: Type, count: int, cls: type[tuple[Any, ...]]) -> None: ...

boolean: Type
bool_: Type
uint8: Type
int8: Type
uint16: Type
int16: Type
int32: Type
uint32: Type
int64: Type
uint64: Type
float32: Type
float64: Type
void: Type
none: Type
