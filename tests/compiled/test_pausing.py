"""Long work pauses: signals are heard in every algorithm and metric, and people are told how far it is."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import wait

import numpy as np
import pytest

from covey.ask.algorithms import ALGORITHMS
from covey.ask.schema import Schema
from covey.codes.encoding import encode_frame
from covey.compiled import pausing
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, heard, listening, pause, threads_that_stop
from covey.datasets import make_census

QUASI = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex"]


@kernel
def count_up(counter, n):
    for i in range(n):
        counter[0] += 1
        if i & CHEAP_TURNS == 0:
            pause(i, n)


class Stop(Exception):
    """What a test raises in a pause."""


@pytest.fixture(scope="module")
def codes():
    return encode_frame(make_census(1500, 1).select(QUASI), Schema.from_roles(quasi=QUASI))


def search(name, codes):
    estimator = ALGORITHMS[name].load()(k=3)
    return estimator.labels(codes) if estimator.makes_classes else estimator.cover(codes)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_can_be_stopped_while_it_searches(name, codes, monkeypatch):
    def stop(done, total):
        raise Stop

    search(name, codes)
    monkeypatch.setattr(pausing, "heard", stop)
    with pytest.raises(Stop):
        search(name, codes)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_kernel_with_what_its_handler_raises(number, monkeypatch):
    def handle(number, frame):
        raise Stop

    before = signal.signal(number, handle)
    hear = pausing.heard

    def heard(done, total):
        if done > 10 * CHEAP_TURNS:
            os.kill(os.getpid(), number)
        hear(done, total)

    monkeypatch.setattr(pausing, "heard", heard)
    counter = np.zeros(1, np.int64)
    try:
        with pytest.raises(Stop):
            count_up(counter, 100_000)
    finally:
        signal.signal(number, before)
    assert 10 * CHEAP_TURNS < counter[0] < 20 * CHEAP_TURNS


def test_a_kernel_that_is_not_stopped_counts_to_the_end():
    counter = np.zeros(1, np.int64)
    count_up(counter, 100_000)
    assert counter[0] == 100_000


def test_whoever_listens_is_told_the_share_that_is_done(monkeypatch):
    monkeypatch.setattr(pausing, "_SECONDS", 0.0)
    told = []
    with listening(told.append):
        count_up(np.zeros(1, np.int64), 1024)
    count_up(np.zeros(1, np.int64), 1024)
    assert told == [0.0, 0.25, 0.5, 0.75]


def test_people_are_not_told_at_every_pause():
    told = []
    with listening(told.append):
        count_up(np.zeros(1, np.int64), 4096)
    assert told == []


def test_kernels_in_other_threads_stop_when_the_work_is_interrupted():
    running = []

    def interrupted():
        with threads_that_stop(2) as pool:
            running.extend(pool.submit(count_up, np.zeros(1, np.int64), 10**12) for _ in range(3))
            wait(running, timeout=0.2)
            raise Stop

    with pytest.raises(Stop):
        interrupted()
    assert [type(future.exception()) for future in running[:2]] == [KeyboardInterrupt] * 2
    assert running[2].cancelled()
    assert not pausing._stopped


def test_a_second_signal_while_threads_are_waited_for_does_not_let_them_go_on():
    turns = []

    def slow():
        for turn in range(40):
            turns.append(turn)
            time.sleep(0.1)
            heard(0, 0)

    def interrupted():
        with threads_that_stop(1) as pool:
            running = pool.submit(slow)
            for seconds in (0.25, 0.28):
                threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
            wait([running])

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert 2 <= len(turns) < 20
    assert not pausing._stopped
    pools = [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]
    assert not any(thread.is_alive() for thread in pools)


def test_threads_that_are_not_interrupted_finish():
    with threads_that_stop(2) as pool:
        counter = np.zeros(1, np.int64)
        pool.submit(count_up, counter, 10_000).result()
    assert counter[0] == 10_000
