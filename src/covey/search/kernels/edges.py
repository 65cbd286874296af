"""Rows of arrays copied by plain loops: array assignments mean the same, but take a while to compile, each anew."""

from __future__ import annotations

from covey.compiled.kernel import lean_kernel

__all__ = ["copy_row", "widen"]


@lean_kernel
def copy_row(target, at, source, of) -> None:
    """Let row `at` of an array be row `of` of another."""
    for j in range(source.shape[1]):
        target[at, j] = source[of, j]


@lean_kernel
def widen(low, high, c, point) -> None:
    """Let the box of class c, a row of each of `low` and `high`, reach to a point."""
    for j in range(point.shape[0]):
        low[c, j] = min(low[c, j], point[j])
        high[c, j] = max(high[c, j], point[j])
