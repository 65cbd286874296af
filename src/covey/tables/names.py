"""Names of columns: each of them once."""

from __future__ import annotations

from collections.abc import Sequence

from covey.base.checks import listed
from covey.base.errors import InputError

__all__ = ["refuse_repeats"]


def refuse_repeats(names: Sequence[str], message: str) -> None:
    """Raise with this message if two columns have one name, and tell which."""
    if len(set(names)) < len(names):
        double = sorted({name for name in names if names.count(name) > 1})
        raise InputError(
            f"{message}: {listed(double)}", code="duplicate-columns", hint="give every column a name of its own"
        )
