"""Ordered points in bins of about as many rows each: the places at which a number can be cut."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector

__all__ = ["equal_bins"]


def equal_bins(counts: IntVector, most_cuts: int) -> IntVector:
    """Return the bin of each point, in order: one per point, or bins of about as many rows each."""
    if len(counts) <= most_cuts + 1:
        return np.arange(len(counts))
    before = np.cumsum(counts) - counts
    share = before * (most_cuts + 1) // counts.sum()
    return np.unique(share, return_inverse=True)[1].reshape(-1)
