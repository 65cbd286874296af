"""Fixtures that several test files use: the command line in this process, and the public tables."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
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


def hear_signals() -> None:
    """Hear SIGINT and SIGTERM: a command that has published something hears none until its process ends."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(autouse=True)
def signals_are_heard() -> None:
    """Let no command of an earlier test, or of a fixture that many share, keep this one from hearing signals."""
    hear_signals()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Outcome]:
    """Run the command line in this process: `run("verify", "table.csv", "-k", "2")`."""
    from covey.cli import main

    def call(*words: object, stdin: bytes = b"") -> Outcome:
        capfdbinary.readouterr()
        monkeypatch.setattr(sys, "argv", ["covey", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        hear_signals()
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
    hear_signals()
