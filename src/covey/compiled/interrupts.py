"""Signals wait while a kernel hands over its result, or the compiler what it made.

Compiled code puts what a kernel returns into Python objects, and calls Python for a moment to do so.  It does not look
for an exception there: if the handler of Ctrl-C or SIGTERM raises one in that moment, the process may crash.  Nor does
the compiler where it calls Python to keep a kernel: the exception would be lost, and the kernel be no more.
"""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

__all__ = ["signals_that_wait"]

_HANDING_OVER = {"_numba_unpickle", "_raw_object_cache_notify", "_raw_object_cache_getbuffer"}
"""Functions that compiled code calls for the types of what it returns, and the compiler to keep what it made."""
_SECONDS = 0.01
"""How long a signal waits before it is tried again."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A handler that is called at once, or a moment later where it must not raise."""

    handler: Callable[[int, FrameType | None], Any]

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        if not _hands_over(frame):
            return self.handler(number, frame)
        again = threading.Timer(_SECONDS, _thread.interrupt_main, (number,))
        again.daemon = True
        again.start()
        return None


def _hands_over(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name in _HANDING_OVER:
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def signals_that_wait() -> Iterator[None]:
    """Let the handlers of SIGINT and SIGTERM that are set wait, where they may raise; in other threads none runs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    changed = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)
        if callable(before) and not isinstance(before, _Waiting | signal.Handlers):
            changed[number] = before
            signal.signal(number, _Waiting(before))
    try:
        yield
    finally:
        for number, before in changed.items():
            if isinstance(signal.getsignal(number), _Waiting):  # else somebody set another one meanwhile
                signal.signal(number, before)
