"""Ctrl-C at any moment, to the process that searches: what is published is the best so far, verified, or nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from covey.datasets import hospital_roles, make_hospital
from covey.tables.files import CsvOptions, write_table
from terminals import CTRL_C, on_a_terminal

ROLES = [word for role, names in hospital_roles().items() for word in (f"--{role}", ",".join(names))]
INTERRUPTED_AFTER = """
import os, signal, sys, threading
from covey.cli import main
stop = threading.Timer(float(sys.argv.pop(1)), os.kill, (os.getpid(), signal.SIGINT))
stop.daemon = True
stop.start()
main()
"""


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    path = tmp_path / "hospital.csv"
    write_table(
        make_hospital(3_000), str(path), format=None, csv=CsvOptions(), force=True, check=lambda _: None, source=None
    )
    return path


def after(seconds: float, hospital: Path, *words: str) -> tuple[int, str, list[str]]:
    """Return (exit code, what was said, the files there then) of a run with Ctrl-C after some seconds."""
    line = ["anonymize", str(hospital), "-k", "5", *ROLES, *words, "-o", str(hospital.with_name("out.csv")), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AFTER, str(seconds), *line], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout or done.stderr, sorted(path.name for path in hospital.parent.iterdir())


@pytest.mark.parametrize("how", [["--effort", "best"], ["--budget", "6s"]])
def test_ctrl_c_at_any_moment_keeps_the_best_verified_or_nothing(hospital, run, how):
    out = hospital.with_name("out.csv")
    fast = run("anonymize", hospital, "-k", 5, *ROLES, "--effort", "fast", "-o", out, "--json")
    most = json.loads(fast.out)["loss"]["total_il"]
    out.unlink()
    codes = []
    for seconds in (0.05, 0.1, 0.4, 0.9, 1.5, 2.2, 3.0, 4.0):
        code, said, files = after(seconds, hospital, *how, "--keep-best")
        codes.append(code)
        if code == 130:
            assert said in ("interrupted: no half-written file is left\n", "interrupted\n")
            assert files == ["hospital.csv"]
            continue
        assert code == 0, said
        assert "interrupted" in said
        assert files == ["hospital.csv", "out.csv"]
        assert json.loads(said)["loss"]["total_il"] <= most + 1e-9
        quasi = ",".join(hospital_roles()["quasi"])
        assert run("verify", out, "-k", 5, "--quasi", quasi, "--original", hospital).code == 0
        out.unlink()
    assert set(codes) == {0, 130}


def test_ctrl_c_once_the_file_has_its_name_changes_nothing(hospital):
    out = hospital.with_name("out.csv")
    line = ["anonymize", str(hospital), "-k", "5", *ROLES, "--effort", "fast", "-o", str(out), "--json"]
    for stop in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen(
            [sys.executable, "-m", "covey", *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running:
            while not out.exists() and running.poll() is None:
                time.sleep(0.0005)
            running.send_signal(stop)
            said, complaint = running.communicate()
        assert running.returncode == 0, complaint
        assert json.loads(said)["released"] == 3_000
        out.unlink()


@pytest.mark.parametrize("algorithm", ["refine(tries=4000)", "polish(rounds=40, tries=200)"])
def test_what_goes_on_from_other_classes_keeps_its_best_too(hospital, algorithm):
    kept = False
    for seconds in (2.0, 4.0, 8.0, 16.0, 32.0):  # later ones for machines that are slow, or compile first
        code, said, files = after(seconds, hospital, "--algorithm", algorithm, "--keep-best")
        assert code in (0, 130), said
        assert ("out.csv" in files) == (code == 0)
        if code == 0:
            assert "interrupted" in said
            kept = True
            break
    assert kept


def test_without_a_word_nothing_is_kept(hospital):
    for seconds in (0.5, 3.0):
        code, said, files = after(seconds, hospital, "--budget", "30s")
        assert (code, said) == (130, "interrupted: no half-written file is left\n")
        assert files == ["hospital.csv"]


@pytest.mark.parametrize(("answer", "code"), [(b"y\r", 0), (b"n\r", 130), (CTRL_C, 130)])
def test_somebody_at_a_terminal_is_asked(hospital, answer, code):
    out = hospital.with_name("out.csv")
    seen, ended = on_a_terminal(
        "anonymize", hospital, "-k", 5, *ROLES, "--budget", "60s", "-o", out,
        typed=((rb"clustering, [1-9]\d%", CTRL_C), (rb"found so far\?", answer)),  # before a tenth there is nothing
    )  # fmt: skip
    assert ended == code, seen.decode()
    assert out.exists() == (code == 0)
