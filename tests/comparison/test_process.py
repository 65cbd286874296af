"""The process that runs the algorithms: it never outlives what started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import covey
from covey.base.hints import on_command_line
from covey.comparison.process import Bench, _error
from covey.datasets import make_hospital

TESTS = Path(__file__).parents[1]
PROGRAM = """
import covey
from covey.datasets import make_hospital
from odd_estimators import Sleeper
table = make_hospital(300).select(["age", "sex"])
roles = {"quasi": ["age", "sex"]}
covey.compare(table, k=2, algorithms=[Sleeper()], limit=None, progress=lambda words: print(words, flush=True), **roles)
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")


def children(process: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{process}/task").iterdir():
        found |= {int(child) for child in (task / "children").read_text().split()}
    return found


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(claim, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not claim() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(claim())


@needs_proc
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_when_the_program_is_ended(how):
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    ) as program:
        assert program.stdout.readline() == b"0 of 1 done, Sleeper at k = 2\n"
        assert wait_until(lambda: children(program.pid))
        workers = children(program.pid)
        time.sleep(2)  # so that some of them are asleep in the search and some are still loading
        assert all(map(is_alive, workers))
        program.send_signal(how)
        program.wait(20)
    assert wait_until(lambda: not any(map(is_alive, workers)))


@needs_proc
def test_no_process_is_left_after_a_comparison_or_an_error():
    table = make_hospital(50).select(["age", "sex"])
    before = children(os.getpid())
    covey.compare(table, k=2, algorithms=["mondrian"], quasi=["age", "sex"])
    assert children(os.getpid()) == before

    def stop(words: str) -> None:
        if words.startswith("1 of 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        covey.compare(table, k=[2, 3], algorithms=["mondrian"], quasi=["age", "sex"], progress=stop)
    assert children(os.getpid()) == before


def test_a_system_that_cannot_reset_its_peak_gives_each_run_a_process(monkeypatch):
    begun = []
    begin = Bench._begin

    def forgetful(self: Bench) -> None:
        begin(self)
        begun.append(self)
        self._resets_peak = False

    monkeypatch.setattr(Bench, "_begin", forgetful)
    table = make_hospital(50).select(["age", "sex"])
    found = covey.compare(table, k=[2, 3], algorithms=["mondrian"], quasi=["age", "sex"])
    assert len(begun) == 2
    assert all(row.failure is None for row in found.rows)


def test_a_process_that_cannot_start_is_an_error_of_the_machine(monkeypatch):
    monkeypatch.setattr(sys, "executable", sys.executable + "-that-is-not-there")
    with pytest.raises(covey.CoveyError) as found:
        covey.compare(make_hospital(50).select(["age", "sex"]), k=2, algorithms=["mondrian"], quasi=["age", "sex"])
    assert found.value.code == "no-worker"


def test_what_the_other_process_refuses_is_told_in_the_words_of_both():
    error = _error({"kind": "InputError", "message": "too few", "code": "few-rows", "hints": ["give k=2", "give -k 2"]})
    assert isinstance(error, covey.InputError)
    assert error.hint == "give k=2"
    assert on_command_line(error.hint) == "give -k 2"
