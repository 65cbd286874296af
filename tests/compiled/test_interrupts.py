"""A signal that comes while a kernel runs is heard when its result has been handed over, and never crashes."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading

import pytest
from llvmlite.binding.executionengine import ExecutionEngine
from numba.core import serialize

from covey.compiled.interrupts import _HANDING_OVER, signals_that_wait

PROGRAM = """
    import os, signal, sys, threading, time
    import numpy as np
    from covey.compiled.interrupts import signals_that_wait
    from covey.compiled.kernel import kernel

    @kernel
    def long_work(n):
        a, b = np.zeros(3), np.zeros(4)
        for i in range(n):
            a[i % 3] += np.sqrt(i)
            b[i % 4] += a[i % 3]
        return a, b

    class Stop(Exception):
        pass

    def stop(number, frame):
        raise Stop

    number = getattr(signal, sys.argv[1])
    signal.signal(number, stop)
    long_work(10)
    start = time.perf_counter()
    long_work(3_000_000)
    turns = int(3_000_000 * 0.2 / (time.perf_counter() - start))
    for _ in range(5):
        threading.Timer(0.05, os.kill, (os.getpid(), number)).start()
        try:
            with signals_that_wait():
                long_work(turns)
                time.sleep(5)
            sys.exit("the signal was lost")
        except Stop:
            pass
    assert signal.getsignal(number) is stop
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_during_a_kernel_without_a_pause_waits_for_its_result(name):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), name], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_handlers_that_cannot_raise_are_left_alone():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with signals_that_wait():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_handler_that_is_set_inside_stays():
    first = signal.getsignal(signal.SIGTERM)
    try:
        with signals_that_wait():
            signal.signal(signal.SIGTERM, stop := lambda number, frame: None)
        assert signal.getsignal(signal.SIGTERM) is stop
    finally:
        signal.signal(signal.SIGTERM, first)


def test_other_threads_have_no_handlers_to_change():
    def work():
        with signals_that_wait():
            found.append(signal.getsignal(signal.SIGINT))

    found = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]


def test_the_functions_in_which_signals_wait_are_there():
    named = {*vars(serialize), *vars(ExecutionEngine)}
    assert named >= _HANDING_OVER
