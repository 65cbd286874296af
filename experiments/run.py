"""Run every script of the experiments, each in a process of its own, and list their results in RESULTS.md.

COVEY_DATA=... python experiments/run.py            # all of them
COVEY_DATA=... python experiments/run.py p1 p4      # these again; the others stay as they are
COVEY_DATA=... python experiments/run.py --quick    # small settings, into build/experiments-quick
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from results import QUICK_RESULTS, RESULTS, assemble

HERE = Path(__file__).parent
SCRIPTS = (
    "adult", "p0", "p1", "p2", "p3", "p4", "usefulness", "search", "search_kdd", "search_acs", "search_census",
)  # fmt: skip


def main() -> None:
    words = argparse.ArgumentParser(description="Run the papers' experiments again and write their results.")
    words.add_argument("scripts", nargs="*", metavar="SCRIPT", help=f"which ones: {', '.join(SCRIPTS)}; without, all")
    words.add_argument("--quick", action="store_true", help="small settings, into build/experiments-quick")
    given = words.parse_args()
    unknown = [script for script in given.scripts if script not in SCRIPTS]
    if unknown:
        words.error(f"there is no script {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    if not os.environ.get("COVEY_DATA"):
        sys.exit("error: COVEY_DATA is not set\n\nhint: set it to the folder with the public tables (docs/data.md)")
    folder = QUICK_RESULTS if given.quick else RESULTS
    failed = [script for script in given.scripts or SCRIPTS if not run(script, folder, given.quick)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; RESULTS.md is as it was")
    sections = [(script, folder / f"{script}.md") for script in SCRIPTS]
    text = assemble([(script, file.read_text("utf-8")) for script, file in sections if file.exists()], folder.name)
    target = folder.parent / "RESULTS.md"
    target.write_text(text, encoding="utf-8")
    print(f"wrote {target}")


def run(script: str, folder: Path, quick: bool) -> bool:
    """Run one script; return whether it went well."""
    print(f"\n== {script}", flush=True)
    command = [sys.executable, str(HERE / f"{script}.py"), "--out", str(folder), *(["--quick"] if quick else [])]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    main()
