"""k-anonymity: how many rows the smallest class has (Samarati and Sweeney, 1998)."""

from __future__ import annotations

from collections.abc import Iterable

from covey.base.errors import InputError

__all__ = ["k_anonymity"]


def k_anonymity(class_sizes: Iterable[int]) -> int:
    """Return the k that a table reaches: the rows of its smallest class.

    >>> k_anonymity([5, 3, 8])
    3
    """
    least = min(map(int, class_sizes), default=0)
    if least < 1:  # a class without rows is none
        raise InputError("there is no class to count", code="empty-table", hint="give a table with rows")
    return least
