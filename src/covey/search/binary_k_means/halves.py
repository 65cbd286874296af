"""Halves of halves: a part of a table (at first all of it) is split in two, and each half likewise, on several cores.

How a part is split is said by `splits`.  Each part draws from a stream of its own (`search.kernels.streams`), whose
key comes from the seed and from where the part stands among the halves of halves: the result does not depend on the
cores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.codes import Codes
from covey.search.binary_k_means.splits import CHILD, Rows, Way, split_part
from covey.search.cores import cores_to_use, finished_parts
from covey.search.kernels.class_tree import point_values
from covey.search.kernels.streams import draw

__all__ = ["Demand", "Way", "halves_of_halves"]

BLOCK = 32_768
"""Parts of more rows are split one by one; smaller ones each by one core, to the end."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a class must satisfy: at least so many rows, and at most `allowed[rows]` of them of one value."""

    least: int
    values: IntVector
    """(n,) int64: the sensitive value of every row; empty if none is looked at"""
    allowed: IntVector
    """(n + 1,) int64; empty likewise"""
    n_values: int

    @classmethod
    def of_rows(cls, least: int) -> Demand:
        """Return the demand for so many rows and nothing else."""
        return cls(least, np.zeros(0, np.int64), np.zeros(0, np.int64), 0)


@dataclass(frozen=True, slots=True, order=True)
class _Part:
    """Places begin..end-1, with the key of their stream; classes is 0 where they may be split again."""

    begin: int
    end: int
    key: int
    classes: int


def halves_of_halves(codes: Codes, demand: Demand, way: Way, seed: int) -> IntVector:
    """Return the class of every row; it depends neither on BLOCK nor on the cores nor on `way.prune`."""
    codes, _ = codes.with_weights_near_one()
    rows = np.argsort(codes.row_tuple, kind="stable")
    narrow = codes.columns.astype(np.int32)  # one type, so that the kernel is compiled once
    measure = codes.prices
    points = point_values(narrow, codes.kinds, codes.positions, codes.offsets, codes.sizes)
    values = demand.values[rows] if len(demand.values) else demand.values
    most_codes = max(int(codes.sizes.max(initial=1)), demand.n_values)
    table = Rows(narrow, points, codes.row_tuple[rows], values, demand.allowed, most_codes)
    places = np.arange(codes.n_rows)
    local = np.empty(codes.n_rows, np.int64)

    def split(part: _Part) -> list[_Part]:
        run = slice(part.begin, part.end)
        once = part.end - part.begin > BLOCK
        classes, n_first = split_part(
            places[run], np.uint64(part.key), table, *measure, demand.least, way, once, local[run]
        )
        if classes > 0:
            return [_Part(part.begin, part.end, part.key, int(classes))]
        middle = part.begin + int(n_first)
        one, two = (int(draw(np.uint64(part.key), CHILD + h)) for h in range(2))
        return [_Part(part.begin, middle, one, 0), _Part(middle, part.end, two, 0)]

    # any whole number can be a seed: numpy makes 64 bits of it
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    labels = np.empty(codes.n_rows, np.int64)
    n_classes = 0
    for part in sorted(finished_parts(split, _Part(0, codes.n_rows, key, 0), cores_to_use())):
        run = slice(part.begin, part.end)
        labels[rows[places[run]]] = local[run] + n_classes
        n_classes += part.classes
    return labels
