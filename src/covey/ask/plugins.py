"""Algorithms and privacy models of other packages, which these announce as entry points when they are installed.

Only what is installed is looked up: no name in a job file or on the command line makes covey import a file.
"""

from __future__ import annotations

from typing import Any

from covey.base.errors import InputError

__all__ = ["broken_plugin", "plugin"]


def plugin(group: str, name: str, kind: type) -> Any:
    """Return what an installed package announces by this name, None if none does; it must be of a kind."""
    from importlib.metadata import entry_points  # slow to load, and seldom needed

    found = {(one.value, one.dist.name if one.dist else ""): one for one in entry_points(group=group, name=name)}
    if not found:
        return None
    if len(found) > 1:
        owners = ", ".join(sorted(owner for _, owner in found))
        raise broken_plugin(f"several installed packages have a `{name}` ({owners})", "uninstall all but one of them")
    (one,) = found.values()
    try:
        loaded = one.load()
    except Exception as error:
        raise broken_plugin(
            f"`{name}` of an installed package cannot be loaded ({type(error).__name__})",
            f"see that `{one.value}` can be imported",
        ) from None
    if not isinstance(loaded, kind):
        raise broken_plugin(
            f"`{name}` of an installed package is not what it is announced as",
            f"let `{one.value}` name a {'class' if kind is type else kind.__name__}",
        )
    return loaded


def broken_plugin(message: str, hint: str) -> InputError:
    """Return the error of an algorithm or model that cannot be had as it is announced."""
    return InputError(message, code="broken-plugin", hint=hint)
