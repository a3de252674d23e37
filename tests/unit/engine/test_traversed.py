"""Traversed edges: each once, by the first hop that followed it, then by number."""

import random

import numpy as np
import pytest

from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.traversed import DIGITS, first_followed
from passageway_server.values.halt import UNHALTED

MOST_ROWS = 50


@pytest.mark.parametrize("most", [1, 40, 1 << 11, (1 << 11) + 1, 1 << 22, 2**31 - 1])
@pytest.mark.parametrize("least", [0, -1, -(2**31)])
def test_the_first_entry_of_each_edge_between_reached_nodes_comes_by_hop_then_number(
    most: int, least: int
) -> None:
    for seed in range(40):
        rng = random.Random(seed)
        numbers = [rng.randint(least, most) for _ in range(rng.randint(0, 60))]
        entries = [
            (rng.choice([*numbers, rng.randint(least, most)]), rng.randrange(MOST_ROWS), hop)
            for hop in (1, 2, 3)
            for _ in range(rng.randint(0, 120))
        ]
        reached = [rng.randint(0, 2) for _ in range(MOST_ROWS)]
        firsts: dict[int, int] = {}
        for entry, (number, other, _) in enumerate(entries):
            if reached[other]:
                firsts.setdefault(number, entry)

        chosen, spare = np.empty((2, len(entries)), dtype=np.int32)
        count = first_followed(
            np.array([number for number, _, _ in entries], dtype=np.int32),
            np.array([other for _, other, _ in entries], dtype=np.int32),
            np.array([hop for _, _, hop in entries], dtype=np.uint8),
            np.array(reached, dtype=np.int32),
            chosen,
            spare,
            np.empty(DIGITS, dtype=np.int64),
            sealed(UNHALTED.flag),
        )

        expected = sorted(firsts.values(), key=lambda entry: (entries[entry][2], entries[entry][0]))
        assert chosen[:count].tolist() == expected, seed
