"""Which class should a class be merged with?"""

from __future__ import annotations

import numpy as np

from covey.codes.prices import extent
from covey.compiled.kernel import kernel

__all__ = ["nearest_class"]


@kernel
def nearest_class(measure, low, high, rows, extents, loser):
    """Return the class with rows with which `loser` merges at the least growth of the loss; ties: the lowest."""
    least, most = np.empty(low.shape[1], np.int64), np.empty(low.shape[1], np.int64)
    best, home = np.inf, -1
    for c in range(rows.shape[0]):
        if c == loser or rows[c] == 0:
            continue
        for j in range(low.shape[1]):
            least[j] = min(low[c, j], low[loser, j])
            most[j] = max(high[c, j], high[loser, j])
        joined = (rows[c] + rows[loser]) * extent(measure, least, most)
        growth = joined - rows[c] * extents[c] - rows[loser] * extents[loser]
        if growth < best:
            best, home = growth, c
    return home
