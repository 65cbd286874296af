"""The round-robin deal of P2's theorem 3, tried on every small table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

__all__ = ["deals"]


def deals(most_rows: int, *, above: bool) -> tuple[int, int]:
    """Return (cases, failures) of the deal over all tables of at most `most_rows` rows and all l.

    A table is its rows per sensitive value, in order.  Classes have l rows or more, or, with `above`, every k above l.
    """
    cases = failures = 0
    for rows in range(2, most_rows + 1):
        for counts in compositions(rows):
            for ell in range(2, rows // max(counts) + 1):
                for k in range(ell + 1, rows + 1) if above else (ell,):
                    cases += 1
                    failures += not is_diverse_deal(counts, rows // k, ell)
    return cases, failures


def is_diverse_deal(counts: Sequence[int], n_classes: int, ell: int) -> bool:
    """Return whether the round-robin deal of sorted rows is l-diverse."""
    values = np.repeat(np.arange(len(counts)), counts)
    classes = [values[c::n_classes] for c in range(n_classes)]
    return all(np.bincount(values).max() * ell <= len(values) for values in classes)


def compositions(total: int) -> Iterator[tuple[int, ...]]:
    """Give every way to write a number as an ordered sum.

    >>> list(compositions(3))
    [(1, 1, 1), (1, 2), (2, 1), (3,)]
    """
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        yield from ((first, *rest) for rest in compositions(total - first))
