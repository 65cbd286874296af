"""What is said in several rooms of models: that they cannot be read, or need what is not installed; bad input."""

from __future__ import annotations

from covey.base.errors import InputError

__all__ = ["bad_domain", "bad_model", "not_a_table", "not_available", "not_installed"]


def bad_model(message: str) -> InputError:
    """Return the error for a trained model that contradicts itself."""
    return InputError(message, code="bad-model-file", hint="save the model again, from where it was trained")


def not_available(message: str, hint: str) -> InputError:
    """Return the error for a model, or a part of one, that covey cannot read or audit."""
    return InputError(message, code="not-available", hint=hint)


def bad_domain(message: str, hint: str) -> InputError:
    """Return the error for what a private column is said to be, and cannot."""
    return InputError(message, code="bad-domain", hint=hint)


def not_a_table(message: str, hint: str) -> InputError:
    """Return the error for what stands in the place of a table, and is none."""
    return InputError(message, code="not-a-table", hint=hint)


def not_installed(message: str) -> InputError:
    """Return the error for packages that models need and that are not there."""
    return InputError(message, code="not-installed", hint='pip install "covey[mining]"')
