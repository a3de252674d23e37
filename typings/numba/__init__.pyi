"""The part of numba that engine/kernels uses: a compiled function keeps its Python type."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import types as types

_F = TypeVar("_F", bound=Callable[..., Any])

def njit(
    signature_or_function: str | types.Type | list[str] | list[types.Type] | None = None,
    /,
    *,
    nogil: bool = False,
    cache: bool = False,
    inline: str = "never",
    boundscheck: bool | None = None,
    error_model: str = "python",
    locals: dict[str, types.Type] = ...,
    _nrt: bool = True,
) -> Callable[[_F], _F]: ...

boolean: types.Type
uint8: types.Type
int8: types.Type
int16: types.Type
uint16: types.Type
int32: types.Type
uint32: types.Type
int64: types.Type
uint64: types.Type
float32: types.Type
float64: types.Type
void: types.Type
b1: types.Type
u1: types.Type
i4: types.Type
i8: types.Type
u4: types.Type
u8: types.Type
f8: types.Type
