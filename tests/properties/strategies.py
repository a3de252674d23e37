"""What hypothesis draws: a seed and two sizes. Everything else follows from them, so a failure is small to read."""

import os

from hypothesis import strategies as st

OF_CI = 1000
"""Graphs by day: on each, a caller makes one to three calls of every kind."""

GRAPHS = int(os.environ.get("PASSAGEWAY_GRAPHS", OF_CI))
"""Graphs that each property is tried on."""

seeds = st.integers(0, 2**32 - 1)
node_counts = st.integers(4, 60)
edge_counts = st.integers(0, 150)
