"""What is said of columns that cannot be read."""

from __future__ import annotations

import pyarrow as pa

from covey.base.errors import InputError

__all__ = ["CONVERSION_ERRORS", "mixed_column", "unsupported_column"]


CONVERSION_ERRORS = (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError)


def unsupported_column(name: str, dtype: str) -> InputError:
    """Return the error for a column of a type that no release can hold."""
    return InputError(
        f"column `{name}` has the type {dtype}, which cannot be read",
        code="unsupported-column",
        hint="convert the column to text, numbers or dates first",
    )


def mixed_column(name: str) -> InputError:
    """Return the error for a column with values of several types."""
    return InputError(
        f"column `{name}` mixes kinds of Python objects, or holds objects that are no plain values",
        code="mixed-column",
        hint=f"convert it first, for example by `frame[{name!r}].astype(str)`",
    )
