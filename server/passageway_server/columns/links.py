"""Links: the edges that stand in a row itself, packed behind one another: which ids does a row
name?

The links of one row are contiguous (`Nodes.first_link`, `Nodes.link_count`), put together and in
stored order. A row that is put again gets new ones at the end; the old ones stay behind, named by
no row.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.remembered import Followed

_STORED = ("source", "target", "field")


@dataclass(frozen=True, slots=True)
class Links:
    """Links, span edges included, in the order in which they were put."""

    source: Growing[np.int32]  # row
    target: Growing[np.int32]  # row
    field: Growing[np.int32]  # edge type
    followed: Followed = dataclasses.field(default_factory=Followed, compare=False)

    @classmethod
    def none(cls) -> "Links":
        """No links."""
        none = Growing(np.empty(0, dtype=np.int32))
        return cls(none, none, none)

    def __len__(self) -> int:
        return len(self.source)

    def extended(
        self, source: NDArray[np.int32], target: NDArray[np.int32], field: NDArray[np.int32]
    ) -> "Links":
        """These links with more behind them."""
        return Links(
            self.source.extended(source),
            self.target.extended(target),
            self.field.extended(field),
        )

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {name: getattr(self, name).array for name in _STORED}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Links":
        """The inverse of `arrays`."""
        return cls(**{name: Growing(arrays[name]) for name in _STORED})  # type: ignore[arg-type]
