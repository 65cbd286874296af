"""l-diversity: how many values a class has, and how many of its rows have the commonest one.

All of it is exact: a level is a whole number or a fraction, and what is asked is read as it is written (2.1 is 21/10).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from covey.verifier.levels.histograms import Histograms, Judged

__all__ = ["distinct_l_diversity", "frequency_l_diversity"]


def distinct_l_diversity(classes: Histograms, l: Fraction) -> Judged:  # noqa: E741
    """Count the different sensitive values of each class (Machanavajjhala et al., 2007).

    >>> distinct_l_diversity(Histograms.of_counts([[2, 1, 1], [4, 1]]), Fraction(3))
    Judged(level=2, fails=array([False,  True]))
    """
    different = classes.different()
    return Judged(int(different.min()), different < math.ceil(l))


def frequency_l_diversity(classes: Histograms, l: Fraction) -> Judged:  # noqa: E741
    """Divide the rows of each class by those with its commonest sensitive value (Wong et al., 2006).

    >>> frequency_l_diversity(Histograms.of_counts([[2, 1, 1], [4, 2]]), Fraction(2))  # 4/2 and 6/4
    Judged(level=Fraction(3, 2), fails=array([False,  True]))
    """
    # many classes have the same two numbers, and fractions are slow
    shapes, shape_of = np.unique(np.stack([classes.rows(), classes.commonest()]), axis=1, return_inverse=True)
    reached = [Fraction(rows, most) for rows, most in shapes.T.tolist()]
    return Judged(min(reached), np.array([level < l for level in reached], bool)[shape_of.reshape(-1)])
