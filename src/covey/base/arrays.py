"""Names for the array types that the rooms hand to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["BoolVector", "FloatMatrix", "FloatVector", "IntMatrix", "IntVector"]

IntVector = npt.NDArray[np.integer[Any]]
IntMatrix = npt.NDArray[np.integer[Any]]
FloatVector = npt.NDArray[np.float64]
FloatMatrix = npt.NDArray[np.float64]
BoolVector = npt.NDArray[np.bool_]
