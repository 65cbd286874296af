"""Pauses in long work: Ctrl-C and SIGTERM are heard in them, and people are told how far it is.

Python handles signals between its own instructions, and a kernel is one instruction, however long it runs.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from numba.core import cgutils, types
from numba.extending import intrinsic

from covey.compiled.interrupts import signals_that_wait

__all__ = ["CHEAP_TURNS", "DEAR_TURNS", "SHARED_TURNS", "heard", "is_to_end", "listening", "pause", "telling_within",
           "threads_that_stop", "told_within"]  # fmt: skip

CHEAP_TURNS = 255
"""A loop whose turns take less than a microsecond or so pauses where `turn & CHEAP_TURNS == 0`."""
DEAR_TURNS = 15
"""One whose turns take some microseconds, more in a larger table, pauses where `turn & DEAR_TURNS == 0`."""
SHARED_TURNS = 4095
"""One that runs on several cores at once, and then pauses less often, since they wait for each other in pauses."""
_SECONDS = 0.2
"""How often people are told."""

Step = TypeVar("Step")

_listeners: dict[int, Callable[[float], None]] = {}
"""Who is told the share that is done, by thread."""
_told: dict[int, float] = {}
_stopped: set[int] = set()
"""The threads whose kernels are to end."""


def is_to_end(thread: int) -> bool:
    """Return whether what a thread does is to end, for those who are asked by other libraries."""
    return thread in _stopped


def heard(done: int, total: int) -> None:
    """Tell who listens that `done` of `total` is done (total 0: not known); raise where the work is to stop.

    Being Python, it lets the handlers of signals run that came since the last pause.
    """
    me = threading.get_ident()
    if me in _stopped:
        raise KeyboardInterrupt
    if total > 0 and me in _listeners and time.monotonic() - _told[me] > _SECONDS:
        _told[me] = time.monotonic()
        _listeners[me](min(done / total, 1.0))


@intrinsic
def pause(typing_context: Any, done: Any, total: Any) -> Any:
    """Call `heard` from a kernel; what it or the handler of a signal raises ends the kernel.

    It costs a microsecond.  In a thread other than the main one no signals are handled: see
    `threads_that_stop`.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        python = context.get_python_api(builder)
        lock = python.gil_ensure()
        result = cgutils.alloca_once_value(builder, python.get_null_object())
        module = python.import_module(context.insert_const_string(builder.module, __name__))
        with cgutils.if_likely(builder, cgutils.is_not_null(builder, module)):
            function = python.object_getattr_string(module, heard.__name__)
            with cgutils.if_likely(builder, cgutils.is_not_null(builder, function)):
                numbers = [python.long_from_longlong(number) for number in arguments]
                builder.store(python.call_function_objargs(function, numbers), result)
                for thing in (function, *numbers):
                    python.decref(thing)
            python.decref(module)
        answer = builder.load(result)
        python.decref(answer)  # of nothing too
        python.gil_release(lock)
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, answer)):
            context.call_conv.return_exc(builder)  # the exception stands in the thread already
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), generate


@contextlib.contextmanager
def listening(tell: Callable[[float], None]) -> Iterator[None]:
    """Let `tell` be called now and then with the share that long work in this thread has done."""
    me = threading.get_ident()
    before, _listeners[me], _told[me] = _listeners.get(me), tell, time.monotonic()
    try:
        with signals_that_wait():
            yield
    finally:
        if before is None:
            del _listeners[me], _told[me]
        else:
            _listeners[me] = before


@contextlib.contextmanager
def telling_within(begin: float, end: float) -> Iterator[None]:
    """Let what is done inside be told, to who listens outside, as a part of all: from one share to another."""
    me = threading.get_ident()
    tell = _listeners.get(me)
    if tell is None:
        yield
        return
    _listeners[me] = lambda share: tell(begin + (end - begin) * share)
    try:
        yield
    finally:  # when people were told last stays as it is: parts may be shorter than the time between
        _listeners[me] = tell


def told_within(begin: float, end: float, steps: Iterator[Step]) -> Iterator[Step]:
    """Yield the steps; what is done of them is told as a part of all."""
    while True:
        with telling_within(begin, end):
            try:
                found = next(steps)
            except StopIteration:
                return
        yield found


@contextlib.contextmanager
def threads_that_stop(cores: int) -> Iterator[ThreadPoolExecutor]:
    """Give threads for kernels, which end at their next pause when the work inside is interrupted."""
    own: set[int] = set()
    pool = ThreadPoolExecutor(cores, initializer=lambda: own.add(threading.get_ident()))
    try:
        yield pool
        pool.shutdown(wait=True)
    except BaseException as error:
        raise _ended(pool, own, error) from None
    finally:
        _stopped.difference_update(own)


def _ended(pool: ThreadPoolExecutor, threads: set[int], error: BaseException) -> BaseException:
    """End the threads of a pool at their next pause; return the error, or the signal that came meanwhile.

    All have ended then: one that is forgotten while it runs would go on to the end of its work.
    """
    while True:
        _stopped.update(threads)
        try:
            pool.shutdown(wait=True, cancel_futures=True)
        except KeyboardInterrupt as another:
            error = another
        else:
            return error
