"""Run every benchmark, one after the other, each in a process of its own.

COVEY_DATA=... python benchmarks/run.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = (
    "start.py",
    "adult.py",
    "k_member.py",
    "loss_cut.py",
    "files.py",
    "million.py",
    "large.py",
    "scale.py",
    "bars.py",
)


def main() -> None:
    failed = []
    for script in SCRIPTS:
        print(f"\n== {script}", flush=True)
        if subprocess.run([sys.executable, str(HERE / script)], check=False).returncode:
            failed.append(script)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
