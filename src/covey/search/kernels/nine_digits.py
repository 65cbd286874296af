"""Distances to nine digits: what differs by rounding only is a tie."""

from __future__ import annotations

from covey.compiled.kernel import kernel

__all__ = ["nine_digits"]

SPLIT = float(2**23 + 1)
"""Of the 53 bits of a float so many are dropped that 30 are left (Veltkamp's way)."""


@kernel
def nine_digits(value):
    """Return the number rounded to 30 bits; this never reverses an order, so a bound stays a bound."""
    scaled = value * SPLIT
    rounded = scaled - (scaled - value)
    return rounded if rounded == rounded else value  # not a number where `scaled` overflows
