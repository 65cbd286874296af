"""Columns that somebody names and that must be there."""

from __future__ import annotations

from collections.abc import Iterable

from covey.base.checks import did_you_mean
from covey.base.errors import UnknownColumn

__all__ = ["require_known"]


def require_known(names: Iterable[str], known: Iterable[str], fault: str) -> None:
    """Raise `UnknownColumn` for the first name that is not known; fault: what is said of it, {} for the name."""
    options = list(known)
    for name in names:
        if name not in options:
            raise UnknownColumn(fault.format(f"`{name}`"), code="unknown-column", hint=did_you_mean(str(name), options))
