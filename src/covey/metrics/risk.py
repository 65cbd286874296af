"""What classes still tell of a sensitive column: the diversity measures of P0 (Byun et al., 2007, section 5.1).

A class whose rows all share one sensitive value tells it of everybody in the class.  Suppressed rows (class -1)
are published nowhere and count in neither measure.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from covey.metrics._classes import counted

__all__ = ["equal_diversity", "sensitive_diversity"]


def equal_diversity(labels: Any, values: Any) -> int:
    """Return ED: how many rows are in classes with a single sensitive value.

    labels (n,): the class of each row, -1 if suppressed; values (n,): the code of its sensitive value.
    Cost: one sort of the rows.

    >>> equal_diversity([0, 0, 1, 1, 1, -1], [2, 2, 0, 1, 0, 2])
    2
    """
    return int(counted(labels, values).of_uniform_classes().counts.sum())


def sensitive_diversity(labels: Any, values: Any, truly: Collection[int]) -> int:
    """Return SD: how many rows are in classes whose single sensitive value is one of the `truly` sensitive codes.

    >>> sensitive_diversity([0, 0, 1, 1], [2, 2, 0, 0], truly={0})
    2
    """
    uniform = counted(labels, values).of_uniform_classes()
    return int(uniform.counts[np.isin(uniform.values, list(truly))].sum())
