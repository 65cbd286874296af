"""A million-row CSV from file to verified file, against pyarrow's own reading and writing of the same CSV.

    python benchmarks/million.py [ROWS]

Both run in one process; the ratio is of the best of three each.  Checks its own result: the file is verified.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from covey.ask.job import Job
from covey.ask.schema import Schema
from covey.datasets import census_roles, make_census
from covey.release.clock import peak_memory_mb
from covey.release.pipeline import anonymize_file
from timing import best_of


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(
        f"make_census({rows:,}), 8 quasi columns, k = 10; Python {platform.python_version()}, pyarrow {pa.__version__}"
    )
    with tempfile.TemporaryDirectory() as folder:
        raw, out, copy = (str(Path(folder) / name) for name in ("raw.csv", "out.csv", "copy.csv"))
        pa.csv.write_csv(make_census(rows), raw)
        job = Job(
            schema=Schema.from_roles(**census_roles()), k=10, algorithm="loss-cut"
        )  # the least search: the path counts
        reports = []
        covey = best_of(3, lambda: reports.append(anonymize_file(raw, out, job, force=True)))
        peak = peak_memory_mb()
        plain = best_of(3, lambda: pa.csv.write_csv(pa.csv.read_csv(raw), copy))
    report = reports[-1]
    assert report.verdict.ok
    assert report.verdict.level >= 10
    steps = ", ".join(f"{step} {seconds:.2f}" for step, seconds in report.seconds.items())
    print(f"covey, file to verified file: {covey:.2f} s ({steps}), {peak:,.0f} MB at most")
    print(f"pyarrow, reads and writes it: {plain:.2f} s")
    print(f"ratio {covey / plain:.1f}; {report.verdict.classes:,} classes, Total-IL {report.loss.total_il:,.1f}")


if __name__ == "__main__":
    main()
