"""Fixtures that several test files use: the command line in this process, and the public tables."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas  # noqa: F401 (loaded first, so that the command line finds it loaded and leaves it alone)
import pytest
from hypothesis import HealthCheck, settings

# how long an example takes says how busy the machine is, nothing of the code: speed lives in benchmarks/
settings.register_profile("covey", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("covey")


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str


@contextlib.contextmanager
def signals_as_they_were() -> Iterator[None]:
    """Let signals be heard as before: a command that has published something hears none until its process ends."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def signals_as_before_the_test() -> Iterator[None]:
    """Let no test change how the next one hears signals."""
    with signals_as_they_were():
        yield


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Outcome]:
    """Run the command line in this process: `run("verify", "table.csv", "-k", "2")`."""
    from covey.cli import main

    def call(*words: object, stdin: bytes = b"") -> Outcome:
        capfdbinary.readouterr()
        monkeypatch.setattr(sys, "argv", ["covey", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with signals_as_they_were(), pytest.raises(SystemExit) as end:
            main()
        sys.stdout.flush()
        written = capfdbinary.readouterr()
        code = end.value.code
        return Outcome(code if isinstance(code, int) else 0, written.out.decode(), written.err.decode())

    return call


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of public tables that COVEY_DATA names."""
    folder = os.environ.get("COVEY_DATA")
    if not folder:
        pytest.skip("COVEY_DATA is not set: this test reads the public tables")
    return Path(folder)


def pytest_configure() -> None:
    """Hear SIGINT also where the tests were started with it ignored (nohup, some runners): children inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
