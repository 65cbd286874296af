"""Run the benchmarks, one after the other, each in a process of its own.

COVEY_DATA=... python benchmarks/run.py               # all of them, some 40 minutes
COVEY_DATA=... python benchmarks/run.py adult scale   # these
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
WITHOUT_DATA = ("start", "loss_cut", "files", "million", "scale")
WITH_DATA = (
    "adult", "loss", "squares", "k_member", "k_member_variants", "binary_k_means", "large", "tree", "tree_spans",
    "audit", "bars",
)  # fmt: skip
SCRIPTS = (*WITHOUT_DATA, *WITH_DATA)


def main() -> None:
    words = argparse.ArgumentParser(description="Run the benchmarks.")
    words.add_argument("scripts", nargs="*", metavar="SCRIPT", help=f"which ones: {', '.join(SCRIPTS)}; without, all")
    given = words.parse_args()
    unknown = [script for script in given.scripts if script not in SCRIPTS]
    if unknown:
        words.error(f"there is no script {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    chosen = given.scripts or SCRIPTS
    if not os.environ.get("COVEY_DATA"):
        left_out = [script for script in chosen if script in WITH_DATA]
        print(f"COVEY_DATA is not set (docs/data.md): left out are {', '.join(left_out) or 'none'}", file=sys.stderr)
        chosen = [script for script in chosen if script not in left_out]
    failed = []
    for script in chosen:
        print(f"\n== {script}", flush=True)
        if subprocess.run([sys.executable, str(HERE / f"{script}.py")], check=False).returncode:
            failed.append(script)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
