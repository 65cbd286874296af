"""What is said in several rooms of models: that they cannot be read, or need what is not installed; bad input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from covey.base.errors import InputError

__all__ = [
    "bad_domain",
    "bad_labels",
    "bad_model",
    "installed",
    "missing_values",
    "not_a_number",
    "not_a_table",
    "not_available",
    "too_large",
    "what_training_leaves",
]


def bad_model(message: str, hint: str = "save the model again, from where it was trained") -> InputError:
    """Return the error for a trained model that contradicts itself."""
    return InputError(message, code="bad-model-file", hint=hint)


@contextmanager
def what_training_leaves(message: str, *faults: type[Exception]) -> Iterator[None]:
    """Say in these words that a model cannot be read: a file can hold anything where training leaves arrays and lists.

    faults: what reading may come to.
    """
    try:
        yield
    except InputError:
        raise
    except faults:
        raise bad_model(message) from None


def not_available(message: str, hint: str) -> InputError:
    """Return the error for a model, or a part of one, that covey cannot read or audit."""
    return InputError(message, code="not-available", hint=hint)


def bad_domain(message: str, hint: str) -> InputError:
    """Return the error for what a private column is said to be, and cannot."""
    return InputError(message, code="bad-domain", hint=hint)


def not_a_table(message: str, hint: str) -> InputError:
    """Return the error for what stands in the place of a table, and is none."""
    return InputError(message, code="not-a-table", hint=hint)


def not_a_number(message: str, hint: str) -> InputError:
    """Return the error for values that stand in the place of numbers, and are none."""
    return InputError(message, code="not-a-number", hint=hint)


def missing_values(message: str, hint: str) -> InputError:
    """Return the error for values that are missing where none may be."""
    return InputError(message, code="missing-values", hint=hint)


def bad_labels(message: str, hint: str) -> InputError:
    """Return the error for classes of rows that no tree can tell."""
    return InputError(message, code="bad-labels", hint=hint)


def too_large(message: str, hint: str) -> InputError:
    """Return the error for what takes more room or time than there is."""
    return InputError(message, code="too-large", hint=hint)


@contextmanager
def installed(message: str) -> Iterator[None]:
    """Say in these words that a package which is imported is not there."""
    try:
        yield
    except ImportError:
        raise InputError(message, code="not-installed", hint='pip install "covey[mining]"') from None
