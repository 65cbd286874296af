"""Whether a search that is interrupted keeps what it has found by then: somebody who waits for it may say so."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

__all__ = ["keeping_best", "keeps_best"]

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


def keeps_best() -> bool:
    """Return whether the search that was interrupted is to go on with the best so far; nobody asked means no."""
    ask = _asked.get(threading.get_ident())
    return ask is not None and ask()
