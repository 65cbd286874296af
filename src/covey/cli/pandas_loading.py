"""Whether pandas may be loaded: pyarrow does so wherever it can, no command needs it, and it takes 0.2 s a run."""

from __future__ import annotations

import contextlib
import importlib.abc
import sys
from collections.abc import Iterator

__all__ = ["allow_pandas", "without_pandas"]


class _NoPandas(importlib.abc.MetaPathFinder):
    """Says that pandas is not installed."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"no module named {name!r} for the command line", name=name)


@contextlib.contextmanager
def without_pandas() -> Iterator[None]:
    """Keep pyarrow from loading pandas."""
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas())
    try:
        yield
    finally:
        allow_pandas()


def allow_pandas() -> None:
    """Let pandas be loaded from now on, for a model that is made of its objects."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _NoPandas)]
