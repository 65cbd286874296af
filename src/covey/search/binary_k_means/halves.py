"""Halves of halves: a part of a table (at first all of it) is split in two, and each half likewise, on several cores.

How a part is split is said by `splits`.  Each part draws from a stream of its own (`search.kernels.streams`), whose
key comes from the seed and from where the part stands among the halves of halves: the result does not depend on the
cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.codes import TableCodes
from covey.codes.tallies import Tally
from covey.columns.kept import KeptColumn
from covey.search.binary_k_means.splits import CHILD, Rows, Way, split_part
from covey.search.cores import Part, cores_to_use, finished_parts, numbered
from covey.search.demand import Demand
from covey.search.kernels.class_tree import point_values
from covey.search.kernels.streams import draw

__all__ = ["Way", "halves_of_halves"]

BLOCK = 32_768
"""Parts of more rows are split one by one; smaller ones each by one core, to the end."""


def halves_of_halves(
    codes: TableCodes, demand: Demand, way: Way, seed: int, kept: Mapping[str, KeptColumn] | None = None
) -> IntVector:
    """Return the class of every row; it depends neither on BLOCK nor on the cores nor on `way.prune`.

    kept: the columns that the demand speaks of.
    """
    codes, _ = codes.with_weights_near_one()
    rows = np.argsort(codes.row_tuple, kind="stable")
    points = point_values(codes.narrow, codes.measure)
    places = np.arange(codes.n_rows)
    tallies = {
        name: Tally(np.arange(codes.n_rows + 1), column.codes[rows], np.ones(codes.n_rows, np.int64), column.size)
        for name, column in (kept or {}).items()
    }
    needs = demand.needs(np.ones(codes.n_rows, np.int64), tallies)
    table = Rows(codes.narrow, points, codes.row_tuple[rows], needs, int(codes.sizes.max(initial=1)))
    local = np.empty(codes.n_rows, np.int64)

    def split(part: Part) -> list[Part]:
        run = slice(part.begin, part.end)
        once = part.end - part.begin > BLOCK
        classes, n_first = split_part(places[run], np.uint64(part.key), table, codes.measure, way, once, local[run])
        if classes > 0:
            return [replace(part, classes=int(classes))]
        middle = part.begin + int(n_first)
        one, two = (int(draw(np.uint64(part.key), CHILD + h)) for h in range(2))
        return [Part(part.begin, middle, key=one), Part(middle, part.end, key=two)]

    # any whole number can be a seed: numpy makes 64 bits of it
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    parts = finished_parts(split, Part(0, codes.n_rows, key=key), cores_to_use())
    labels = np.empty(codes.n_rows, np.int64)
    labels[rows[places]] = numbered(parts, local)
    return labels
