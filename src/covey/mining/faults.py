"""What is said in several rooms of models: that they contradict themselves, or need what is not installed."""

from __future__ import annotations

from covey.base.errors import InputError

__all__ = ["bad_model", "not_installed"]


def bad_model(message: str) -> InputError:
    """Return the error for a trained model that contradicts itself."""
    return InputError(message, code="bad-model-file", hint="save the model again, from where it was trained")


def not_installed(message: str) -> InputError:
    """Return the error for packages that models need and that are not there."""
    return InputError(message, code="not-installed", hint='pip install "covey[mining]"')
