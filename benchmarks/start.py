"""How long a person waits: `covey --help`, and the first and second `covey anonymize` on 1,000 rows.

    python benchmarks/start.py

The first run compiles the kernels into an empty cache folder, the second finds them there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.csv

from covey.datasets import census_roles, make_census


def seconds(words: list[str], cache: str) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "covey", *words],
        check=True,
        capture_output=True,
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
    )
    return time.perf_counter() - start


def main() -> None:
    roles = [word for role, names in census_roles().items() for word in (f"--{role}", ",".join(names))]
    with tempfile.TemporaryDirectory() as folder:
        raw, out, cache = (str(Path(folder) / name) for name in ("raw.csv", "out.csv", "cache"))
        pyarrow.csv.write_csv(make_census(1000), raw)
        words = ["anonymize", raw, "-o", out, "-k", "10", "--force", *roles]
        print(f"covey --help                          {min(seconds(['--help'], cache) for _ in range(3)):6.2f} s")
        print(f"covey anonymize, kernels not compiled {seconds(words, cache):6.2f} s")
        print(f"covey anonymize, again                {min(seconds(words, cache) for _ in range(3)):6.2f} s")


if __name__ == "__main__":
    main()
