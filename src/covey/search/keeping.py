"""Whether a search that is interrupted keeps what it has found by then: somebody who waits for it may say so."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from covey.base.arrays import IntVector

__all__ = ["keeping_best", "last_of"]

_asked: dict[int, Callable[[], bool]] = {}
"""Who is asked, by the thread that searches."""


@contextlib.contextmanager
def keeping_best(ask: Callable[[], bool]) -> Iterator[None]:
    """Let `ask` say, when a search in this thread is interrupted, whether to go on with the best so far."""
    me = threading.get_ident()
    before = _asked.get(me)
    _asked[me] = ask
    try:
        yield
    finally:
        if before is None:
            del _asked[me]
        else:
            _asked[me] = before


def last_of(best: IntVector, steps: Iterator[IntVector]) -> tuple[IntVector, tuple[str, ...]]:
    """Return (the last of ever better classes, what is to be told); if it is interrupted, the best so far if asked for.

    best: the classes to begin with.
    """
    try:
        for better in steps:
            best = better
    except KeyboardInterrupt as stop:
        if type(stop) is not KeyboardInterrupt or not _keeps_best():  # else the system asks for an end
            raise
        return best, ("the search was interrupted, and what it had found by then is kept",)
    return best, ()


def _keeps_best() -> bool:
    """Return whether the search that was interrupted is to go on with the best so far; nobody asked means no."""
    ask = _asked.get(threading.get_ident())
    return ask is not None and ask()
