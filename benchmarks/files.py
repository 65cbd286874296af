"""Reading and writing a CSV file against pyarrow's own reader and writer, in one run.

    python benchmarks/files.py [rows]

A million rows of twelve columns (eleven of few distinct texts, one of a text per row).  Both sides read and
write the same table; pyarrow guesses types and quotes every text, covey reads all cells as text, quotes where
needed, and calls its check.  Best of three runs each, taken in turns.  Ends with the ratio of the sums.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.csv

from covey.tables.files import CsvOptions, read_table, shuffle_rows, write_table

DISTINCT = (74, 9, 16, 7, 15, 6, 5, 2, 42, 120, 1000)
RUNS = 3


def make_table(n_rows: int) -> pa.Table:
    draw = np.random.default_rng(0)
    columns = {}
    for j, n_values in enumerate(DISTINCT):
        values = pa.array([f"value-{j}-{i}" for i in range(n_values)])
        columns[f"c{j}"] = values.take(pa.array(draw.integers(0, n_values, n_rows)))
    columns["id"] = pa.array([f"p{i:07d}" for i in draw.permutation(n_rows)])
    return pa.table(columns)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(n_rows: int) -> None:
    table = make_table(n_rows)
    print(f"{n_rows:,} rows, {table.num_columns} columns; pyarrow {pa.__version__}, {platform.platform()}")
    with tempfile.TemporaryDirectory() as folder:
        for quoted in (False, True):
            source, out = os.path.join(folder, "in.csv"), os.path.join(folder, "out.csv")
            style = pa.csv.WriteOptions(quoting_style="all_valid" if quoted else "none")
            pa.csv.write_csv(table, source, style)
            compare(source, out, "every text quoted" if quoted else "no quotes")
    start = time.perf_counter()
    shuffle_rows(n_rows)
    print(f"random order {time.perf_counter() - start:.3f} s")


def compare(source: str, out: str, what: str) -> None:
    theirs = pa.csv.read_csv(source)
    ours = read_table(source).table
    assert all(a.cast(pa.string()).equals(b.cast(pa.string())) for a, b in zip(ours, theirs, strict=True))

    def write() -> None:
        write_table(ours, out, format=None, csv=CsvOptions(), force=True, check=lambda path: None, source=source)

    parts: dict[str, list[float]] = {"read": [], "write": [], "pyarrow read": [], "pyarrow write": []}
    for _ in range(RUNS):
        parts["pyarrow read"].append(seconds(lambda: pa.csv.read_csv(source)))
        parts["read"].append(seconds(lambda: read_table(source)))
        parts["pyarrow write"].append(seconds(lambda: pa.csv.write_csv(theirs, out)))
        parts["write"].append(seconds(write))
    assert read_table(out).table.equals(ours), "what was written does not read back"
    best = {name: min(times) for name, times in parts.items()}
    ratio = (best["read"] + best["write"]) / (best["pyarrow read"] + best["pyarrow write"])
    print(f"{what}: " + ", ".join(f"{name} {t:.2f} s" for name, t in best.items()) + f"; ratio {ratio:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
