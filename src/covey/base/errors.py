"""The errors of covey: one sentence that names the thing, a stable code, and what to do next.

No message ever holds a value of a record: column names, row and line numbers and counts only.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "CoveyError",
    "CoveyWarning",
    "Infeasible",
    "InputError",
    "MachineError",
    "UnknownColumn",
    "VerificationFailed",
]


class CoveyError(Exception):
    """Root of all errors that covey raises on purpose."""

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # the parts are given by name, which pickle (between processes) would not know by itself
        return _rebuilt, (type(self), self.message, self.code, self.hint)


def _rebuilt(kind: type[CoveyError], message: str, code: str, hint: str) -> CoveyError:
    return kind(message, code=code, hint=hint)


class InputError(CoveyError, ValueError):
    """What was given cannot be used."""


class UnknownColumn(InputError, KeyError):
    """A column was named that the table does not have."""


class Infeasible(CoveyError):
    """What was asked for cannot be met."""


class VerificationFailed(CoveyError):
    """The self-check found a release that does not hold; nothing was published."""


class MachineError(CoveyError):
    """The machine failed (a full disk, a lost folder), not the input."""


class CoveyWarning(UserWarning):
    """Something that a data steward should look at before signing."""
