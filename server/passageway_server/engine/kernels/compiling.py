"""How kernels are compiled: once, for the types they name, and cached beside their source."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

Int = Any
Real = Any
"""A number out of an array, which the type checkers take for an array of its own."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel(signature: types.Type) -> Callable[[_Function], _Function]:
    """Compile a function that makes no arrays of its own; it runs without the interpreter's lock.

    Numba counts references to the arrays of a group each time that one is fetched, with an atomic
    add: a walk took four times as long. A kernel borrows its arrays from the caller, so nothing
    needs to be counted.
    """
    return njit(signature, nogil=True, cache=True, _nrt=False)


def direct(compiled: _Function) -> _Function:
    """A kernel of one signature without numba's look at its arguments, which takes longer than a
    short one runs.

    The caller alone answers for the types. Other kernels call the kernel itself.
    """
    (only,) = compiled.overloads.values()  # type: ignore[attr-defined]
    entry: _Function = only.entry_point
    return entry


def inlined(function: _Function) -> _Function:
    """Put the body of *function* in the place of each call from a kernel."""
    compiled: _Function = njit(inline="always")(function)
    return compiled


def _load(typing: Any, stop: Any) -> Any:  # noqa: ARG001  (numba's context)
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = builder.load_atomic(array.data, ordering="monotonic", align=1)
        zero: Any = ir.Constant(byte.type, 0)  # type: ignore[no-untyped-call]
        return builder.icmp_unsigned("!=", byte, zero)

    return types.boolean(stop), generate


halted = cast(Callable[[NDArray[np.uint8]], bool], intrinsic(_load))
"""Whether the byte of an array is set. Other threads set it, so each call looks at the memory anew."""
