"""How kernels are compiled: once, for the types they name, and cached beside their source."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from passageway_server.values.halt import GOES_ON, OUT_OF_TIME

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


def _above(most: int) -> Callable[..., Any]:
    """Code that tells whether the byte of an array is more than *most*."""

    def look(typing: Any, stop: Any) -> Any:  # noqa: ARG001  (numba's context)
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            byte = builder.load_atomic(array.data, ordering="monotonic", align=1)
            bound: Any = ir.Constant(byte.type, most)  # type: ignore[no-untyped-call]
            return builder.icmp_unsigned(">", byte, bound)

        return types.boolean(stop), generate

    return look


halted = cast(Callable[[NDArray[np.uint8]], bool], intrinsic(_above(GOES_ON)))
"""Whether the call is to stop, by the byte of an array. Other threads set it, so each call looks at
the memory anew.
"""

abandoned = cast(Callable[[NDArray[np.uint8]], bool], intrinsic(_above(OUT_OF_TIME)))
"""Whether the call is over, so that nobody waits for what is being made. Time that is spent is not
enough: what can be answered with is made whole.
"""


LOOK = 1 << 10
"""Steps of a loop between one look at its halt and the next: some microseconds, or some milliseconds
where each step touches a page of new memory.
"""


@inlined
def is_turn(step: Int) -> bool:
    """Whether a loop looks at its halt in this *step*: in one of `LOOK` side by side."""
    return bool(step & (LOOK - 1) == 0)
