"""`BinaryKMeans` on the table that stands in for those of its paper: seconds, mean price and classes at each k.

    COVEY_DATA=... python benchmarks/binary_k_means.py [ROWS]

The first 500,000 rows of the ACSIncome table and six quasi columns, as the paper has them.  Codes are made once; the
seconds are those of the search alone, 15 tries, after the kernels were compiled.  The mean price is Total-IL / rows /
sum of weights, beside that of `LossCut`.  Checks its own result: every class is counted again, one core gives the same
classes.  Exit 1 if a k takes more than 20 seconds.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Sequence

import numba
import numpy as np

from covey.base.arrays import IntVector
from covey.codes.boxes import total_loss
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.columns.kept import kept_column
from covey.datasets import load_acs_income
from covey.privacy.diversity import FrequencyLDiversity
from covey.privacy.model import Model
from covey.search.binary_k_means import halves as _halves
from covey.search.binary_k_means.estimator import BinaryKMeans
from covey.search.loss_cut.estimator import LossCut

QUASI = ["age", "sex", "education_num", "marital_status", "race", "birthplace"]
SENSITIVE, ELL = "occupation", 4
LIMIT = 20.0


def mean_price(codes: TableCodes, labels: IntVector) -> float:
    return total_loss(codes, labels) / codes.n_rows / float(codes.weights.sum())


def timed(
    estimator: BinaryKMeans, codes: TableCodes, kept: dict | None = None, models: Sequence[Model] = ()
) -> tuple[float, IntVector]:
    start = time.perf_counter()
    labels = estimator.labels(codes, kept, models)
    return time.perf_counter() - start, labels


def on_one_core(codes: TableCodes, k: int) -> tuple[float, IntVector]:
    every = _halves.cores_to_use
    _halves.cores_to_use = lambda: 1
    try:
        return timed(BinaryKMeans(k), codes)
    finally:
        _halves.cores_to_use = every


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    print(f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__},", end=" ")
    print(f"{platform.machine()}, {os.cpu_count()} cores")
    table = load_acs_income().slice(0, n_rows)
    start = time.perf_counter()
    codes = encode_frame(table.select(QUASI))
    kept = {SENSITIVE: kept_column(SENSITIVE, table.column(SENSITIVE))}
    print(f"{codes.n_rows:,} rows, {codes.n_tuples:,} distinct, codes in {time.perf_counter() - start:.2f} s")
    BinaryKMeans(2).labels(encode_frame(table.select(QUASI).slice(0, 100)))  # compiles

    slow = False
    print(f"{'k':>5}{'seconds':>9}{'one core':>10}{'mean price':>12}{'loss-cut':>10}{'classes':>9}", end="")
    print(f"{f'   {ELL}-diverse: seconds':>24}{'mean price':>12}{'classes':>9}")
    for k in (50, 100, 150, 200, 250):
        seconds, labels = timed(BinaryKMeans(k), codes)
        sizes = np.bincount(labels)
        assert k <= sizes.min()
        assert sizes.max() <= 2 * k - 1
        alone, same = on_one_core(codes, k)
        assert np.array_equal(labels, same)
        price, cut = mean_price(codes, labels), mean_price(codes, LossCut(k).labels(codes))
        print(f"{k:>5}{seconds:>9.2f}{alone:>10.2f}{price:>12.4f}{cut:>10.4f}{len(sizes):>9,}", end="")
        diverse_seconds, diverse = timed(BinaryKMeans(k), codes, kept, [FrequencyLDiversity(SENSITIVE, ELL)])
        counts = np.zeros((diverse.max() + 1, kept[SENSITIVE].size), np.int64)
        np.add.at(counts, (diverse, kept[SENSITIVE].codes), 1)
        assert counts.sum(1).min() >= k
        assert (counts.max(1) * ELL <= counts.sum(1)).all()
        print(f"{diverse_seconds:>24.2f}{mean_price(codes, diverse):>12.4f}{len(counts):>9,}", flush=True)
        slow |= seconds > LIMIT
    if slow:
        sys.exit(f"slower than {LIMIT:g} s")


if __name__ == "__main__":
    main()
