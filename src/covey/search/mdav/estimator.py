"""MDAV, maximum distance to average vector (Domingo-Ferrer and Torra 2005): the standard of microaggregation.

While 3k or more rows are free, the row furthest from their centroid and its k - 1 nearest form a class,
then the row furthest from that one and its k - 1 nearest.  Of 2k to 3k - 1 rows one more such class is
made; the rest, k to 2k - 1 rows, is the last one.

Source: Domingo-Ferrer and Torra, 2005.  On the CASC reference sets it gives the published sums of squares
(benchmarks/BARS.md).  With `release="centre"` it is microaggregation as that literature knows it.
Distance: where all columns are ordered and nothing is missing, the sum of weight x squared difference of standardised
positions (mean 0, population standard deviation 1 over the rows; a constant column is 0).  Positions are values up to
scale, so these are the standardised values.  Otherwise the extent of the two; there the centroid has the mean position
of the values that are not missing (a column with none left tells nothing), and the most frequent category (the lowest
code of equally frequent ones), also in a tree.  The paper is for numbers; the rest is a decision of covey.
Guarantee: every class has k rows, the last one k to 2k - 1.
Cost: O(rows^2 x columns / k) time, O(rows x columns) memory.
Ties: lowest row; distances that agree to nine digits (30 bits) are ties, for standardised values are no simple
fractions.  The order of the rows matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.base.checks import at_least
from covey.codes.codes import are_numbers, standardised
from covey.search.estimator import Estimator, parameter
from covey.search.mdav.kernels import SQUARED, form_classes
from covey.search.task import Found, Task

__all__ = ["MDAV"]


@dataclass(eq=False, repr=False)
class MDAV(Estimator):
    """Classes of `k` rows around the rows furthest from the centroid, the last one of up to `2k - 1`.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> MDAV(k=2).labels(codes)
    array([1, 0, 1, 0, 1])
    """

    k: int = parameter(5, at_least(2))

    needs_rows = True

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered in the order in which they are made."""
        codes = task.table
        values, measure = codes.row_values(), codes.measure
        if are_numbers(codes, values):
            measure = measure._replace(kinds=np.full(len(codes.kinds), SQUARED, np.uint8))
            values = np.stack([standardised(column) for column in values])
        return Found(of_row=form_classes(values, measure, task.k))
