"""The part of scipy.sparse that benches use."""

from typing import Any

from numpy.typing import NDArray

class csr_array:
    def __init__(
        self,
        arg1: tuple[NDArray[Any], tuple[NDArray[Any], NDArray[Any]]],
        shape: tuple[int, int] | None = None,
    ) -> None: ...
    def __matmul__(self, other: NDArray[Any]) -> NDArray[Any]: ...
